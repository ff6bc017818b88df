import type { FileLinkResponse, FileValueResponse } from './generated/index.ts';
import type { RunParts } from './run.ts';

/** The content of a file: a stream is sent while it is read, and only once. */
export type FileContent = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** What a file is, and how it is sent. */
export interface UploadOptions {
  /** A name for people, such as `invoice.pdf`. Default: that of a `File`. */
  readonly name?: string;
  /** A media type. Default: that of a `Blob`, otherwise `application/octet-stream`. */
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/** Files of runs, which are never held in memory as a whole. */
export interface Files {
  /**
   * Uploads a file for the input of a run, which has to start within 24 hours. A failed upload is repeated, except that
   * of a stream. Browsers send streams by HTTP/2 only, and some never: give them a `Blob`.
   * @param workflowId the workflow that will run.
   * @returns the value for the input.
   * @throws DeckhandError, ConnectionError
   */
  upload(workflowId: string, content: FileContent, options?: UploadOptions): Promise<FileValueResponse>;
  /**
   * Downloads a file that the input or an output of a run names. The stream fails if the connection breaks.
   * @param file a file value of the run, or its id.
   * @throws DeckhandError, ConnectionError
   */
  download(
    executionId: string,
    file: FileValueResponse | string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<ReadableStream<Uint8Array>>;
  /**
   * Creates a link for people without a key, who can download the file until it expires.
   * @param file a file value of the run, whose name the download has, or its id.
   * @throws DeckhandError, ConnectionError
   */
  link(
    executionId: string,
    file: FileValueResponse | string,
    options?: { readonly expiresInSeconds?: number; readonly name?: string; readonly signal?: AbortSignal },
  ): Promise<FileLinkResponse>;
}

/** Creates the part of a client for files. */
export function createFiles({ send, baseUrl, headers }: RunParts): Files {
  const addressOf = (executionId: string, file: FileValueResponse | string): string => {
    const id = typeof file === 'string' ? file : file.file.id;
    return `${baseUrl}/api/executions/${encodeURIComponent(executionId)}/files/${encodeURIComponent(id)}`;
  };
  return {
    async upload(workflowId, content, { name, contentType, signal } = {}) {
      const fileName = name ?? (content instanceof Blob && 'name' in content ? String(content.name) : '');
      const given = contentType ?? (content instanceof Blob ? content.type : '');
      const url = new URL(`${baseUrl}/api/workflows/${encodeURIComponent(workflowId)}/files`);
      if (fileName !== '') url.searchParams.set('name', fileName);
      const make = (): Request =>
        new Request(url, {
          method: 'POST',
          headers: { ...headers, 'content-type': given === '' ? 'application/octet-stream' : given },
          body: content,
          ...(content instanceof ReadableStream && STREAMED),
          ...(signal && { signal }),
        });
      const response = await send(make(), { again: content instanceof ReadableStream ? undefined : make });
      return (await response.json()) as FileValueResponse;
    },
    async download(executionId, file, { signal } = {}) {
      const { body } = await send(new Request(addressOf(executionId, file), { headers, ...(signal && { signal }) }));
      return body ?? new ReadableStream({ start: (controller) => controller.close() });
    },
    async link(executionId, file, { signal, ...options } = {}) {
      const request = new Request(`${addressOf(executionId, file)}/link`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ ...(typeof file === 'object' && { name: file.file.name }), ...options }),
        ...(signal && { signal }),
      });
      return (await (await send(request)).json()) as FileLinkResponse;
    },
  };
}

/** Without it, fetch refuses a stream as a body (Fetch, 5.4). The types of browsers lack it. */
const STREAMED: object = { duplex: 'half' };
