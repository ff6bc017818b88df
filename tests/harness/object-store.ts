import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { stopLater } from './cleanup.ts';

/**
 * A server that speaks as much of S3 as is used: PUT, GET with ranges, copies, uploads in parts, lists, and the
 * deletion of several objects.
 */
export interface TestObjectStore {
  /** Settings that name it. */
  readonly env: Readonly<Record<string, string>>;
  /** Objects by key. */
  readonly objects: Map<string, Buffer>;
  /** Ids of unfinished uploads in parts, by key. */
  uploads(): ReadonlyMap<string, string>;
  /** Keys of the objects that were written, in order. */
  readonly written: readonly string[];
  /** Whether objects that are written from now on are damaged. */
  setDamaging(isDamaging: boolean): void;
  /** Whether it responds to everything with a 503. */
  setAway(isAway: boolean): void;
  /** Refuses some requests with a 403. `text` is the key, or the body of a request without one. */
  setRefusing(isRefused: (method: string, text: string) => boolean): void;
  /** Whether it accepts requests and never responds. */
  setSilent(isSilent: boolean): void;
  /** Requests that it accepted without a response. */
  unanswered(): number;
}

/** Starts one on a free port, and gives this process credentials for it, as the SDK reads them. */
export async function startTestObjectStore(): Promise<TestObjectStore> {
  const bucket = 'outputs';
  const objects = new Map<string, Buffer>();
  /** The headers that objects were written with. */
  const about = new Map<string, IncomingHttpHeaders>();
  const written: string[] = [];
  const uploads = createUploads();
  let isDamaging = false;
  let isAway = false;
  let isRefused = (_method: string, _text: string): boolean => false;
  let isSilent = false;
  let unanswered = 0;
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'http://store');
      const [, name, ...rest] = url.pathname.split('/');
      const key = decodeURIComponent(rest.join('/'));
      const body = Buffer.concat(chunks);
      if (isSilent) {
        unanswered += 1;
        return;
      }
      if (isAway) return response.writeHead(503).end();
      if (isRefused(request.method ?? '', key === '' ? body.toString() : key)) return response.writeHead(403).end();
      if (name !== bucket || !(request.headers.authorization ?? '').startsWith('AWS4-HMAC-SHA256 ')) {
        return response.writeHead(403).end();
      }
      const ofUpload = uploads.respond(request.method ?? '', key, url.searchParams, body);
      if (ofUpload) {
        if (ofUpload.object) objects.set(key, ofUpload.object);
        if (ofUpload.object) written.push(key);
        response.writeHead(ofUpload.status, { 'content-type': 'application/xml', etag: ofUpload.tag ?? '' });
        return response.end(ofUpload.body);
      }
      if (request.method === 'PUT') {
        if (request.headers['if-none-match'] === '*' && objects.has(key))
          return response.writeHead(412).end('<Error><Code>PreconditionFailed</Code></Error>');
        const source = request.headers['x-amz-copy-source'];
        const copied = source === undefined ? undefined : objects.get(sourceKey(String(source)));
        if (source !== undefined && !copied)
          return response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
        const content = copied ?? (isDamaging ? body.subarray(1) : body);
        objects.set(key, content);
        about.set(key, request.headers);
        written.push(key);
        const etag = `"${createHash('md5').update(content).digest('hex')}"`;
        const result = `<CopyObjectResult><ETag>${etag}</ETag></CopyObjectResult>`;
        return response.writeHead(200, { etag }).end(copied ? result : '');
      }
      if (request.method === 'DELETE') {
        objects.delete(key);
        return response.writeHead(204).end();
      }
      if (request.method === 'POST' && url.searchParams.has('delete')) {
        for (const [, found = ''] of body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)) objects.delete(found);
        response.writeHead(200, { 'content-type': 'application/xml' });
        return response.end('<DeleteResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"/>');
      }
      if (request.method === 'GET' && url.searchParams.get('list-type') === '2') {
        const prefix = url.searchParams.get('prefix') ?? '';
        const after = url.searchParams.get('continuation-token') ?? '';
        const hasFolders = url.searchParams.has('delimiter');
        const nameOf = (rest: string): string => (hasFolders ? /^[^/]*\//.exec(rest)?.[0] : undefined) ?? rest;
        const keys = [...objects.keys()].filter((one) => one.startsWith(prefix));
        const names = keys.map((one) => nameOf(one.slice(prefix.length)));
        // Two on a page, so that pages are turned.
        const left = [...new Set(names)].sort().filter((name) => name > after);
        const page = left.slice(0, Math.min(2, Number(url.searchParams.get('max-keys') ?? 2)));
        const isWhole = page.length === left.length;
        const next = isWhole ? '' : `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>`;
        const isEncoded = url.searchParams.get('encoding-type') === 'url';
        const encoded = (name: string): string =>
          isEncoded ? encodeURIComponent(prefix + name).replaceAll('%20', '+') : prefix + name;
        const list = page.map((name) =>
          hasFolders && name.endsWith('/')
            ? `<CommonPrefixes><Prefix>${encoded(name)}</Prefix></CommonPrefixes>`
            : `<Contents><Key>${encoded(name)}</Key><Size>${objects.get(prefix + name)?.length}</Size></Contents>`,
        );
        if (isEncoded) list.push('<EncodingType>url</EncodingType>');
        response.writeHead(200, { 'content-type': 'application/xml' });
        return response.end(
          `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${list.join('')}${next}</ListBucketResult>`,
        );
      }
      const found = ['GET', 'HEAD'].includes(request.method ?? '') ? objects.get(key) : undefined;
      if (!found) {
        response.writeHead(404, { 'content-type': 'application/xml' });
        return response.end(
          '<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>',
        );
      }
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      const part = first === undefined ? found : found.subarray(Number(first), Number(last) + 1);
      const { 'content-type': type = 'application/octet-stream', ...others } = about.get(key) ?? {};
      const own = Object.entries(others).filter(([name]) => name.startsWith('x-amz-meta-'));
      const headers = { ...Object.fromEntries(own), 'content-type': type, 'content-length': part.length };
      response.writeHead(first === undefined ? 200 : 206, headers);
      return response.end(request.method === 'HEAD' ? undefined : part);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stopLater({
    stop() {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the object store has no port');
  process.env.AWS_ACCESS_KEY_ID = 'test';
  process.env.AWS_SECRET_ACCESS_KEY = 'test';
  return {
    env: { OUTPUT_STORE: 's3', S3_BUCKET: bucket, S3_ENDPOINT: `http://127.0.0.1:${address.port}` },
    objects,
    uploads: uploads.unfinished,
    written,
    setDamaging(value) {
      isDamaging = value;
    },
    setAway(value) {
      isAway = value;
    },
    setRefusing(value) {
      isRefused = value;
    },
    setSilent(value) {
      isSilent = value;
      // Callers that wait for a response may ask again.
      if (!value) server.closeAllConnections();
    },
    unanswered: () => unanswered,
  };
}

/** Returns the key of `/bucket/key`, as copies name their source. */
function sourceKey(source: string): string {
  return decodeURIComponent(source.split('/').slice(2).join('/'));
}

/** The response to a request of an upload in parts, and the object that it has completed. */
interface UploadResponse {
  readonly status: number;
  readonly body?: string;
  readonly tag?: string;
  readonly object?: Buffer;
}

/** Creates the uploads in parts of a store. `respond` returns undefined for requests of anything else. */
function createUploads() {
  const parts = new Map<string, { readonly key: string; readonly parts: Map<number, Buffer> }>();
  const unfinished = () => new Map([...parts].map(([id, { key }]) => [key, id]));
  function respond(method: string, key: string, query: URLSearchParams, body: Buffer): UploadResponse | undefined {
    if (query.has('uploads') && method === 'POST') {
      const id = `upload-${parts.size}-${Date.now()}`;
      parts.set(id, { key, parts: new Map() });
      return {
        status: 200,
        body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      };
    }
    if (query.has('uploads')) {
      const prefix = query.get('prefix') ?? '';
      const found = [...parts].filter(([, upload]) => upload.key.startsWith(prefix));
      const list = found.map(([id, upload]) => `<Upload><Key>${upload.key}</Key><UploadId>${id}</UploadId></Upload>`);
      return { status: 200, body: `<ListMultipartUploadsResult>${list.join('')}</ListMultipartUploadsResult>` };
    }
    const id = query.get('uploadId');
    if (id === null) return undefined;
    const upload = parts.get(id);
    if (!upload) return { status: 404, body: '<Error><Code>NoSuchUpload</Code></Error>' };
    if (method === 'PUT') {
      const part = Number(query.get('partNumber'));
      upload.parts.set(part, body);
      return { status: 200, tag: `"${part}"` };
    }
    parts.delete(id);
    if (method === 'DELETE') return { status: 204 };
    const ordered = [...upload.parts].sort(([a], [b]) => a - b).map(([, bytes]) => bytes);
    const result = '<CompleteMultipartUploadResult><ETag>"done"</ETag></CompleteMultipartUploadResult>';
    return { status: 200, body: result, object: Buffer.concat(ordered) };
  }
  return { unfinished, respond };
}
