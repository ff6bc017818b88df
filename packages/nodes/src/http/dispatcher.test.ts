import { afterAll, describe, expect, it } from '@jest/globals';
import { Agent, request } from 'undici';
import { stopAll } from '../../../../tests/harness/cleanup.js';
import { serve } from '../../../../tests/harness/serve.js';
import { createHttpClient, type HttpClientOptions } from './client.js';
import { guardedConnector } from './dispatcher.js';

afterAll(stopAll);

const send = async (url: string, options: HttpClientOptions) => {
  const client = createHttpClient(options);
  const answer = await client
    .request({
      method: 'POST',
      url,
      headers: {},
      body: 'sent',
      followRedirects: true,
      maxResponseBytes: 1_000,
      signal: AbortSignal.timeout(5_000),
    })
    .finally(() => client.close());
  return Buffer.from(answer.body).toString();
};

describe('a name that answers differently every time', () => {
  it('leads to the address that was checked, never to the private one that it names next', async () => {
    let hits = 0;
    const { port } = await serve((_request, response) => {
      hits += 1;
      response.setHeader('connection', 'close').end();
    });
    let lookups = 0;
    // Of this machine's addresses the first stands for a public one, the second for a private one.
    const agent = new Agent({
      connect: guardedConnector({
        isAllowed: (address) => address === '127.0.0.1',
        resolve(_hostname, _options, callback) {
          lookups += 1;
          callback(null, [{ address: lookups === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]);
        },
      }),
    });
    const visit = () => request(`http://rebind.test:${port}/`, { dispatcher: agent });
    const { body } = await visit();
    await body.dump();
    expect({ hits, lookups }).toEqual({ hits: 1, lookups: 1 });
    await expect(visit()).rejects.toMatchObject({ code: 'ADDRESS_REFUSED' });
    expect({ hits, lookups }).toEqual({ hits: 1, lookups: 2 });
    await agent.close();
  });
});

describe('behind a proxy', () => {
  async function startProxy() {
    const asked: string[] = [];
    const proxy = await serve((incoming, response) => {
      asked.push(`${incoming.method} ${incoming.url}`);
      response.end('from the proxy');
    });
    return { asked, proxy };
  }

  it('a request goes through it, and one to a host that is excepted does not', async () => {
    const { asked, proxy } = await startProxy();
    const target = await serve((_request, response) => response.end('direct'));
    const through = await send('http://name.test/path?q=1', {
      allowPrivate: true,
      proxy: { httpProxy: proxy.url },
    });
    expect(through).toBe('from the proxy');
    expect(asked).toEqual(['POST http://name.test/path?q=1']);
    const direct = await send(target.url, {
      allowPrivate: true,
      proxy: { httpProxy: proxy.url, noProxy: '127.0.0.1' },
    });
    expect(direct).toBe('direct');
  });

  it.each(['http://127.0.0.1:9/', 'http://[::7f00:1]/', 'http://localhost/', 'https://10.0.0.1/'])(
    'a private address is refused before the proxy is asked: %s',
    async (url) => {
      const { asked, proxy } = await startProxy();
      const settings = { allowPrivate: false, proxy: { httpProxy: proxy.url, httpsProxy: proxy.url } };
      await expect(send(url, settings)).rejects.toMatchObject({ code: 'ADDRESS_REFUSED', isRetryable: false });
      expect(asked).toEqual([]);
    },
  );

  it('a private address is refused though the host is excepted', async () => {
    const settings = { allowPrivate: false, proxy: { httpProxy: 'http://127.0.0.1:9', noProxy: '*' } };
    await expect(send('http://127.0.0.1:9/', settings)).rejects.toMatchObject({ code: 'ADDRESS_REFUSED' });
  });
});
