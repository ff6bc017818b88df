import { afterAll, describe, expect, it } from '@jest/globals';
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { Agent, request } from 'undici';
import { stopAll, stopLater } from '../../../../tests/harness/cleanup.ts';
import { serve } from '../../../../tests/harness/serve.ts';
import { createHttpClient, type HttpClientOptions } from './client.ts';
import { guardedConnector } from './dispatcher.ts';
import { ANY_ADDRESS, type Resolve } from '../network/addresses.ts';

const PUBLIC_LOOKUP: Resolve = (_hostname, _options, callback) => {
  callback(null, [{ address: '93.184.216.34', family: 4 }]);
};

afterAll(stopAll);

const send = async (url: string, options: HttpClientOptions) => {
  const client = createHttpClient(options);
  try {
    const answer = await client.request({
      method: 'POST',
      url,
      headers: {},
      body: 'sent',
      followRedirects: true,
      maxResponseBytes: 1_000,
      signal: AbortSignal.timeout(5_000),
    });
    return Buffer.from(answer.body).toString();
  } finally {
    await client.close();
  }
};

describe('a name that answers differently every time', () => {
  it('leads to the address that was checked, never to the private one that it names next', async () => {
    let hits = 0;
    const { port } = await serve((_request, response) => {
      hits += 1;
      response.setHeader('connection', 'close').end();
    });
    let lookups = 0;
    // The first of this machine's addresses stands for a public one, the second for a private one.
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

  /** A proxy that tunnels, and records its requests and the first bytes of each tunnel. */
  async function startTunnel() {
    const asked: string[] = [];
    const sent: Buffer[] = [];
    const proxy = createServer().on('connect', ({ url = '' }: IncomingMessage, caller: Duplex) => {
      asked.push(url);
      const { hostname, port } = new URL(`http://${url}`);
      const target = connect(Number(port), hostname, () => caller.write('HTTP/1.1 200 OK\r\n\r\n'));
      caller.once('data', (bytes: Buffer) => sent.push(bytes));
      caller.pipe(target).pipe(caller);
      for (const socket of [caller, target]) socket.on('error', () => caller.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    stopLater({ stop: () => new Promise((resolve) => proxy.close(() => resolve(undefined))) });
    const address = proxy.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
    return { asked, sent, url: `http://127.0.0.1:${address.port}` };
  }

  it('the address that was checked is the one that the proxy connects to, and the request names its host', async () => {
    const { asked, sent, url } = await startTunnel();
    const hosts: (string | undefined)[] = [];
    const target = await serve((request, response) => {
      hosts.push(request.headers.host);
      response.setHeader('connection', 'close').end('from the host');
    });
    let lookups = 0;
    const options: HttpClientOptions = {
      allowPrivate: false,
      proxy: { httpProxy: url },
      // Stands for a public address; the next lookup would return another one.
      rules: {
        isAllowed: (address) => address === '127.0.0.1',
        resolve(_hostname, _options, callback) {
          lookups += 1;
          callback(null, [{ address: lookups === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]);
        },
      },
    };
    expect(await send(`http://rebind.test:${target.port}/`, options)).toBe('from the host');
    expect({ asked, hosts, lookups }).toEqual({
      asked: [`127.0.0.1:${target.port}`],
      hosts: [`rebind.test:${target.port}`],
      lookups: 1,
    });
    await expect(send(`http://rebind.test:${target.port}/`, options)).rejects.toMatchObject({
      code: 'ADDRESS_REFUSED',
    });
    expect([asked.length, lookups]).toEqual([1, 2]);

    // For https, the name is in the first message of TLS, in plain text.
    lookups = 0;
    await expect(send(`https://rebind.test:${target.port}/`, options)).rejects.toMatchObject({
      code: 'HTTP_REQUEST_FAILED',
    });
    expect(asked[1]).toBe(`127.0.0.1:${target.port}`);
    expect(sent.at(-1)?.includes('rebind.test')).toBe(true);
  });

  it('a proxy that resolves names itself is asked for the name', async () => {
    const { asked, proxy } = await startProxy();
    const rules = { ...ANY_ADDRESS, resolve: PUBLIC_LOOKUP };
    const through = await send('http://name.test/path', {
      allowPrivate: false,
      proxy: { httpProxy: proxy.url, resolvesNames: true },
      rules,
    });
    expect([through, asked]).toEqual(['from the proxy', ['POST http://name.test/path']]);
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
