import { compileUntrusted, isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { parseDocument } from './document.ts';
import { readApi } from './read-api.ts';
import { sampleValue } from './sample-value.ts';

const NOT_READ = { openapi: '3.0.3', paths: {} };

/** Reads all operations of a document. */
function readAll(document: JsonObject) {
  const api = readApi(document);
  return api.operations.flatMap(({ id }) => api.read(id) ?? []);
}

/** Reads the operations of a document with a single path. */
function operationsOf(operations: JsonObject, rest: JsonObject = {}) {
  return readAll({ openapi: '3.0.3', paths: { '/pets/{id}': operations }, ...rest });
}

/** Converts the schema of a JSON body. */
function convert(schema: JsonValue, components: JsonObject = {}, version = '3.0.3'): JsonValue | undefined {
  const post = { requestBody: { content: { 'application/json': { schema } } } };
  const [operation] = operationsOf({ post }, { openapi: version, components: { schemas: components } });
  expect('check' in compileUntrusted(operation?.schema ?? {})).toBe(true);
  return isJsonObject(operation?.schema.properties) ? operation.schema.properties.body : undefined;
}

describe('a document', () => {
  it.each<[string, string]>([
    ['{"openapi": "3.0.0"', 'is not JSON'],
    ['a: [', 'is not YAML'],
    ['- a', 'is not an object'],
    ['&a [*a]', 'is not'],
    [
      `a: &a [x]\n${Array.from({ length: 9 }, (_, n) => `b${n}: &b${n} [${'*a, '.repeat(500)}*a]`).join('\n')}`,
      'alias',
    ],
    ['['.repeat(10_000), 'is not YAML'],
  ])('that cannot be parsed is refused: %#', (text, reason) => {
    expect(() => parseDocument(text)).toThrow(reason);
  });

  it.each<[JsonObject, string]>([
    [{}, 'is not a document of OpenAPI'],
    [{ openapi: '2.0' }, 'is not a document of OpenAPI'],
    [{ openapi: '3.2.0' }, 'is not a document of OpenAPI'],
    [{ swagger: '1.2' }, 'is not a document of OpenAPI'],
    [NOT_READ, 'has no operations'],
    [{ ...NOT_READ, paths: { '/a': { $ref: 'https://example.com/paths.json' } } }, 'has no operations'],
  ])('of another kind is refused: %#', (document, reason) => {
    expect(() => readApi(document)).toThrow(reason);
  });

  it('with too many operations is refused', () => {
    const each = { get: {}, put: {}, post: {}, patch: {}, head: {} };
    const paths = Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`/${n}`, each]));
    expect(() => readApi({ ...NOT_READ, paths })).toThrow('has more than 50,000 operations');
  });

  it.each(['{"a":1}', 'a: 1'])('may begin with a byte order mark: %s', (text) => {
    expect(parseDocument(`﻿${text}`)).toEqual({ a: 1 });
  });

  it('in YAML is one in JSON', () => {
    const text = 'swagger: "2.0"\ninfo: { title: Pets, version: 1.0 }\npaths:\n  /a:\n    get: { operationId: a }\n';
    const api = readApi(parseDocument(text));
    expect([api.title, api.operations]).toEqual(['Pets', [{ id: 'a', method: 'GET', path: '/a', title: 'a' }]]);
  });
});

describe('an operation', () => {
  it('has parameters of its path, which its own replace, and an id that is unique', () => {
    const id = { name: 'id', in: 'path', schema: { type: 'integer' } };
    const limit = { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 10 }, required: true };
    const operations = operationsOf({
      parameters: [id, limit],
      get: {
        operationId: 'same',
        summary: 'Gets a pet',
        parameters: [{ ...limit, description: 'At most', required: false }],
      },
      delete: { operationId: 'same', deprecated: true },
    });
    expect(operations.map((operation) => operation.id)).toEqual(['same', 'DELETE /pets/{id}']);
    expect(operations[0]?.schema).toEqual({
      type: 'object',
      properties: {
        server: expect.objectContaining({ required: ['baseUrl'] }),
        path: {
          type: 'object',
          properties: { id: { type: 'integer' } },
          required: ['id'],
          additionalProperties: false,
        },
        query: {
          type: 'object',
          properties: { limit: { type: 'integer', maximum: 10, description: 'At most' } },
          additionalProperties: false,
        },
      },
      required: ['server', 'path'],
      additionalProperties: false,
    });
    expect(operations[1]).toMatchObject({ method: 'DELETE', isDeprecated: true });
  });

  it('with too many parameters has those of its path, and is cut', () => {
    const parameters = Array.from({ length: 150 }, (_, n) => ({ name: `q${n}`, in: 'query', schema: {} }));
    const [operation] = operationsOf({ get: { parameters } });
    expect(operation?.parameters[0]).toMatchObject({ name: 'id', in: 'path' });
    expect([operation?.parameters.length, operation?.isCut]).toEqual([150, true]);
  });

  it('has the schema of what it responds, and what it needs', () => {
    const schema = {
      properties: { id: { type: 'string', readOnly: true }, secret: { type: 'string', writeOnly: true } },
    };
    const security: JsonValue = [{ key: [] }, { oauth: ['read'], key: [] }];
    const [operation] = operationsOf({
      get: { security, responses: { 201: { content: { 'application/hal+json; charset=utf-8': { schema } } } } },
    });
    expect(operation?.response).toEqual({ type: 'object', properties: { id: { type: 'string' } } });
    expect(operation?.security).toEqual([['key'], ['oauth', 'key']]);
  });

  it.each<[string, string]>([
    ['application/xml,application/json', 'application/json'],
    ['application/xml,application/vnd.api+json', 'application/vnd.api+json'],
    ['multipart/form-data,application/x-www-form-urlencoded', 'application/x-www-form-urlencoded'],
    ['image/png,text/plain', 'text/plain'],
    ['*/*', 'application/octet-stream'],
  ])('sends the easiest of %s', (types, expected) => {
    const content = Object.fromEntries(types.split(',').map((type) => [type, {}]));
    expect(operationsOf({ post: { requestBody: { content } } })[0]?.body?.contentType).toBe(expected);
  });
});

describe('a schema', () => {
  const text = { type: 'string' };
  it.each<[string, JsonValue, JsonValue, JsonObject?]>([
    ['with nullable', { type: 'string', nullable: true, enum: ['a'] }, { type: ['string', 'null'], enum: ['a', null] }],
    [
      'with an exclusive minimum',
      { type: 'number', minimum: 0, exclusiveMinimum: true },
      { type: 'number', exclusiveMinimum: 0 },
    ],
    [
      'without what is read only',
      { required: ['a', 'b'], properties: { a: { readOnly: true }, b: text } },
      { type: 'object', required: ['b'], properties: { b: text } },
    ],
    [
      'with a reference to what is read only',
      { properties: { a: { $ref: '#/components/schemas/A' } } },
      { type: 'object' },
      { A: { readOnly: true } },
    ],
    [
      'with allOf, merged',
      {
        allOf: [
          { $ref: '#/components/schemas/A' },
          { required: ['b'], properties: { b: text }, additionalProperties: false },
        ],
      },
      { type: 'object', required: ['a', 'b'], properties: { a: text, b: text } },
      { A: { type: 'object', required: ['a'], properties: { a: text }, additionalProperties: false } },
    ],
    [
      'with oneOf, of which several may fit',
      { oneOf: [text, { type: 'integer' }], nullable: true },
      { anyOf: [text, { type: 'integer' }, { type: 'null' }] },
    ],
    [
      'with a cycle, cut',
      { $ref: '#/components/schemas/A' },
      { type: 'object', properties: { a: { type: 'array', items: {} } } },
      { A: { properties: { a: { type: 'array', items: { $ref: '#/components/schemas/A' } } } } },
    ],
    ['that refers to itself', { $ref: '#/components/schemas/A' }, {}, { A: { $ref: '#/components/schemas/A' } }],
    ['that leads elsewhere', { $ref: 'other.yaml#/A' }, {}],
    ['with names that are escaped', { $ref: '#/components/schemas/a~1b%20c' }, text, { 'a/b c': text }],
    [
      'with names of prototypes',
      { properties: { ['__proto__']: text, constructor: text } },
      { type: 'object', properties: { ['__proto__']: text, constructor: text } },
    ],
    [
      'with what is not JSON Schema',
      { type: 'strng', minLength: -1, minimum: 'x', enum: [], pattern: '(', required: true, items: [] },
      {},
    ],
    ['with a pattern that takes long', { type: 'string', pattern: '(?=a)b' }, text],
    ['with the same choice twice', { enum: ['a', 'a'] }, { enum: ['a'] }],
    [
      'with an example',
      { ...text, example: 'a', description: ' b\n c ' },
      { ...text, examples: ['a'], description: 'b c' },
    ],
    [
      'that is closed',
      { properties: { a: text }, additionalProperties: false },
      { type: 'object', properties: { a: text }, additionalProperties: false },
    ],
    ['with a fraction that numbers must be a multiple of', { type: 'number', multipleOf: 0.01 }, { type: 'number' }],
    ['with items after others', { type: 'array', prefixItems: [{ type: 'integer' }], items: text }, { type: 'array' }],
    [
      'with further members beside patterns',
      { type: 'object', patternProperties: { '^x': { type: 'integer' } }, additionalProperties: text },
      { type: 'object' },
    ],
    [
      'with texts that YAML takes for numbers',
      { type: 'string', enum: [2021, true, 'a'], default: 2021, nullable: true },
      { type: ['string', 'null'], enum: ['2021', 'true', 'a', null], default: '2021' },
    ],
    [
      'with nullable and members',
      { nullable: true, properties: { a: text } },
      { type: ['object', 'null'], properties: { a: text } },
    ],
    ['of a map', { type: 'object', additionalProperties: text }, { type: 'object', additionalProperties: text }],
  ])('%s', (...[, schema, expected, components]) => {
    expect(convert(schema, components)).toEqual(expected);
  });

  it('of 3.1 may have siblings of a reference, and types in a list', () => {
    const schema = { $ref: '#/components/schemas/A', description: 'B' };
    expect(convert(schema, { A: { type: ['string', 'null'], description: 'A' } }, '3.1.0')).toEqual({
      type: ['string', 'null'],
      description: 'B',
    });
  });

  const many = (count: number, of: (n: number) => JsonValue): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, of(n)]));

  it.each<[string, () => JsonObject]>([
    ['of many members', () => ({ properties: many(5_000, () => text), additionalProperties: false })],
    ['that doubles with each level', () => ({ $ref: '#/components/schemas/m0' })],
    ['that nests', () => Array.from({ length: 5_000 }).reduce<JsonObject>((items) => ({ type: 'array', items }), text)],
    ['of many choices', () => ({ oneOf: Array.from({ length: 5_000 }, () => text) })],
    ['of many values', () => ({ enum: Array.from({ length: 50_000 }, (_, n) => n) })],
    ['of many patterns', () => ({ properties: many(300, () => ({ ...text, pattern: 'a{900}' })) })],
    ['merged of many', () => ({ allOf: Array.from({ length: 5_000 }, (_, n) => ({ required: [`m${n}`] })) })],
  ])('%s stays one that can be checked', (_name, create) => {
    const next = (n: number): JsonObject => ({ $ref: `#/components/schemas/m${n + 1}` });
    const doubling = many(60, (n) => ({ properties: { a: next(n), b: next(n) } }));
    expect(convert(create(), doubling)).toBeDefined();
  });
});

describe('an operation of Swagger 2', () => {
  const swagger = (operation: JsonObject, rest: JsonObject = {}) => {
    const document = {
      swagger: '2.0',
      host: 'api.example.com',
      basePath: '/v1',
      schemes: ['http', 'https'],
      paths: { '/a': { post: operation } },
      ...rest,
    };
    const [read] = readAll(document);
    return read;
  };

  it('has the styles of its collection formats', () => {
    const formats = ['csv', 'ssv', 'tsv', 'pipes', 'multi'];
    const operation = swagger({
      parameters: formats.map((collectionFormat) => ({
        name: collectionFormat,
        in: 'query',
        type: 'array',
        items: { type: 'string' },
        collectionFormat,
      })),
    });
    expect(operation?.server).toBe('https://api.example.com/v1');
    expect(operation?.parameters.map(({ encoding }) => encoding)).toEqual([
      { style: 'form', explode: false },
      { style: 'spaceDelimited', explode: false },
      { style: 'tabDelimited', explode: false },
      { style: 'pipeDelimited', explode: false },
      { style: 'form', explode: true },
    ]);
  });

  it('has a form of its fields, in parts if there is a file', () => {
    const field = { name: 'name', in: 'formData', type: 'string', required: true };
    const file = { name: 'file', in: 'formData', type: 'file' };
    expect(swagger({ parameters: [field] })).toMatchObject({
      body: { contentType: 'application/x-www-form-urlencoded' },
      schema: {
        properties: { body: { properties: { name: { type: 'string' } }, required: ['name'] } },
        required: ['body'],
      },
    });
    expect(swagger({ parameters: [field, file] })).toMatchObject({
      body: { contentType: 'multipart/form-data' },
      schema: { properties: { body: { properties: { file: { title: 'File' } } } } },
    });
  });

  it('has its body, response and security', () => {
    const definitions = { A: { type: 'object', properties: { a: { type: 'integer' } } } };
    const schema = { $ref: '#/definitions/A' };
    const api = {
      swagger: '2.0',
      securityDefinitions: {
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
        basic: { type: 'basic' },
        oauth: { type: 'oauth2', flow: 'accessCode', tokenUrl: 'https://example.com/token', scopes: { read: 'Reads' } },
      },
    };
    const operation = swagger(
      {
        parameters: [{ in: 'body', name: 'x', schema, required: true }],
        responses: { 200: { schema } },
        security: [{ key: [] }],
      },
      { definitions, ...api },
    );
    expect(operation?.schema).toMatchObject({ properties: { body: definitions.A }, required: ['body'] });
    expect(operation?.response).toEqual(definitions.A);
    expect(readApi({ ...api, paths: { '/a': { get: {} } } }).security).toEqual({
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      basic: { type: 'basic' },
      oauth: { type: 'oauth2', tokenUrl: 'https://example.com/token', scopes: ['read'] },
    });
  });
});

it.each<[JsonValue, JsonValue]>([
  [{ type: 'object', required: ['a'], properties: { a: { type: 'integer', minimum: 3 }, b: {} } }, { a: 3 }],
  [{ type: ['null', 'string'], minLength: 6 }, 'textxx'],
  [{ type: 'string', format: 'date' }, '2026-01-31'],
  [{ type: 'string', examples: ['x'] }, 'x'],
  [{ type: 'string', format: 'constructor' }, 'text'],
  [{ type: 'string', format: 'toString', examples: ['x'] }, 'x'],
  [{ type: 'integer', examples: ['x'] }, 1],
  [{ type: 'array', minItems: 2, uniqueItems: true, items: { type: 'integer' } }, [1, 2]],
  [{ enum: ['b', 'a'] }, 'b'],
  [{ anyOf: [{ type: 'object', required: ['b'], properties: { b: { const: 1 } } }], type: 'object' }, { b: 1 }],
  [{ type: 'number', multipleOf: 5, minimum: 7 }, 10],
])('the sample of %j is %j', (schema, expected) => {
  expect(sampleValue(schema)).toEqual(expected);
  const compiled = compileUntrusted(schema as JsonObject);
  expect('check' in compiled && compiled.check(sampleValue(schema))).toEqual({ value: expected });
});
