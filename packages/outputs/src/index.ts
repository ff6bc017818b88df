export { type Archive, type ArchiveManifest, type ArchivePart, openArchive } from './archive.js';
export { OutputGoneError } from './output-gone.js';
export { openOutputStore, type OutputStore } from './output-store.js';
export { ArchiveSettings, OutputSettings } from './settings.js';
