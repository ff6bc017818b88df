import { afterAll, describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '@deckhand/contracts';
import type { NodeContext } from '@deckhand/engine';
import type { IncomingMessage } from 'node:http';
import { stopAll } from '../../../../tests/harness/cleanup.ts';
import { edges, runInMemory } from '../../../../tests/harness/engine.ts';
import { NO_SERVICES, nodeContext } from '../../../../tests/harness/node-context.ts';
import { serve } from '../../../../tests/harness/serve.ts';
import node from '../types/http.ts';
import { createHttpClient } from './client.ts';

const http = createHttpClient({ allowPrivate: true });

afterAll(async () => {
  await http.close();
  await stopAll();
});

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: JsonValue;
}

/** A server whose pages depend on the query; `requests` are those that it got. */
async function api(answer: (query: URLSearchParams, url: string) => Answer) {
  const requests: IncomingMessage[] = [];
  const { url } = await serve((request, response) => {
    requests.push(request);
    const { status = 200, headers = {}, body } = answer(new URL(request.url ?? '', 'http://a').searchParams, url);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  return { url: `${url}/list`, requests, paths: () => requests.map((request) => request.url) };
}

const run = async (parameters: JsonObject, context: Partial<NodeContext> = {}) =>
  node.run(parameters, nodeContext({ services: { ...NO_SERVICES, http }, ...context }));

/** Lists of two numbers from an offset, up to five. */
const numbers = (from: number): number[] => [1, 2, 3, 4, 5].slice(from, from + 2);

describe('pagination', () => {
  it('follows the Link header, relative or not, up to the page without a next one', async () => {
    const { url, paths } = await api((query, base) => {
      const page = Number(query.get('page') ?? 1);
      const target = page === 1 ? '?page=2' : `${base}/list?page=3`;
      return { body: page, ...(page < 3 && { headers: { link: `<${target}>; rel="next"` } }) };
    });
    expect(await run({ url, pagination: { mode: 'link' } })).toMatchObject({
      output: [1, 2, 3].map((body) => ({ status: 200, body })),
    });
    expect(paths()).toEqual(['/list', '/list?page=2', '/list?page=3']);
  });

  it('counts pages up to one without items, and gives one list of all items', async () => {
    const { url, paths } = await api((query) => ({
      body: { data: { list: numbers(2 * Number(query.get('p')) - 2) } },
    }));
    const pagination = { mode: 'page', parameter: 'p', items: 'data.list', output: 'items' };
    expect(await run({ url, query: { a: 1 }, pagination })).toMatchObject({ output: [1, 2, 3, 4, 5] });
    expect(paths()).toEqual([1, 2, 3, 4].map((page) => `/list?a=1&p=${page}`));
  });

  it('counts offsets by the items of each page', async () => {
    const { url, paths } = await api((query) => ({ body: numbers(Number(query.get('offset'))) }));
    expect(await run({ url, pagination: { mode: 'offset', output: 'items' } })).toMatchObject({
      output: [1, 2, 3, 4, 5],
    });
    expect(paths()).toEqual([0, 2, 4, 5].map((offset) => `/list?offset=${offset}`));
  });

  it.each([
    ['offset', { mode: 'offset', parameter: '$skip' }, '&%24skip=0', '&%24skip=2'],
    ['next', { mode: 'next' }, '', '&cursor=2'],
  ])(
    'leaves the query as it was written, apart from its own parameter: %s',
    async (_mode, pagination, first, second) => {
      const { url, paths } = await api((query) => ({
        body: query.has('cursor') ? [] : numbers(Number(query.get('$skip'))),
      }));
      const written = "?$filter=name%20eq%20'a'&f[]=1&f[]=2&a=x+y&flag&empty=&t=%c3%a4";
      const next = (page: JsonValue) => (JSON.stringify(page).includes('[]') ? null : { cursor: 2, gone: null });
      await run({ url: url + written, pagination }, { deferred: next });
      const sent = written.replaceAll("'", '%27');
      expect(paths().slice(0, 2)).toEqual([`/list${sent}${first}`, `/list${sent}${second}`]);
    },
  );

  it('replaces its parameter where it stands, once, and removes one that is null', async () => {
    const { url, paths } = await api((query) => ({ body: query.get('page') === '2' ? [] : [1] }));
    await run({ url: `${url}?a=%20&page=7&b=1&p%61ge=8&c=+`, pagination: { mode: 'page' } });
    expect(paths()).toEqual(['/list?a=%20&page=1&b=1&c=+', '/list?a=%20&page=2&b=1&c=+']);
    const removing = await api(() => ({ body: [] }));
    const seen: JsonValue[] = [{ gone: null, more: true }, null];
    const parameters = { url: `${removing.url}?gone=1&kept=%20`, pagination: { mode: 'next' } };
    await run(parameters, { deferred: () => seen.shift() ?? null });
    expect(removing.paths()).toEqual(['/list?gone=1&kept=%20', '/list?kept=%20&more=true']);
  });

  it('follows an expression on the response: query parameters, or a URL', async () => {
    const { url, paths } = await api((query) => {
      const at = Number(query.get('cursor') ?? 0);
      return { body: { list: numbers(at), next: at + 2 < 5 ? at + 2 : null } };
    });
    const end = async (next: string) => {
      const parameters = {
        url,
        query: { size: 2 },
        pagination: { mode: 'next', next, items: 'list', output: 'items' },
      };
      const { last, ending } = await runInMemory(
        {
          nodes: [
            { id: 'start', type: 'trigger.manual' },
            { id: 'read', type: 'http', parameters },
          ],
          edges: edges('start -> read'),
        },
        { services: { http } },
      );
      expect(ending.kind).toBe('success');
      return last.get('read/')?.output;
    };
    const condition = '$response.body.next == null ? null : ';
    expect(await end(`{{ ${condition}{ cursor: $response.body.next } }}`)).toEqual([1, 2, 3, 4, 5]);
    expect(await end(`{{ ${condition}'?cursor=' + $response.body.next }}`)).toEqual([1, 2, 3, 4, 5]);
    expect(paths().slice(0, 3)).toEqual(['/list?size=2', '/list?size=2&cursor=2', '/list?size=2&cursor=4']);
  });

  it('tries a page again that failed, and not those before it', async () => {
    let answers = 0;
    const { url, paths } = await api((query) => {
      answers += 1;
      // Every second response is a refusal, as of an API that allows fewer requests.
      if (answers % 2 === 0) return { status: 429, body: 'x'.repeat(900), headers: { 'retry-after': '1' } };
      return { body: numbers(Number(query.get('offset'))) };
    });
    const read = async (retry: object) => {
      const pagination = { mode: 'offset', output: 'items' };
      const nodes = [
        { id: 'start', type: 'trigger.manual' },
        { id: 'read', type: 'http', parameters: { url, pagination, maxResponseBytes: 1_000 }, ...retry },
      ];
      const { last } = await runInMemory({ nodes, edges: edges('start -> read') }, { services: { http } });
      return last.get('read/');
    };
    expect(await read({ retry: { maxAttempts: 2, delayMs: 1 } })).toMatchObject({
      output: [1, 2, 3, 4, 5],
      attempts: 1,
    });
    expect(paths().map((path) => /\d$/.exec(path ?? '')?.[0])).toEqual(['0', '2', '2', '4', '4', '5', '5']);
    answers = 0;
    expect(await read({})).toMatchObject({ status: 'failed', error: { code: 'HTTP_STATUS' } });
  });

  it('fails the node once a page has failed as often as retry allows', async () => {
    const { url, requests } = await api((query) =>
      query.get('page') === '2' ? { status: 503, body: 'down' } : { body: [1] },
    );
    const parameters = { url, pagination: { mode: 'page' } };
    const nodes = [
      { id: 'start', type: 'trigger.manual' },
      { id: 'read', type: 'http', parameters, retry: { maxAttempts: 3, delayMs: 1 } },
    ];
    const { last } = await runInMemory({ nodes, edges: edges('start -> read') }, { services: { http } });
    expect(last.get('read/')).toMatchObject({ status: 'failed', attempts: 1, error: { code: 'HTTP_STATUS' } });
    expect(requests).toHaveLength(4);
  });

  it('leaves the cursor of the first page out, which is missing', async () => {
    const { url, paths } = await api((query) => ({ body: { next: query.has('cursor') ? null : 'c2' } }));
    const query = { cursor: '{{ $loop.previous?.body.next }}' };
    const nodes = [
      { id: 'start', type: 'trigger.manual' },
      {
        id: 'each',
        type: 'loop',
        parameters: { mode: 'while', condition: '{{ $loop.index === 0 || $loop.previous.body.next !== null }}' },
      },
      { id: 'page', type: 'http', parameters: { url, query } },
    ];
    const definition = { nodes, edges: edges('start -> each', 'each.body -> page') };
    expect((await runInMemory(definition, { services: { http } })).ending.kind).toBe('success');
    expect(paths()).toEqual(['/list', '/list?cursor=c2']);
  });

  it('sends each page the same credential, and an idempotency key of its own', async () => {
    const { url, requests } = await api((query) => ({ body: query.get('page') === '3' ? [] : [1] }));
    const credential = { type: 'bearer', secret: { token: 'secret' } } as const;
    await run({ url, pagination: { mode: 'page' } }, { credential: () => Promise.resolve(credential) });
    expect(requests.map(({ headers }) => [headers.authorization, headers['idempotency-key']])).toEqual([
      ['Bearer secret', 'run:node'],
      ['Bearer secret', 'run:node:page1'],
      ['Bearer secret', 'run:node:page2'],
    ]);
  });
});

describe('pages that never end, or lead elsewhere,', () => {
  const always = () => api(() => ({ body: ['x'.repeat(100)], headers: { link: '</list?again>; rel=next' } }));

  it('fail the node after maxPages', async () => {
    const { url, requests } = await always();
    await expect(run({ url, pagination: { mode: 'link', maxPages: 3 } })).rejects.toMatchObject({
      code: 'HTTP_TOO_MANY_PAGES',
      isRetryable: false,
    });
    expect(requests).toHaveLength(3);
    const exact = await api((query) => ({ body: query.get('page') === '3' ? [] : [1] }));
    expect(await run({ url: exact.url, pagination: { mode: 'page', maxPages: 3 } })).toMatchObject({ kind: 'output' });
  });

  it('fail the node when all together are too long', async () => {
    const { url, requests } = await always();
    await expect(run({ url, maxResponseBytes: 250, pagination: { mode: 'link' } })).rejects.toMatchObject({
      code: 'RESPONSE_TOO_LARGE',
    });
    expect(requests).toHaveLength(3);
  });

  it('get no request at another origin', async () => {
    const other = await always();
    const invalid = { code: 'HTTP_NEXT_PAGE_INVALID', isRetryable: false };
    const leading = await api(() => ({ body: [], headers: { link: `<${other.url}>; rel=next` } }));
    await expect(run({ url: leading.url, pagination: { mode: 'link' } })).rejects.toMatchObject(invalid);
    for (const next of [other.url, 'http://[', 5, ['a']]) {
      const parameters = { url: leading.url, pagination: { mode: 'next' } };
      await expect(run(parameters, { deferred: () => next })).rejects.toMatchObject(invalid);
    }
    expect(other.requests).toEqual([]);
  });

  it('fail the node when their items are not a list', async () => {
    const { url } = await api(() => ({ body: { data: 1 } }));
    const failure = { code: 'HTTP_RESPONSE_INVALID', message: 'pagination.items: data of a page is not a list' };
    await expect(run({ url, pagination: { mode: 'page', items: 'data' } })).rejects.toMatchObject(failure);
  });

  it('begin again from the first when the node is retried', async () => {
    let calls = 0;
    const { url } = await serve((request, response) => {
      calls += 1;
      const status = calls === 2 ? 503 : 200;
      response.writeHead(status, { 'content-type': 'application/json' }).end(calls > 3 ? '[]' : '[1]');
    });
    const pagination = { mode: 'page' };
    await expect(run({ url, pagination })).rejects.toMatchObject({ code: 'HTTP_STATUS', isRetryable: true });
    expect(await run({ url, pagination })).toMatchObject({ output: [{ body: [1] }, { body: [] }] });
  });
});

describe('saving pagination', () => {
  it('refuses a next without its mode, and the mode without it', () => {
    const url = 'https://a.example';
    expect(node.check?.({ url, pagination: { mode: 'next' } })).toMatchObject([{ path: 'pagination.next' }]);
    expect(node.check?.({ url, pagination: { mode: 'link', next: 'a' } })).toMatchObject([{ path: 'pagination.next' }]);
    expect(node.check?.({ url, pagination: { mode: 'next', next: '{{ $response.body.next }}' } })).toEqual([]);
    expect(node.validate({ url, pagination: { mode: 'all' } })).toMatchObject([{ path: 'pagination.mode' }]);
  });

  it('in sandbox mode gives a list', async () => {
    const sandbox = nodeContext({ mode: 'sandbox' });
    const url = 'http://127.0.0.1:9/';
    const output = async (pagination: JsonObject) => node.run({ url, pagination }, sandbox);
    expect(await output({ mode: 'link' })).toMatchObject({ output: [{ status: 200, body: {} }] });
    expect(await output({ mode: 'link', output: 'items' })).toMatchObject({ output: [] });
  });
});
