import { createServer } from 'node:http';
import { stopLater } from './cleanup.ts';

/** A server that speaks as much of S3 as is used: PUT, GET, lists of folders, and the deletion of several objects. */
export interface TestObjectStore {
  /** Settings that name it. */
  readonly env: Readonly<Record<string, string>>;
  /** Objects by key. */
  readonly objects: Map<string, Buffer>;
  /** Keys of the objects that were written, in order. */
  readonly written: readonly string[];
  /** Whether objects that are written from now on are damaged. */
  setDamaging(isDamaging: boolean): void;
  /** Whether it responds to everything with a 503. */
  setAway(isAway: boolean): void;
  /** Whether it accepts requests and never responds. */
  setSilent(isSilent: boolean): void;
  /** Requests that it accepted without a response. */
  unanswered(): number;
}

/** Starts one on a free port, and gives this process credentials for it, as the SDK reads them. */
export async function startTestObjectStore(): Promise<TestObjectStore> {
  const bucket = 'outputs';
  const objects = new Map<string, Buffer>();
  const written: string[] = [];
  let isDamaging = false;
  let isAway = false;
  let isSilent = false;
  let unanswered = 0;
  const server = createServer((request, response) => {
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
      if (name !== bucket || !(request.headers.authorization ?? '').startsWith('AWS4-HMAC-SHA256 ')) {
        return response.writeHead(403).end();
      }
      if (request.method === 'PUT') {
        objects.set(key, isDamaging ? body.subarray(1) : body);
        written.push(key);
        return response.writeHead(200).end();
      }
      if (request.method === 'POST' && url.searchParams.has('delete')) {
        for (const [, found = ''] of body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)) objects.delete(found);
        response.writeHead(200, { 'content-type': 'application/xml' });
        return response.end('<DeleteResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"/>');
      }
      if (request.method === 'GET' && url.searchParams.get('list-type') === '2') {
        const prefix = url.searchParams.get('prefix') ?? '';
        const after = url.searchParams.get('continuation-token') ?? '';
        const rests = [...objects.keys()]
          .filter((key) => key.startsWith(prefix))
          .map((key) => key.slice(prefix.length));
        const folders = [...new Set(rests.flatMap((rest) => /^[^/]*\//.exec(rest) ?? []))].sort();
        // Two on a page, so that pages are turned.
        const page = folders.filter((folder) => folder > after).slice(0, 2);
        const next = page.length === 2 ? `<NextContinuationToken>${page[1]}</NextContinuationToken>` : '';
        const list = page.map((folder) => `<CommonPrefixes><Prefix>${prefix}${folder}</Prefix></CommonPrefixes>`);
        response.writeHead(200, { 'content-type': 'application/xml' });
        return response.end(
          `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${list.join('')}${next}</ListBucketResult>`,
        );
      }
      const found = request.method === 'GET' ? objects.get(key) : undefined;
      if (!found) {
        response.writeHead(404, { 'content-type': 'application/xml' });
        return response.end(
          '<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>',
        );
      }
      return response.writeHead(200, { 'content-length': found.length }).end(found);
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
    written,
    setDamaging(value) {
      isDamaging = value;
    },
    setAway(value) {
      isAway = value;
    },
    setSilent(value) {
      isSilent = value;
      // Callers that wait for a response may ask again.
      if (!value) server.closeAllConnections();
    },
    unanswered: () => unanswered,
  };
}
