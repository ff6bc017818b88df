export { type Archive, type ArchiveManifest, type ArchivePart, openArchive } from './archive.ts';
export { OutputGoneError } from './output-gone.ts';
export { openOutputStore, type OutputStore } from './output-store.ts';
export { ArchiveSettings, OutputSettings } from './settings.ts';
