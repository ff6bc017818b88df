import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { isOutputStoreUnavailable, type ObjectStore, openS3 } from './object-store.js';

let server: Server | undefined;

/** A store that answers every request alike. */
async function openStore(listener: RequestListener, patienceMs = 5_000): Promise<ObjectStore> {
  process.env.AWS_ACCESS_KEY_ID = 'test';
  process.env.AWS_SECRET_ACCESS_KEY = 'test';
  const started = createServer(listener);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  const address = started.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return openS3({ bucket: 'b', endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', prefix: '' }, patienceMs);
}

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

describe('an object store that takes requests and answers none', () => {
  it('counts as away after a while', async () => {
    const store = await openStore(() => undefined, 300);
    for (const act of [() => store.put('k', Buffer.from('x')), () => store.get('k'), () => store.delete(['k'])]) {
      const error = await act().catch((thrown: unknown) => thrown);
      expect(isOutputStoreUnavailable(error)).toBe(true);
    }
    store.close();
  });
});

describe('an object that cannot be read', () => {
  const refused = (status: number, body: string) =>
    openStore((_request, response) => response.writeHead(status, { 'content-type': 'application/xml' }).end(body));

  it('is gone only when the store says that there is no such object', async () => {
    const store = await refused(404, '<Error><Code>NoSuchKey</Code><Message>gone</Message></Error>');
    expect(await store.get('k')).toBeUndefined();
    store.close();
  });

  it.each([
    [404, '<Error><Code>NoSuchBucket</Code><Message>wrong</Message></Error>'],
    [404, ''],
    [403, '<Error><Code>AccessDenied</Code><Message>no</Message></Error>'],
    [500, ''],
  ])('may be there the next time after any other refusal: %d %s', async (status, body) => {
    const store = await refused(status, body);
    const error = await store.get('k').catch((thrown: unknown) => thrown);
    expect(isOutputStoreUnavailable(error)).toBe(true);
    store.close();
  });
});
