import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { type NodeContext, NodeError, type TrafficRequest } from '@deckhand/engine';
import { createMemoryFiles } from '@deckhand/testing/memory-files';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { stopAll } from '../../../../tests/harness/cleanup.ts';
import { NO_SERVICES, nodeContext } from '../../../../tests/harness/node-context.ts';
import { startTestObjectStore, type TestObjectStore } from '../../../../tests/harness/object-store.ts';
import { serve } from '../../../../tests/harness/serve.ts';
import { createHttpClient } from '../http/client.ts';
import node from './s3.ts';

const http = createHttpClient({ allowPrivate: true });
const files = createMemoryFiles();
const SECRET_ACCESS_KEY = 'very-secret-access-key';

let store: TestObjectStore;
let endpoint: string;

beforeAll(async () => {
  store = await startTestObjectStore();
  endpoint = store.env.S3_ENDPOINT ?? '';
});
beforeEach(() => {
  store.objects.clear();
});
afterAll(async () => {
  await http.close();
  await stopAll();
});

/** Runs a node, whose parts are tried three times. */
async function run(
  parameters: JsonObject,
  { to = endpoint, ...context }: Partial<NodeContext> & { to?: string } = {},
): Promise<JsonValue> {
  const secret = { accessKeyId: 'key', secretAccessKey: SECRET_ACCESS_KEY, endpoint: to, bucket: 'outputs' };
  const credential = () => Promise.resolve({ type: 's3' as const, secret });
  const services = { ...NO_SERVICES, http };
  const outcome = await node.run(
    parameters,
    nodeContext({ services, files, credential, retryPart: thrice, ...context }),
  );
  if (outcome.kind !== 'output') throw new Error(outcome.kind);
  return outcome.output;
}

async function thrice<T>(work: () => Promise<T>): Promise<T> {
  return work().catch(() => work().catch(() => work()));
}

const put = (key: string, text = key) => run({ operation: 'put', key, text });

describe('an s3 node', () => {
  it('puts a file and gets it again, with its type and name', async () => {
    const bytes = randomBytes(5_000);
    const file = await files.save([bytes], { name: 'a.pdf', contentType: 'application/pdf' });
    const key = "2026/it's (ü) +50% & more.pdf";
    const { etag, ...about } = Object(await run({ operation: 'put', key, file: { ...file } }));
    expect([about, etag]).toEqual([{ bucket: 'outputs', key, bytes: 5_000 }, expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(store.objects.get(key)?.equals(bytes)).toBe(true);
    const got = await run({ operation: 'get', key });
    expect(got).toEqual({ file: { ...file.file, name: "it's (ü) +50% & more.pdf" } });
  });

  it('puts a text, with the type of the end of its key', async () => {
    await put('orders/17.json', '{"total":"99,50 €"}');
    expect(store.objects.get('orders/17.json')?.toString()).toBe('{"total":"99,50 €"}');
    expect(await run({ operation: 'get', key: 'orders/17.json' })).toMatchObject({
      file: { contentType: 'application/json', name: '17.json' },
    });
  });

  it('lists keys, by folders if asked to, and continues a list', async () => {
    for (const key of ['a 1', 'a+2', 'b/1', 'b/2', 'c']) await put(key);
    const keysOf = (list: JsonValue) => Object(list).objects.map(({ key }: { key: string }) => key);
    const all = await run({ operation: 'list' });
    expect([keysOf(all), Object(all).next]).toEqual([['a 1', 'a+2', 'b/1', 'b/2', 'c'], null]);
    const first = Object(await run({ operation: 'list', limit: 3 }));
    expect(keysOf(first)).toEqual(['a 1', 'a+2', 'b/1']);
    const second = await run({ operation: 'list', continueFrom: first.next });
    expect([keysOf(second), Object(second).next]).toEqual([['b/2', 'c'], null]);
    expect(await run({ operation: 'list', prefix: 'b/' })).toMatchObject({ objects: [{ key: 'b/1', bytes: 3 }, {}] });
    const folded = await run({ operation: 'list', folders: true });
    expect([keysOf(folded), Object(folded).folders]).toEqual([['a 1', 'a+2', 'c'], ['b/']]);
  });

  it('copies, moves and deletes', async () => {
    await put('a/ä', 'text');
    await run({ operation: 'copy', key: 'a/ä', targetKey: 'copy' });
    expect(await run({ operation: 'move', key: 'a/ä', targetKey: 'moved' })).toMatchObject({ key: 'moved' });
    expect([...store.objects].map(([key, bytes]) => [key, bytes.toString()])).toEqual([
      ['copy', 'text'],
      ['moved', 'text'],
    ]);
    await run({ operation: 'delete', key: 'copy' });
    await run({ operation: 'delete', key: 'copy' });
    expect([...store.objects.keys()]).toEqual(['moved']);
  });

  it('replaces nothing if it must not, but finds what an earlier attempt has written', async () => {
    const once = { operation: 'put', key: 'once', text: 'mine', overwrite: false };
    await run(once, { idempotencyKey: 'run:node' });
    expect(await run(once, { idempotencyKey: 'run:node' })).toMatchObject({ key: 'once', bytes: 4 });
    await expect(run(once, { idempotencyKey: 'other:node' })).rejects.toMatchObject({
      code: 'S3_EXISTS',
      isRetryable: false,
    });
  });

  it('makes a link that needs no key', async () => {
    const { url, expiresAt } = Object(await run({ operation: 'link', key: 'a b', expiresInSeconds: 60 }));
    expect(url).toMatch(/\/outputs\/a%20b\?X-Amz-Algorithm=.*&X-Amz-Expires=60&.*&X-Amz-Signature=[0-9a-f]{64}$/);
    expect(expiresAt).toBe('2026-01-01T00:01:00.000Z');
  });

  it.each([
    [{ operation: 'get', key: '../other/secret' }, 'a key has a part that no URL can have'],
    [{ operation: 'get', key: 'a/./b' }, 'a key has a part that no URL can have'],
    [{ operation: 'get', key: '\ud800' }, 'a key has a part that no URL can have'],
    [{ operation: 'get' }, 'parameters.key is required'],
    [{ operation: 'put', key: 'a' }, 'parameters.file is required'],
    [{ operation: 'copy', key: 'a', targetKey: 'a' }, 'parameters.targetKey is that of the object'],
    [{ operation: 'get', key: 'a', bucket: 'evil.test/x' }, 'parameters.bucket must'],
  ])('refuses %j', async (parameters, message) => {
    await expect(run(parameters)).rejects.toMatchObject({
      code: 'PARAMETERS_INVALID',
      message: expect.stringContaining(message),
    });
  });
});

describe('a bucket', () => {
  const link = (secret: JsonObject, bucket: string) =>
    run(
      { operation: 'link', key: 'a', bucket },
      {
        credential: () =>
          Promise.resolve({ type: 's3', secret: { accessKeyId: 'key', secretAccessKey: 'secret', ...secret } }),
      },
    ).then((made) => String(Object(made).url).split('?')[0]);

  it.each([
    [{}, 'mine', 'https://mine.s3.us-east-1.amazonaws.com/a'],
    [{}, 'mine.too', 'https://s3.us-east-1.amazonaws.com/mine.too/a'],
    [{ pathStyle: true }, 'Mine', 'https://s3.us-east-1.amazonaws.com/Mine/a'],
    [{ endpoint: 'http://10.0.0.1:9000' }, 'mine', 'http://10.0.0.1:9000/mine/a'],
    [{ endpoint: 'http://store.test:9000', pathStyle: false }, 'mine', 'http://mine.store.test:9000/a'],
  ])('of %j named %s is at %#', async (secret, bucket, expected) => {
    expect(await link(secret, bucket)).toBe(expected);
  });

  it.each([
    [{}, 'Mine'],
    [{ endpoint: 'http://10.0.0.1:9000', pathStyle: false }, 'mine'],
    [{ endpoint: 'http://[::1]:9000', pathStyle: false }, 'mine'],
  ])('of %j named %s, which no host can have, is refused', async (secret, bucket) => {
    await expect(link(secret, bucket)).rejects.toMatchObject({ code: 'PARAMETERS_INVALID', isRetryable: false });
  });
});

describe('a large file', () => {
  /** Two parts of 16 MiB, and another one. */
  const LARGE = 33 * 1_048_576;

  async function putLarge(refused: (method: string, count: number) => boolean) {
    let parts = 0;
    store.setRefusing((method, key) => key === 'large' && refused(method, (parts += method === 'PUT' ? 1 : 0)));
    try {
      const file = await files.save([Buffer.alloc(LARGE, 7)], { name: 'large' });
      return await run({ operation: 'put', key: 'large', file: { ...file } });
    } finally {
      store.setRefusing(() => false);
    }
  }

  it('is sent in parts, each of which is tried again by itself', async () => {
    let sent = 0;
    const written = await putLarge((method, count) => {
      sent = count;
      return method === 'PUT' && count === 2;
    });
    expect(written).toMatchObject({ key: 'large', bytes: LARGE });
    expect(store.objects.get('large')?.length).toBe(LARGE);
    expect(sent).toBe(4);
  });

  it.each([
    ['that is there with its mark counts as written', true],
    ['is not written if another one of its length is there', false],
  ])('whose completed upload is unknown, and %s', async (_what, isOwn) => {
    const mark = 'x-amz-meta-deckhand-key';
    let begun: string | string[] | undefined;
    const { url } = await serve((request, response) => {
      const { method = '', url: path = '', headers } = request;
      request.resume().on('end', () => {
        if (path.includes('?uploads')) {
          begun = headers[mark];
          const id = '<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>';
          response.end(id);
        } else if (method === 'HEAD')
          response.writeHead(200, { 'content-length': LARGE, etag: '"done"', ...(isOwn && { [mark]: begun }) }).end();
        else if (method === 'POST') response.writeHead(404).end('<Error><Code>NoSuchUpload</Code></Error>');
        else response.setHeader('etag', '"part"').end();
      });
    });
    const file = await files.save([Buffer.alloc(LARGE, 7)], { name: 'large' });
    const written = run({ operation: 'put', key: 'large', file: { ...file } }, { to: url });
    if (isOwn) expect(await written).toMatchObject({ etag: 'done', bytes: LARGE });
    else await expect(written).rejects.toMatchObject({ code: 'S3_NOT_FOUND' });
  });

  it('leaves nothing behind when it fails', async () => {
    await expect(putLarge((method, count) => method === 'PUT' && count >= 2)).rejects.toMatchObject({
      code: 'S3_FAILED',
      isRetryable: false,
    });
    expect([store.objects.size, store.uploads().size]).toEqual([0, 0]);
  });
});

describe('a refusal', () => {
  const respond = (status: number, body: string, headers = {}): RequestListener => {
    return (_request, response) => response.writeHead(status, headers).end(body);
  };
  const error = (code: string): string =>
    `<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>no</Message></Error>`;

  it.each([
    [404, 'NoSuchKey', 'S3_NOT_FOUND', false],
    [404, 'NoSuchBucket', 'S3_NOT_FOUND', false],
    [403, 'AccessDenied', 'S3_FAILED', false],
    [403, 'RequestTimeTooSkewed', 'S3_FAILED', true],
    [400, 'RequestTimeout', 'S3_FAILED', true],
    [409, 'OperationAborted', 'S3_FAILED', true],
    [429, 'TooManyRequests', 'S3_FAILED', true],
    [500, 'InternalError', 'S3_FAILED', true],
    [501, 'NotImplemented', 'S3_FAILED', false],
    [503, 'SlowDown', 'S3_FAILED', true],
  ])('with %i %s fails with %s', async (status, code, expected, isRetryable) => {
    const { url } = await serve(respond(status, error(code)));
    await expect(run({ operation: 'get', key: 'a' }, { to: url })).rejects.toMatchObject({
      code: expected,
      isRetryable,
      message: `GET outputs/a: ${status} ${code} no`,
      details: { status, code },
    });
  });

  it('after a status of success is one', async () => {
    const { url } = await serve(respond(200, error('SlowDown')));
    const copy = run({ operation: 'copy', key: 'a', targetKey: 'b' }, { to: url });
    await expect(copy).rejects.toMatchObject({ code: 'S3_FAILED', isRetryable: true });
  });

  it.each([301, 307])('with the status %i is stored as no file', async (status) => {
    const { url } = await serve(respond(status, error('PermanentRedirect')));
    const unused = { ...files, save: () => Promise.reject(new Error('a file is stored')) };
    await expect(run({ operation: 'get', key: 'a' }, { to: url, files: unused })).rejects.toMatchObject({
      code: 'S3_FAILED',
      details: { status, code: 'PermanentRedirect' },
    });
  });

  it('names the region of the bucket', async () => {
    const { url } = await serve(respond(301, '', { 'x-amz-bucket-region': 'eu-west-1' }));
    const failed = run({ operation: 'list' }, { to: url });
    await expect(failed).rejects.toMatchObject({ message: expect.stringContaining('in the region eu-west-1') });
  });

  it.each([
    ['is not XML', 'nonsense'],
    ['is a page for people', '<html><body>Please sign in</body></html>'],
    ['has a document type', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
  ])('is a list that %s', async (_what, body) => {
    const { url } = await serve(respond(200, body));
    await expect(run({ operation: 'list' }, { to: url })).rejects.toMatchObject({ code: 'S3_FAILED' });
  });

  it('ends a list whose pages are empty and never end', async () => {
    const page = '<ListBucketResult><NextContinuationToken>more</NextContinuationToken></ListBucketResult>';
    const { url } = await serve(respond(200, page));
    expect(await run({ operation: 'list' }, { to: url })).toEqual({ objects: [], folders: [], next: 'more' });
  });

  it('never has the secret', async () => {
    const { url } = await serve((request, response) => {
      const said = `${request.headers.authorization ?? ''} ${error('SignatureDoesNotMatch')}`;
      response.writeHead(403).end(error('SignatureDoesNotMatch').replace('no<', `${said.slice(0, 50)}<`));
    });
    const failed: unknown = await run({ operation: 'get', key: 'a' }, { to: url }).catch((one: unknown) => one);
    expect(failed).toMatchObject({ code: 'S3_FAILED' });
    expect(JSON.stringify(failed) + String(failed)).not.toContain(SECRET_ACCESS_KEY);
  });

  it('comes from the limits of the credential', async () => {
    const secret = { accessKeyId: 'key', secretAccessKey: SECRET_ACCESS_KEY, endpoint, bucket: 'outputs' };
    const traffic = { credentialId: 'limited', rateLimit: null, circuit: { openSeconds: 5 } };
    const admitted: TrafficRequest[] = [];
    const admit = (request: TrafficRequest) => {
      admitted.push(request);
      return Promise.reject(new NodeError('CIRCUIT_OPEN', 'open'));
    };
    const failed = run(
      { operation: 'list' },
      {
        services: { ...NO_SERVICES, http, traffic: { admit } },
        credential: () => Promise.resolve({ type: 's3', secret, traffic }),
      },
    );
    await expect(failed).rejects.toMatchObject({ code: 'CIRCUIT_OPEN' });
    expect(admitted).toMatchObject([{ limits: traffic, host: new URL(endpoint).host, mayRest: true }]);
  });

  it('is one of the address rules', async () => {
    const guarded = createHttpClient({ allowPrivate: false });
    const failed = run({ operation: 'list' }, { services: { ...NO_SERVICES, http: guarded } });
    await expect(failed).rejects.toMatchObject({ code: 'ADDRESS_REFUSED', isRetryable: false });
    await guarded.close();
  });
});
