export { OutputGoneError } from './output-gone.js';
export { openOutputStore, type OutputStore } from './output-store.js';
export { OutputSettings } from './settings.js';
