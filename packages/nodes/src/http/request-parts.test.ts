import { describe, expect, it } from '@jest/globals';
import { inlineFileOf, type JsonValue } from '@deckhand/contracts';
import { createMemoryFiles } from '@deckhand/testing/memory-files';
import { requestBody, requestHeaders, requestUrl } from './request-parts.ts';

const files = createMemoryFiles();

const refused = (field: string) =>
  expect.objectContaining({
    code: 'PARAMETERS_INVALID',
    isRetryable: false,
    message: expect.stringContaining(`parameters.${field} `),
  });

describe('the address', () => {
  it('has the query added to its own, which stays as it was written', () => {
    const query = { q: 'a b&c', page: 2, tag: ['x', 'y'], on: true };
    expect(requestUrl('http://a.test/p?signed=%20a%2f#part', query).url.search).toBe(
      '?signed=%20a%2f&q=a+b%26c&page=2&tag=x&tag=y&on=true',
    );
    expect(requestUrl('http://a.test/p', { q: 1 }).url.href).toBe('http://a.test/p?q=1');
    expect(requestUrl('http://a.test/p?').url.href).toBe('http://a.test/p?');
  });

  it('leaves out values that are null', () => {
    const query = { a: null, b: [null, 1, null], c: [null], d: '', e: false, f: 0 };
    expect(requestUrl('http://a.test/', query).url.search).toBe('?b=1&d=&e=false&f=0');
    expect(requestUrl('http://a.test/', { a: null }).url.href).toBe('http://a.test/');
  });

  it.each([
    ['http://user:p%40ss@a.test/', 'user:p@ss'],
    ['http://user@a.test/', 'user:'],
    ['http://100%:x@a.test/', '100%:x'],
  ])('gives up its credentials as Basic authentication: %s', (text, credentials) => {
    const { url, authorization } = requestUrl(text);
    expect(url.href).toBe('http://a.test/');
    expect(authorization).toBe(`Basic ${Buffer.from(credentials).toString('base64')}`);
  });

  it.each(['example.com/a', '/a', 'file:///etc/passwd', 'ftp://example.com/', 'http://', ''])(
    'is refused unless it is absolute, http or https: %p',
    (text) => {
      expect(() => requestUrl(text)).toThrow(refused('url'));
    },
  );
});

describe('the headers', () => {
  const defaults = { idempotencyKey: 'run:node', authorization: 'Basic eA==' };

  it('are the defaults, where nothing else is given', () => {
    const headers = requestHeaders({ 'Idempotency-Key': 'mine', AUTHORIZATION: 'Bearer mine', 'x-n': 1 }, defaults);
    expect(Object.fromEntries(headers)).toMatchObject({
      'idempotency-key': 'mine',
      authorization: 'Bearer mine',
      'x-n': '1',
    });
    expect(Object.fromEntries(requestHeaders({}, defaults))).toMatchObject({
      'idempotency-key': 'run:node',
      authorization: 'Basic eA==',
    });
  });

  it('are left out when they are null', () => {
    const headers = Object.fromEntries(requestHeaders({ 'x-a': null, accept: null, connection: null }, defaults));
    expect(headers).toMatchObject({ accept: '*/*' });
    expect(headers).not.toHaveProperty('x-a');
  });

  it.each([
    ['a', 'b\r\nc: d'],
    ['a b', 'c'],
    ['', 'c'],
    ['a', '🙂'],
    ['Transfer-Encoding', 'chunked'],
    ['content-length', 5],
    ['Connection', 'close'],
    ['Proxy-Connection', 'keep-alive'],
  ])('are refused when they cannot be sent: %p', (name, value) => {
    expect(() => requestHeaders({ [name]: value }, defaults)).toThrow(refused(`headers.${name}`));
  });
});

describe('a header that belongs to the connection', () => {
  const parts = { idempotencyKey: 'run:node', authorization: undefined };

  it.each([
    'Host',
    'content-length',
    'Transfer-Encoding',
    'connection',
    'te',
    'upgrade',
    'trailer',
    'expect',
    'proxy-x',
  ])('has neither an idempotency key nor a secret: %s', (name) => {
    const message = new RegExp(`${name} belongs to the connection$`);
    expect(() => requestHeaders({}, { ...parts, idempotencyHeader: name })).toThrow(message);
    expect(() => requestHeaders({}, { ...parts, secret: { name, value: 's' } })).toThrow(message);
  });
});

describe('the body', () => {
  const form = 'application/x-www-form-urlencoded';

  it.each<[string, JsonValue | undefined, string | null, string | undefined, string | null]>([
    ['an object as JSON', { a: [1] }, null, '{"a":[1]}', 'application/json'],
    ['a list as JSON', [1, 'b'], null, '[1,"b"]', 'application/json'],
    ['a number as JSON', 0, null, '0', 'application/json'],
    ['false as JSON', false, null, 'false', 'application/json'],
    ['JSON under its own name', { a: 1 }, 'application/vnd.api+json', '{"a":1}', 'application/vnd.api+json'],
    ['a string as it is', '<a/>', 'application/xml', '<a/>', 'application/xml'],
    ['a string without a type', 'plain', null, 'plain', null],
    ['nothing for null', null, null, undefined, null],
    ['nothing for nothing', undefined, null, undefined, null],
    ['fields as a form', { a: 'x y', b: 'ü&', c: true }, form, 'a=x+y&b=%C3%BC%26&c=true', form],
    ['lists in a form', { a: [1, '2'], b: [] }, form, 'a=1&a=2', form],
    [
      'objects and null in a form',
      { a: { b: 1 }, c: null },
      `${form}; charset=utf-8`,
      'a=%7B%22b%22%3A1%7D&c=',
      `${form}; charset=utf-8`,
    ],
    ['a form that is written already', 'a=1', form, 'a=1', form],
    ['a file as fields', { base64: 'aGk=', contentType: 'a/b' }, form, 'base64=aGk%3D&contentType=a%2Fb', form],
  ])('is %s', async (_what, given, contentType, sent, sentType) => {
    const headers = new Headers(contentType === null ? {} : { 'content-type': contentType });
    expect(await requestBody(given, headers, files)).toBe(sent);
    expect(headers.get('content-type')).toBe(sentType);
  });

  it.each<[string, JsonValue, string, string]>([
    ['a text', 'Jörg', 'text/plain; charset=iso-8859-1', 'J\xf6rg'],
    ['JSON', { a: '€' }, 'application/json; charset=windows-1252', '{"a":"\x80"}'],
    ['a form', { ä: 'ö €&', b: [1] }, `${form}; charset=windows-1252`, '%E4=%F6+%80%26&b=1'],
  ])('is in the charset of its content type: %s', async (_what, given, contentType, sent) => {
    const body = await requestBody(given, new Headers({ 'content-type': contentType }), files);
    expect(body instanceof Uint8Array ? Buffer.from(body).toString('latin1') : body).toBe(sent);
  });

  const file = { base64: '/wD+', contentType: 'application/pdf', bytes: 3 };

  it.each([
    ['of its own type', file, null, 'application/pdf'],
    ['of the type of the headers', file, 'image/png', 'image/png'],
    ['of no known type', { ...file, contentType: 'a\r\nx: y' }, null, 'application/octet-stream'],
  ])('is the bytes of a file, %s', async (_what, given, contentType, sentType) => {
    const headers = new Headers(contentType === null ? {} : { 'content-type': contentType });
    expect(await requestBody(given, headers, files)).toEqual(Buffer.from([0xff, 0, 0xfe]));
    expect(headers.get('content-type')).toBe(sentType);
  });

  it('is found out in time proportional to the text', () => {
    const blanks = `${' '.repeat(1_000_000)}!`;
    expect(inlineFileOf({ base64: blanks, contentType: '' })).toBeUndefined();
  });

  it.each<[string, JsonValue, string | null]>([
    ['a JSON type', file, 'application/vnd.api+json'],
    ['members that files do not have', { ...file, title: 'x' }, null],
    ['text that is not base64', { ...file, base64: 'h€' }, null],
  ])('is JSON for an object with %s', async (_what, given, contentType) => {
    const headers = new Headers(contentType === null ? {} : { 'content-type': contentType });
    expect(await requestBody(given, headers, files)).toBe(JSON.stringify(given));
  });

  it.each<[string, JsonValue, string]>([
    ['a character that the charset lacks', '5 €', 'text/plain; charset=iso-8859-1'],
    ['an unknown charset', 'a', 'text/plain; charset=klingon'],
    ['parts other than those of a form', { title: 'x' }, 'multipart/mixed'],
    ['a file with other members', { ...file, url: 'https://a.example' }, 'application/pdf'],
    ['a file that is not base64', { ...file, base64: 'h€' }, 'application/pdf'],
    ['a file of the store with other members', { file: { id: 'a', sha256: 'b', path: '/' } }, 'application/pdf'],
  ])('is refused, not sent wrong under a right label: %s', async (_what, given, contentType) => {
    await expect(requestBody(given, new Headers({ 'content-type': contentType }), files)).rejects.toEqual(
      refused('body'),
    );
  });
});
