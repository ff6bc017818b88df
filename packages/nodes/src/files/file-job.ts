/** What a process does with a file. Passed as an argument, so without data. */
export type FileJob =
  | { readonly kind: 'documentText'; readonly format: 'pdf' | 'docx' | 'html' }
  | {
      readonly kind: 'readSheet';
      /** Its name or, if none has this one, its number from 1. */
      readonly sheet: string | number;
      /** `rows` returns them, `csv` writes them. */
      readonly to: 'rows' | 'csv';
    }
  | { readonly kind: 'writeSheet'; readonly sheet: string }
  | ({ readonly kind: 'image' } & ImageOptions)
  /** The pack is the first part of the input, its document the rest. Writes the texts of a connector, or issues. */
  | { readonly kind: 'connector'; readonly packBytes: number; readonly names: readonly [string, string] };

/** What becomes of an image. */
export interface ImageOptions {
  /** In pixels; by the other one, or unchanged, without it. */
  readonly width?: number;
  readonly height?: number;
  readonly fit: 'inside' | 'cover' | 'contain' | 'fill';
  /** Whether a smaller image becomes larger. */
  readonly enlarge: boolean;
  readonly format: ImageFormat;
  readonly quality?: number;
}

/** Formats that images are written in. */
export const IMAGE_FORMATS = ['jpeg', 'png', 'webp', 'avif'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

/** Maximum memory of a process in bytes. */
export const MAX_PROCESS_BYTES = 512 * 1_048_576;
/** What a process writes to its error output before it ends itself because of its memory. */
export const MEMORY_MARK = 'deckhand: out of memory';

/** Codes of files that cannot be worked on. */
export const FILE_FAILURES = ['FILE_INVALID', 'FILE_LIMIT', 'PARAMETERS_INVALID', 'RESULT_TOO_LARGE'] as const;
type FileFailureCode = (typeof FILE_FAILURES)[number];

/** Why a process cannot do its job. The process has no engine, which takes longer to load than most jobs. */
export class FileFailure extends Error {
  readonly code: FileFailureCode;

  constructor(code: FileFailureCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Parses JSON that the worker wrote. The contracts, which have the same, take longer to load than most jobs. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the writer's type is the claim
export function parseOwn<T>(text: string): T {
  return JSON.parse(text) as T;
}
