import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { buildRequest } from './build-request.ts';
import { readApi } from './read-api.ts';

/** Reads the one operation of a document. */
function operationOf(path: string, operation: JsonObject, rest: JsonObject = {}) {
  const document = {
    openapi: '3.1.0',
    servers: [{ url: 'https://api.example.com/v1/' }],
    paths: { [path]: { post: operation } },
    ...rest,
  };
  const read = readApi(document).read(`POST ${path}`);
  if (!read) throw new Error('no operation');
  return read;
}

function parameter(name: string, place: string, further: JsonObject = {}): JsonObject {
  return { name, in: place, schema: {}, ...further };
}

function bodyOf(contentType: string, media: JsonObject = {}): JsonObject {
  return { requestBody: { content: { [contentType]: { schema: {}, ...media } } } };
}

describe('the request of an operation', () => {
  it('has its parameters where the document says', () => {
    const operation = operationOf('/repos/{owner}/issues', {
      parameters: [
        parameter('owner', 'path'),
        parameter('state', 'query'),
        parameter('filter', 'query', { style: 'deepObject', explode: true }),
        parameter('where', 'query', { schema: undefined as never, content: { 'application/json': { schema: {} } } }),
        parameter('X-Trace', 'header'),
        parameter('Authorization', 'header'),
        parameter('session', 'cookie'),
      ],
      ...bodyOf('application/json'),
    });
    const values = {
      path: { owner: 'a/b c' },
      query: { state: ['open', 'closed'], filter: { id: 1 }, where: { a: [1] } },
      header: { 'X-Trace': ['1', '2'] },
      cookie: { session: 'x;y' },
      body: { title: 'Hello' },
    };
    expect(buildRequest(operation, values)).toEqual({
      method: 'POST',
      url: 'https://api.example.com/v1/repos/a%2Fb%20c/issues?state=open&state=closed&filter%5Bid%5D=1&where=%7B%22a%22%3A%5B1%5D%7D',
      headers: { 'X-Trace': '1,2', cookie: 'session=x%3By', 'content-type': 'application/json' },
      body: { title: 'Hello' },
    });
    expect(operation.parameters.map(({ name }) => name)).not.toContain('Authorization');
  });

  it.each([
    ['/#Action=List', 'https://api.example.com/v1/?a=1'],
    ['/list?kind=b', 'https://api.example.com/v1/list?kind=b&a=1'],
    ['/{id}?kind=b#c', 'https://api.example.com/v1/x%23%3F?kind=b&a=1'],
  ])('has its query also after the path %s', (path, url) => {
    const operation = operationOf(path, { parameters: [parameter('a', 'query')] });
    expect(buildRequest(operation, { path: { id: 'x#?' }, query: { a: 1 } }).url).toBe(url);
  });

  it.each<[string, string, JsonObject, JsonValue, JsonValue]>([
    ['a text', 'application/json', {}, 'a', '"a"'],
    [
      'a form',
      'application/x-www-form-urlencoded',
      {},
      { a: 'x y+', b: [1, 2], c: { d: '&' }, e: null },
      'a=x+y%2B&b=1&b=2&c=%7B%22d%22%3A%22%26%22%7D',
    ],
    [
      'a form with encodings',
      'application/x-www-form-urlencoded',
      { encoding: { a: { style: 'deepObject', explode: true }, b: { explode: false } } },
      { a: { b: { c: 1 } }, b: [1, 2] },
      'a%5Bb%5D%5Bc%5D=1&b=1,2',
    ],
    ['a form in parts', 'multipart/form-data', {}, { a: { b: 1 }, c: [1, 2], d: null }, { a: { b: 1 }, c: [1, 2] }],
    [
      'a form in parts with encodings',
      'multipart/form-data',
      { encoding: { a: { style: 'deepObject', explode: true } } },
      { a: { b: 1, c: 2 } },
      { 'a[b]': '1', 'a[c]': '2' },
    ],
    ['a plain text', 'text/plain', {}, 'a', 'a'],
  ])('has %s as its body', (_name, contentType, media, body, expected) => {
    const request = buildRequest(operationOf('/a', bodyOf(contentType, media)), { body });
    expect(request.headers).toEqual({ 'content-type': contentType });
    expect(request.body).toEqual(expected);
  });

  it('has a form in parts of very many members', () => {
    const body = Object.fromEntries(Array.from({ length: 200_000 }, (_, n) => [`m${n}`, n]));
    const request = buildRequest(operationOf('/a', bodyOf('multipart/form-data')), { body });
    expect(Object.keys(request.body ?? {})).toHaveLength(200_000);
  });

  it('has the example of a form of the specification', () => {
    const address = { streetAddress: '123 Example Dr.', city: 'Somewhere', state: 'CA', zip: '99999+1234' };
    const body = { id: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6', address };
    const request = buildRequest(operationOf('/a', bodyOf('application/x-www-form-urlencoded')), { body });
    // The specification leaves the colon and the comma as they are, which means the same.
    expect(JSON.stringify(request.body).replaceAll('%3A', ':').replaceAll('%2C', ',')).toBe(
      '"id=f81d4fae-7dec-11d0-a765-00a0c91e6bf6&address=%7B%22streetAddress%22:%22123+Example+Dr.%22,%22city%22:%22Somewhere%22,%22state%22:%22CA%22,%22zip%22:%2299999%2B1234%22%7D"',
    );
  });
});

describe('a value cannot change', () => {
  it.each(['.', '..', '%2e%2e', '.%2E'])('the path, as %s would', (owner) => {
    const operation = operationOf('/users/{owner}/keys', {});
    const built = () => new URL(buildRequest(operation, { path: { owner } }).url).pathname;
    // A percent sign in a value is encoded itself.
    if (owner.includes('%')) expect(built()).toMatch(/^\/v1\/users\/[^/]+\/keys$/);
    else expect(built).toThrow('must not be . or ..');
  });

  it('the path by two values of one step', () => {
    const operation = operationOf('/users/{a}{b}/keys', {});
    expect(() => buildRequest(operation, { path: { a: '.', b: '.' } })).toThrow('must not be . or ..');
  });

  it('the path by an empty value', () => {
    expect(() => buildRequest(operationOf('/users/{a}', {}), { path: { a: '' } })).toThrow('must not be empty');
  });

  it.each(['evil.example/', 'evil.example?', 'evil.example#', 'user@evil.example', 'a\\b', '..', ''])(
    'the server, as %s would',
    (shop) => {
      const operation = operationOf('/a', {}, { servers: [{ url: 'https://{shop}.example.com', variables: {} }] });
      expect(() => buildRequest(operation, { server: { shop } })).toThrow('may only have');
    },
  );

  it('more than the address of a document without one', () => {
    const operation = operationOf('/a', {}, { servers: [{ url: '/v2' }] });
    const urlAt = (baseUrl: string): string => buildRequest(operation, { server: { baseUrl } }).url;
    expect(urlAt('https://api.example.com/base/')).toBe('https://api.example.com/base/v2/a');
    for (const baseUrl of ['file:///etc', 'https://api.example.com?x=', 'https://api.example.com#', 'x'])
      expect(() => urlAt(baseUrl)).toThrow('is not an http or https address without a query');
  });
});

describe('a variable of a server', () => {
  const urlOf = (url: string, variables: JsonObject, server: JsonObject): string =>
    buildRequest(operationOf('/a', {}, { servers: [{ url, variables }] }), { server }).url;
  const baseUrl = 'https://api.example.com/';
  const basePath = { default: '/sell/v1' };

  it.each<[string, string, string]>([
    ['{baseUrl}/{tenant}', '../../admin', 'may only have'],
    ['{baseUrl}/{tenant}', 'a/b', 'may only have'],
    ['{baseUrl}{tenant}', '@evil.example', 'must start with /'],
    ['{baseUrl}{tenant}', '.evil.example', 'must start with /'],
    ['{baseUrl}{tenant}', '/..', 'may only have'],
  ])('after the address of %s has no %s', (url, tenant, message) => {
    expect(() => urlOf(url, {}, { baseUrl, tenant })).toThrow(message);
  });

  it('may follow an address', () => {
    expect(urlOf('{baseUrl}/{tenant}', {}, { baseUrl, tenant: 'b' })).toBe('https://api.example.com/b/a');
    expect(urlOf('{baseUrl}/{base}', { base: { default: 'b/c' } }, { baseUrl })).toBe('https://api.example.com/b/c/a');
  });

  it('may be a path right after the host if its default is one', () => {
    expect(urlOf('https://api.example.com{basePath}', { basePath }, {})).toBe('https://api.example.com/sell/v1/a');
    expect(urlOf('https://api.example.com{basePath}', { basePath }, { basePath: '/b' })).toBe(
      'https://api.example.com/b/a',
    );
    for (const value of ['.evil.example/', '@evil.example', ':1', '/@evil', '/../b'])
      expect(() => urlOf('https://api.example.com{basePath}', { basePath }, { basePath: value })).toThrow(
        /^must start|^may only/,
      );
  });
});

it('variables of a server have their defaults, and paths where those have one', () => {
  const operation = operationOf(
    '/a',
    {},
    {
      servers: [
        {
          url: 'https://{shop}.example.com/{base}',
          variables: { shop: { default: 'main' }, base: { default: 'api/v2' } },
        },
      ],
    },
  );
  expect(buildRequest(operation, {}).url).toBe('https://main.example.com/api/v2/a');
  expect(buildRequest(operation, { server: { shop: 'other', base: 'api/v3' } }).url).toBe(
    'https://other.example.com/api/v3/a',
  );
  expect(() => buildRequest(operation, { server: { base: 'api/../x' } })).toThrow('may only have');
});
