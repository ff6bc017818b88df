export { type Archive, ArchiveError, type ArchiveManifest, type ArchivePart, openArchive } from './archive.ts';
export { FileError, type FileErrorCode } from './file-error.ts';
export {
  type FileRange,
  createFileStore,
  type FileStore,
  type FileStoreOptions,
  type FileToSave,
  type OpenedContent,
  openFileStore,
  type StagedFile,
} from './file-store.ts';
export { OutputGoneError } from './output-gone.ts';
export { openOutputStore, type OutputStore } from './output-store.ts';
export { ArchiveSettings, FileSettings, OutputSettings } from './settings.ts';
