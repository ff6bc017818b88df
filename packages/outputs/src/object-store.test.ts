import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { isOutputStoreUnavailable, openS3 } from './object-store.js';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

describe('an object store that takes requests and answers none', () => {
  it('counts as away after a while', async () => {
    process.env.AWS_ACCESS_KEY_ID = 'test';
    process.env.AWS_SECRET_ACCESS_KEY = 'test';
    const silent = createServer(() => undefined);
    server = silent;
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const store = await openS3(
      { bucket: 'b', endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', prefix: '' },
      300,
    );
    for (const act of [() => store.put('k', Buffer.from('x')), () => store.get('k'), () => store.delete(['k'])]) {
      const error = await act().catch((thrown: unknown) => thrown);
      expect(isOutputStoreUnavailable(error)).toBe(true);
    }
    store.close();
  });
});
