import { afterAll, describe, expect, it } from '@jest/globals';
import type { HttpRequest } from '@deckhand/engine';
import type { RequestListener } from 'node:http';
import { stopAll } from '../../../../tests/harness/cleanup.ts';
import { type Echo, echoOf, serve } from '../../../../tests/harness/serve.ts';
import { createHttpClient } from './client.ts';

const client = createHttpClient({ allowPrivate: true });

afterAll(async () => {
  await client.close();
  await stopAll();
});

const send = (url: string, options: Partial<HttpRequest> = {}) =>
  client.request({
    method: 'GET',
    url,
    headers: {},
    body: undefined,
    followRedirects: true,
    maxResponseBytes: 1_000,
    signal: AbortSignal.timeout(10_000),
    ...options,
  });

/** Responds to `/to/<status>/<location>` with that redirect, and echoes other requests. */
const redirecting: RequestListener = (request, response) => {
  const [, status, location] = /^\/to\/(\d+)\/(.*)$/.exec(request.url ?? '') ?? [];
  if (status !== undefined && location !== undefined) {
    response.writeHead(Number(status), { location: decodeURIComponent(location) }).end('moved');
    return;
  }
  void echoOf(request).then((echo) => response.end(JSON.stringify(echo)));
};

const to = (status: number, location: string) => `/to/${status}/${encodeURIComponent(location)}`;

async function follow(url: string, options: Partial<HttpRequest> = {}): Promise<Echo> {
  const echo: unknown = JSON.parse(Buffer.from((await send(url, options)).body).toString());
  return echo as Echo;
}

const post = {
  method: 'POST',
  body: '{"a":1}',
  headers: {
    'content-type': 'application/json',
    'idempotency-key': 'run:send',
    authorization: 'Bearer secret',
    cookie: 'session=secret',
    'x-api-key': 'secret',
  },
};

describe('a redirect', () => {
  it.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [301, 'PUT', 'PUT', '{"a":1}'],
    [302, 'DELETE', 'DELETE', '{"a":1}'],
    [307, 'POST', 'POST', '{"a":1}'],
    [308, 'POST', 'POST', '{"a":1}'],
  ])('%i turns %s into %s', async (status, method, then, body) => {
    const { url } = await serve(redirecting);
    const echo = await follow(url + to(status, '/end'), { ...post, method });
    expect(echo).toMatchObject({ method: then, path: '/end', body });
    expect(echo.headers['content-type']).toBe(body === '' ? undefined : 'application/json');
    expect(echo.headers).toMatchObject({ authorization: 'Bearer secret', 'idempotency-key': 'run:send' });
  });

  it('to another origin leaves the credentials behind', async () => {
    const { url } = await serve(redirecting);
    const other = await serve(redirecting);
    const { headers, body } = await follow(url + to(307, `${other.url}/end`), post);
    expect(headers).toMatchObject({ 'idempotency-key': 'run:send', 'content-type': 'application/json' });
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('cookie');
    expect(headers).not.toHaveProperty('x-api-key');
    expect(body).toBe(post.body);
  });

  it('and back does not bring them back', async () => {
    const { url } = await serve(redirecting);
    const other = await serve(redirecting);
    const { headers } = await follow(url + to(307, other.url + to(307, `${url}/end`)), post);
    expect(headers).not.toHaveProperty('authorization');
  });

  it('with credentials in its address does not send them', async () => {
    const { url } = await serve(redirecting);
    const { headers } = await follow(url + to(302, url.replace('//', '//user:secret@') + '/end'));
    expect(headers).not.toHaveProperty('authorization');
  });

  it('is followed ten times, not more', async () => {
    const { url } = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end('there');
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    expect(Buffer.from((await send(`${url}/10`)).body).toString()).toBe('there');
    await expect(send(`${url}/11`)).rejects.toMatchObject({ code: 'HTTP_REQUEST_FAILED', isRetryable: false });
  });

  it.each(['file:///etc/passwd', 'ftp://example.com/', 'data:,x', 'javascript:1'])(
    'to what is not an http fails for good: %s',
    async (location) => {
      const { url } = await serve(redirecting);
      await expect(send(url + to(302, location))).rejects.toMatchObject({
        code: 'HTTP_REQUEST_FAILED',
        isRetryable: false,
      });
    },
  );

  it('is an answer like any other when it is not to be followed, or leads nowhere', async () => {
    const { url } = await serve(redirecting);
    const answer = await send(url + to(302, '/end'), { followRedirects: false });
    expect(answer).toMatchObject({ status: 302, headers: { location: '/end' } });
    const plain = await serve((_request, response) => response.writeHead(304).end());
    expect(await send(plain.url)).toMatchObject({ status: 304 });
  });

  it.each([
    ['UTF-8', Buffer.from('/größe?q=ä').toString('latin1')],
    ['Latin-1', '/größe?q=ä'],
    ['ASCII', '/gr%C3%B6%C3%9Fe?q=%C3%A4'],
  ])('to an address in %s is followed', async (_encoding, location) => {
    const { url } = await serve((request, response) => {
      if (request.url !== '/') void echoOf(request).then((echo) => response.end(JSON.stringify(echo)));
      else response.writeHead(302, { location }).end();
    });
    expect((await follow(`${url}/`)).path).toBe('/gr%C3%B6%C3%9Fe?q=%C3%A4');
  });

  describe('that sets cookies', () => {
    /** Redirects from each path to the next with its cookies, and responds with the last request. */
    const chain = (...setCookies: readonly (readonly string[])[]): RequestListener => {
      return (request, response) => {
        const step = Number(request.url?.slice(1) ?? 0);
        const cookies = setCookies[step];
        if (!cookies) void echoOf(request).then((echo) => response.end(JSON.stringify(echo)));
        else response.writeHead(302, { 'set-cookie': [...cookies], location: `/${step + 1}` }).end();
      };
    };

    it.each([
      ['is sent them', [['seen=1; Path=/', 'b=2; HttpOnly']], {}, 'seen=1; b=2'],
      ['is sent those of all before', [['a=1'], ['b=2']], {}, 'a=1; b=2'],
      ['beside those of the node, of which it replaces its own', [['a=new']], { cookie: 'a=old; c=3' }, 'c=3; a=new'],
      ['without those that it deletes', [['a=1'], ['a=; Max-Age=0']], {}, undefined],
      ['without those for other paths and hosts', [['a=1; Path=/else', 'b=1; Domain=other.test']], {}, undefined],
      ['without what is not a cookie', [['', ';;']], { cookie: 'c=3' }, 'c=3'],
    ])('%s', async (_what, setCookies, headers, cookie) => {
      const { url } = await serve(chain(...setCookies));
      expect((await follow(`${url}/0`, { headers })).headers.cookie).toBe(cookie);
    });

    it('to itself ends there', async () => {
      const { url } = await serve((request, response) => {
        if (request.headers.cookie === 'seen=1') response.end('in');
        else response.writeHead(302, { 'set-cookie': 'seen=1; Path=/', location: request.url }).end();
      });
      expect(Buffer.from((await send(url)).body).toString()).toBe('in');
    });

    it('on another host, does not show them there, nor to the next request', async () => {
      const other = await serve(redirecting);
      const { url } = await serve((_request, response) => {
        const location = `${other.url.replace('127.0.0.1', 'localhost')}/end`;
        response.writeHead(302, { 'set-cookie': 'a=1', location }).end();
      });
      expect((await follow(url)).headers).not.toHaveProperty('cookie');
      expect((await follow(other.url)).headers).not.toHaveProperty('cookie');
    });
  });

  it('with a large body of its own is followed', async () => {
    const { url } = await serve((request, response) => {
      if (request.url === '/end') response.end('there');
      else response.writeHead(302, { location: '/end' }).end(Buffer.alloc(1_000_000));
    });
    expect(Buffer.from((await send(url)).body).toString()).toBe('there');
  });
});
