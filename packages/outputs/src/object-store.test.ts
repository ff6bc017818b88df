import { createServer, type RequestListener, type Server } from 'node:http';
import { classifyStoreError, isStoreError } from '@deckhand/db';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ObjectStore, openS3 } from './object-store.ts';

let server: Server | undefined;
let store: ObjectStore | undefined;

beforeEach(() => {
  process.env.AWS_ACCESS_KEY_ID = 'test';
  process.env.AWS_SECRET_ACCESS_KEY = 'test';
});
afterEach(() => {
  store?.close();
  server?.closeAllConnections();
  server?.close();
});

async function openStore(listener: RequestListener, patienceMs?: number): Promise<ObjectStore> {
  const opened = createServer(listener);
  server = opened;
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  const address = opened.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  store = await openS3(
    { bucket: 'b', endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', prefix: '' },
    patienceMs,
  );
  return store;
}

const thrownBy = (act: Promise<unknown>): Promise<unknown> => act.catch((error: unknown) => error);

describe('an object store that takes requests and answers none', () => {
  it('counts as away after a while', async () => {
    const silent = await openStore(() => undefined, 300);
    for (const act of [() => silent.put('k', Buffer.from('x')), () => silent.get('k'), () => silent.delete(['k'])]) {
      const error = await thrownBy(act());
      expect([isStoreError(error), classifyStoreError(error)]).toEqual([true, 'transient']);
    }
  });
});

describe('an object that is shorter than it was', () => {
  it('has no bytes beyond its end, and no request for them is repeated', async () => {
    let requests = 0;
    const shorter = await openStore((_request, response) => {
      requests += 1;
      response.writeHead(416, { 'content-type': 'application/xml' });
      response.end('<Error><Code>InvalidRange</Code><Message>The requested range is not satisfiable</Message></Error>');
    });
    expect(await shorter.get('k', { first: 8, last: 15 })).toBeUndefined();
    expect(requests).toBe(1);
  });
});

describe('an error of the object store', () => {
  it.each([
    [404, '', 'deployment'],
    [400, 'EntityTooLarge', 'row'],
    [404, 'NoSuchBucket', 'deployment'],
    [404, 'NoSuchUpload', 'row'],
    [403, 'AccessDenied', 'deployment'],
    [403, 'InvalidAccessKeyId', 'deployment'],
    [401, '', 'deployment'],
    [403, 'RequestTimeTooSkewed', 'transient'],
    [400, 'RequestTimeout', 'transient'],
    [429, '', 'transient'],
    [500, 'InternalError', 'transient'],
    [503, 'SlowDown', 'transient'],
  ])('%i %s is of kind %s', async (status, code, kind) => {
    const refusing = await openStore((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(code === '' ? '' : `<?xml version="1.0"?><Error><Code>${code}</Code><Message>-</Message></Error>`);
    });
    expect(classifyStoreError(await thrownBy(refusing.get('k')))).toBe(kind);
  });

  it('is transient where nothing listens', async () => {
    const gone = await openStore(() => undefined);
    await new Promise((resolve) => server?.close(resolve));
    expect(classifyStoreError(await thrownBy(gone.get('k')))).toBe('transient');
  });
});

describe('an upload that was swept', () => {
  it('can never be completed, and its object does not exist', async () => {
    const requests: (string | undefined)[] = [];
    const swept = await openStore((request, response) => {
      requests.push(request.method);
      response.writeHead(404, { 'content-type': 'application/xml' });
      response.end(request.method === 'HEAD' ? '' : '<Error><Code>NoSuchUpload</Code><Message>-</Message></Error>');
    });
    const upload = { key: 'k', id: 'u' };
    expect(classifyStoreError(await thrownBy(swept.completeUpload(upload, ['t'])))).toBe('row');
    expect(classifyStoreError(await thrownBy(swept.uploadPart(upload, 1, Buffer.from('x'))))).toBe('row');
    expect(requests).toEqual(['POST', 'HEAD', 'PUT']);
  });
});

describe('an object that cannot be read', () => {
  it('is gone only when the store says that there is no such object', async () => {
    const refusing = await openStore((_request, response) => {
      response.writeHead(404, { 'content-type': 'application/xml' });
      response.end('<Error><Code>NoSuchKey</Code><Message>gone</Message></Error>');
    });
    expect(await refusing.get('k')).toBeUndefined();
  });
});
