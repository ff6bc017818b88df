import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/** A server that speaks as much of S3 as files need, and has its objects on the disk. */
export interface DiskObjectStore {
  /** Settings that name it. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** The length of every part of an object but the last, in bytes: that of parts of files. */
const PART_BYTES = 8_388_608;

/** Starts one on a free port. */
export async function startDiskObjectStore(): Promise<DiskObjectStore> {
  const dir = await mkdtemp(join(tmpdir(), 'deckhand-objects-'));
  const folderOf = (key: string): string => join(dir, encodeURIComponent(key));

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://store');
    const key = url.pathname.split('/').slice(2).join('/');
    const part = Number(url.searchParams.get('partNumber') ?? 1);
    response.setHeader('content-type', 'application/xml');
    switch (request.method) {
      case 'PUT':
        await mkdir(folderOf(key), { recursive: true });
        await pipeline(request, createWriteStream(join(folderOf(key), String(part))));
        response.setHeader('etag', `"${part}"`).end();
        return;
      case 'POST': {
        const body = (await buffer(request)).toString();
        for (const [, gone = ''] of body.matchAll(/<Key>([^<]*)<\/Key>/g))
          await rm(folderOf(gone), { recursive: true, force: true });
        const begun = '<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>';
        const done = '<CompleteMultipartUploadResult><ETag>"1"</ETag></CompleteMultipartUploadResult>';
        response.end(
          url.searchParams.has('uploads') ? begun : url.searchParams.has('uploadId') ? done : '<DeleteResult/>',
        );
        return;
      }
      case 'GET': {
        const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
        if (first === undefined) {
          response.end('<ListMultipartUploadsResult/>');
          return;
        }
        // A range of a file is within one of its parts.
        const index = Math.floor(Number(first) / PART_BYTES);
        const [start, end] = [Number(first) - index * PART_BYTES, Number(last) - index * PART_BYTES];
        response.writeHead(206, { 'content-length': end - start + 1 });
        await pipeline(createReadStream(join(folderOf(key), String(index + 1)), { start, end }), response);
        return;
      }
      default:
        response.writeHead(204).end();
    }
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the object store has no port');
  return {
    env: {
      ...{ OUTPUT_STORE: 's3', S3_BUCKET: 'files', S3_ENDPOINT: `http://127.0.0.1:${address.port}` },
      ...{ AWS_ACCESS_KEY_ID: 'bench', AWS_SECRET_ACCESS_KEY: 'bench' },
    },
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(dir, { recursive: true, force: true });
    },
  };
}
