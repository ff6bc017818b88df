/** Why a file cannot be read or stored. */
export type FileErrorCode = 'FILE_NOT_FOUND' | 'FILE_TOO_LARGE' | 'STORAGE_FULL' | 'INSTANCE_FULL' | 'MEMORY_EXCEEDED';

/** A file cannot be read or stored. Its message is for people. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly code: FileErrorCode;

  constructor(code: FileErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
