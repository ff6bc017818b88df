import { loadLanguage } from './language/language.js';

// Its modules have texts, also outside of functions.
await loadLanguage();
await import('./start.js');
