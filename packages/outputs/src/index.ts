export { isOutputStoreUnavailable } from './object-store.js';
export { openOutputStore, type OutputStore } from './output-store.js';
export { OutputSettings } from './settings.js';
