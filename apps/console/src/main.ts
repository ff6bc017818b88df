import { loadLanguage } from './language/language.ts';

// Its modules have texts, also outside of functions.
await loadLanguage();
await import('./start.tsx');
