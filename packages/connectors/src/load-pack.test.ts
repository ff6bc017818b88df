import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { actionRequest, errorMessage, isFailure, nextPage } from './action-request.ts';
import { composeConnector, readPack } from './load-pack.ts';

const text = { type: 'string' };
const DOCUMENT = JSON.stringify({
  openapi: '3.1.0',
  servers: [{ url: 'https://api.example.com' }],
  paths: {
    '/repos/{owner}/issues': {
      parameters: [{ name: 'owner', in: 'path', schema: text }],
      get: { operationId: 'list', parameters: [{ name: 'per_page', in: 'query', schema: { type: 'integer' } }] },
      post: {
        operationId: 'create',
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['title', 'meta'],
                properties: {
                  title: text,
                  meta: { type: 'object', required: ['source'], properties: { source: text, 'a.b': text } },
                },
              },
            },
          },
        },
      },
    },
  },
});

const PACK = `
name: tracker
version: 1.0.0
title: Tracker
headers: { x-api-version: '2' }
errorMessage: error.message
test: issue.list
operations:
  - id: issue.list
    operation: list
    title: List issues
    fields:
      query.per_page: { hidden: true, default: 100 }
      path.owner: { title: Owner, default: me }
    paging: { mode: cursor, next: page.next, parameter: cursor }
  - id: issue.create
    operation: POST /repos/{owner}/issues
    title: Create an issue
    fields:
      body.title: { title: Title }
      body.meta.source: { hidden: true, default: deckhand }
      body.meta.a.b: { options: { action: issue.list, value: id, label: title } }
    idempotencyHeader: Idempotency-Key
`;

function load(pack: string, document = DOCUMENT) {
  const files = { pack: { name: 'pack.yaml', text: pack }, document: { name: 'openapi.json', text: document } };
  const read = readPack(files);
  return 'issues' in read ? read : composeConnector(read.source, { pack: 'pack.yaml', document: 'openapi.json' });
}

function connectorOf() {
  const loaded = load(PACK);
  if ('issues' in loaded) throw new Error(JSON.stringify(loaded.issues));
  return loaded.connector;
}

describe('a pack', () => {
  const connector = connectorOf();
  const [list, create] = connector.actions;

  it('has the forms that it asks for', () => {
    expect(list?.operation.schema).toEqual({
      type: 'object',
      properties: {
        path: {
          type: 'object',
          properties: { owner: { ...text, title: 'Owner', default: 'me' } },
          additionalProperties: false,
        },
        query: { type: 'object', properties: {}, additionalProperties: false },
      },
      additionalProperties: false,
    });
    expect(create?.operation.schema).toMatchObject({
      required: ['path', 'body'],
      properties: {
        body: {
          required: ['title'],
          properties: { title: { ...text, title: 'Title' }, meta: { type: 'object', properties: { 'a.b': text } } },
        },
      },
    });
    expect(create?.options).toEqual({ 'body.meta.a.b': { action: 'issue.list', value: 'id', label: 'title' } });
  });

  it('is as docs/connectors.md shows it', () => {
    const page = readFileSync(new URL('../../../docs/connectors.md', import.meta.url), 'utf8');
    const [, example = ''] = /All members:\n\n```yaml\n(.*?)```/s.exec(page) ?? [];
    const body = { type: 'object', properties: { title: text, project: text } };
    const perPage = { name: 'per_page', in: 'query', schema: { type: 'integer' } };
    const document = {
      openapi: '3.1.0',
      paths: {
        '/issues': {
          get: { operationId: 'listIssues', parameters: [perPage] },
          post: { requestBody: { content: { 'application/json': { schema: body } } } },
        },
        '/projects': { get: { operationId: 'listProjects' } },
      },
    };
    expect(load(example, JSON.stringify(document))).toMatchObject({ connector: { actions: { length: 3 } } });
  });

  it('is JSON', () => {
    expect(JSON.parse(JSON.stringify(connector))).toEqual(connector);
  });

  it.each<[number, JsonObject, string, JsonValue | undefined]>([
    [0, {}, 'https://api.example.com/repos/me/issues?per_page=100', undefined],
    [
      0,
      { path: { owner: 'you' }, query: { per_page: 5 } },
      'https://api.example.com/repos/you/issues?per_page=100',
      undefined,
    ],
    [0, { path: { owner: null }, query: null }, 'https://api.example.com/repos/me/issues?per_page=100', undefined],
    [
      1,
      { path: { owner: 'you' }, body: { title: 'A', meta: { 'a.b': 'x' } } },
      'https://api.example.com/repos/you/issues',
      { title: 'A', meta: { source: 'deckhand', 'a.b': 'x' } },
    ],
  ])('sends its defaults and headers: %#', (index, values, url, body) => {
    const action = connector.actions[index];
    const request = action && actionRequest(connector, action, values);
    expect([request?.url, request?.body, request?.headers['x-api-version']]).toEqual([url, body, '2']);
  });
});

describe('a pack of all operations', () => {
  const ALL = 'name: tracker\nversion: 1.0.0\noperations: all\n';
  const idsOf = (document: string) => {
    const loaded = load(ALL, document);
    return 'issues' in loaded ? loaded.issues : loaded.connector.actions.map(({ id }) => id);
  };
  const documentOf = (paths: object) => JSON.stringify({ openapi: '3.1.0', info: { title: 'All' }, paths });

  it('has the title of its document, and ids of paths and operation ids', () => {
    const paths = {
      '/v1/issues': { get: { operationId: 'issues/list-for_repo' }, post: {} },
      '/api/issues/{id}/labels': { get: {}, put: { operationId: 'Labels.replace' } },
      '/{tenant}': { get: {}, delete: { operationId: '2fa' } },
    };
    expect(load(ALL, documentOf(paths))).toMatchObject({ connector: { title: 'All' } });
    expect(idsOf(documentOf(paths))).toEqual([
      ...['issues.listForRepo', 'issues.post', 'issues.getLabels', 'issues.labelsReplace'],
      ...['api.get', 'api.fa'],
    ]);
  });

  it('has each id once', () => {
    const long = 'a'.repeat(60);
    const paths = { [`/${long}`]: { get: {} }, [`/${long}b`]: { get: {} }, [`/${long}c`]: { get: {} } };
    const noun = 'a'.repeat(40);
    expect(idsOf(documentOf(paths))).toEqual([`${noun}.get`, `${noun}.get2`, `${noun}.get3`]);
  });

  it('has at most a thousand', () => {
    const paths = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`/p${index}`, { get: {} }]));
    const message = 'must name at most 1,000 of the 1,001 operations of openapi.json';
    expect(idsOf(documentOf(paths))).toEqual([{ file: 'pack.yaml', path: 'operations', message }]);
  });
});

describe('an issue of a pack names its file and its member', () => {
  it.each<[string, string, string, string]>([
    ['title: Tracker', '', 'title', 'is required'],
    ['version: 1.0.0', 'version: 1', 'version', 'must be string'],
    ['errorMessage:', 'errorMesage:', 'errorMesage', 'is not a known field'],
    ['operation: list', 'operation: lst', 'operations[0].operation', '"lst" is not an operation of openapi.json'],
    ['id: issue.create', 'id: issue.list', 'operations[1].id', '"issue.list" is also the id of operations[0]'],
    ['path.owner:', 'path.onwer:', 'operations[0].fields.path.onwer', 'is not a field of "list"'],
    ['default: 100', 'default: many', 'operations[0].fields.query.per_page.default', 'must be integer'],
    ['default: 100', 'description: x', 'operations[0].fields.query.per_page.default', 'is required for a hidden field'],
    ['test: issue.list', 'test: issue.get', 'test', '"issue.get" is not an operation of the pack'],
    [
      'action: issue.list',
      'action: issue.get',
      'operations[1].fields.body.meta.a.b.options.action',
      '"issue.get" is not an operation of the pack',
    ],
    ['next: page.next, ', '', 'operations[0].paging.next', 'is required in the mode cursor'],
    [', parameter: cursor', '', 'operations[0].paging.parameter', 'is required in the mode cursor'],
    ['mode: cursor', 'mode: link', 'operations[0].paging.next', 'needs the mode cursor or url'],
    ['name: tracker', 'name: [', '', 'is not YAML'],
  ])('with %j as %j', (from, to, path, message) => {
    const issue = { file: 'pack.yaml', path, message: expect.stringContaining(message) };
    expect(load(PACK.replace(from, to))).toEqual({ issues: expect.arrayContaining([issue]) });
  });

  it.each([
    ...['host', 'Host', 'content-length', 'Transfer-Encoding', 'connection', 'te', 'upgrade', 'trailer', 'keep-alive'],
    ...['expect', 'http2-settings', 'proxy-authorization', 'Proxy-Connection'],
  ])('with the header %s, which belongs to the connection', (name) => {
    const issueAt = (path: string) => ({
      issues: [{ file: 'pack.yaml', path, message: `"${name}" belongs to the connection` }],
    });
    const credentials = `credentials: [{ type: apiKey, title: Key, header: ${name} }]\n`;
    expect(load(`${PACK}${credentials}`)).toEqual(issueAt('credentials[0].header'));
    expect(load(PACK.replace('Idempotency-Key', name))).toEqual(issueAt('operations[1].idempotencyHeader'));
    expect(load(PACK.replace('x-api-version', name))).toEqual(issueAt(`headers.${name}`));
  });

  const packOf = (fieldsOf: () => JsonObject, count = 1): string => {
    const operations = Array.from({ length: count }, (_, index) => ({
      id: `issue.list${index}`,
      operation: 'list',
      title: 'List',
      fields: fieldsOf(),
    }));
    return JSON.stringify({ name: 'tracker', version: '1.0.0', title: 'Tracker', operations });
  };

  it.each([`body${'.a'.repeat(500_000)}`, `body${'.a'.repeat(20)}`, `body.${'a'.repeat(500)}`, 'bodies.a'])(
    'with the path of a field that is too long, or of no place: %#',
    (path) => {
      const issue = { file: 'pack.yaml', path: `operations[0].fields.${path}`, message: 'is not a known field' };
      expect(load(packOf(() => ({ [path]: {} })))).toEqual({ issues: [issue] });
    },
  );

  it('with more defaults than can be checked', () => {
    const fieldsOf = () => ({ 'path.owner': { default: 'me' }, 'query.per_page': { default: 1 } });
    const issue = { file: 'pack.yaml', path: 'operations', message: 'have more than 1,000 defaults' };
    expect(load(packOf(fieldsOf, 501))).toEqual({ issues: [issue] });
  });

  it('also for its document', () => {
    const issue = { file: 'openapi.json', path: '', message: 'has no operations' };
    expect(load(PACK, '{"openapi":"3.1.0"}')).toEqual({ issues: [issue] });
  });
});

it.each<[JsonObject, JsonValue, JsonValue]>([
  [{ mode: 'cursor', next: 'page.next', parameter: 'after' }, { page: { next: 'x' } }, { after: 'x' }],
  [{ mode: 'cursor', next: 'page.next', parameter: 'after' }, { page: { next: '' } }, null],
  [{ mode: 'cursor', next: 'constructor', parameter: 'after' }, {}, null],
  [{ mode: 'url', next: 'links.1.href' }, { links: [{}, { href: 'https://example.com/2' }] }, 'https://example.com/2'],
  [{ mode: 'cursor', next: 'data.-1.id', parameter: 'after' }, { data: [{ id: 'a' }, { id: 'b' }] }, { after: 'b' }],
  [{ mode: 'cursor', next: 'data.-1.id', parameter: 'after' }, { data: [] }, null],
  [{ mode: 'url', next: '@odata.nextLink' }, { '@odata.nextLink': 'https://example.com/2' }, 'https://example.com/2'],
  [{ mode: 'url', next: 'a.b.c' }, { a: { b: { c: 'x' } }, 'a.b': { c: 'y' } }, 'y'],
  [{ mode: 'cursor', next: '-1.id', parameter: 'after' }, { '-1': { id: 'a' } }, { after: 'a' }],
  [{ mode: 'url', next: 'next' }, 'text', null],
])('the page after a response, with %j', (paging, body, expected) => {
  expect(nextPage(paging as Parameters<typeof nextPage>[0], body)).toEqual(expected);
});

it.each<[JsonValue, string | undefined]>([
  [{ error: { message: 'No\nsuch issue' } }, 'No such issue'],
  [{ error: 'No' }, undefined],
  ['No', undefined],
  [{ error: { message: 'x'.repeat(1_000) } }, `${'x'.repeat(499)}…`],
])('the message of an error: %#', (body, expected) => {
  expect(errorMessage(connectorOf(), body)).toBe(expected);
});

it.each<[Parameters<typeof isFailure>[0]['failedWhen'], JsonValue, boolean]>([
  [undefined, { ok: false }, false],
  [{ path: 'ok', equals: false }, { ok: false }, true],
  [{ path: 'ok', equals: false }, { ok: true }, false],
  [{ path: 'ok', equals: false }, {}, false],
  [{ path: 'ok', equals: false }, 'text', false],
  [{ path: 'status.code', equals: 0 }, { status: { code: 0 } }, true],
  [{ path: 'errors' }, { errors: [{ message: 'No' }] }, true],
  [{ path: 'errors' }, { errors: [] }, false],
  [{ path: 'errors' }, { errors: null }, false],
  [{ path: 'error' }, { error: '' }, false],
])('with failedWhen %j, a response %j failed: %s', (failedWhen, body, expected) => {
  expect(isFailure({ failedWhen }, body)).toBe(expected);
});

describe('a secret in paths', () => {
  const document = JSON.stringify({
    openapi: '3.1.0',
    servers: [{ url: 'https://api.example.com' }],
    paths: {
      '/bot{token}/send/{chat}': {
        parameters: [
          { name: 'token', in: 'path', required: true, schema: text },
          { name: 'chat', in: 'path', required: true, schema: text },
        ],
        post: { operationId: 'send' },
      },
      '/{version}/bot{token}': {
        parameters: [
          { name: 'token', in: 'path', required: true, schema: text },
          { name: 'version', in: 'path', required: true, schema: text },
        ],
        get: { operationId: 'other' },
      },
    },
  });
  const pack = (credentials: string, operation = 'send') => `
name: bot
version: 1.0.0
title: Bot
credentials: ${credentials}
operations: [{ id: message.send, operation: ${operation}, title: Send }]
`;
  const KEY = '{ type: apiKey, title: Token, path: token }';

  it('is in no form, and addresses have a placeholder that no value replaces', () => {
    const loaded = load(pack(`[${KEY}]`), document);
    if ('issues' in loaded) throw new Error(JSON.stringify(loaded.issues));
    const [action] = loaded.connector.actions;
    expect(action?.operation.schema).toMatchObject({ properties: { path: { required: ['chat'] } } });
    const values = { path: { chat: '~secret~', token: 'mine' } };
    expect(action && actionRequest(loaded.connector, action, values).url).toBe(
      'https://api.example.com/bot~secret~/send/~secret~',
    );
  });

  it.each([
    [
      pack('[{ type: bearer, title: Token, path: token }]'),
      'credentials[0].path',
      'is for credentials of the type apiKey',
    ],
    [
      pack('[{ type: apiKey, title: Token, path: token, header: x-key }]'),
      'credentials[0].path',
      'must not be beside a header',
    ],
    [
      pack(`[${KEY}, { type: bearer, title: Token }]`),
      'credentials[0].path',
      'must be that of the only credential: addresses without it are others',
    ],
    [
      pack(`[${KEY}]`, 'other'),
      'operations[0].operation',
      'has no {token} for the credential as the first name in braces of its address',
    ],
  ])('is refused where it is not safe: %#', (given, path, message) => {
    expect(load(given, document)).toMatchObject({ issues: [{ file: 'pack.yaml', path, message }] });
  });
});
