import type { JsonObject } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { findBreakingChanges } from './breaking-changes.ts';

const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const LIMIT = { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 500, default: 100 } };

/** A document of one operation that takes and returns a thing. */
function documentOf(operation: JsonObject = {}, schemas: JsonObject = {}, path = '/things/{id}'): JsonObject {
  const put: JsonObject = {
    operationId: 'putThing',
    'x-required-scope': 'things:write',
    security: [{ apiKey: [] }, { session: [] }],
    parameters: [ID, LIMIT],
    requestBody: body({ $ref: '#/components/schemas/ThingBody' }, { required: false }),
    responses: {
      200: { headers: { ETag: {} }, ...body({ $ref: '#/components/schemas/ThingResponse' }) },
      404: body({ type: 'object' }),
    },
    ...operation,
  };
  return {
    paths: { [path]: { put } },
    components: { schemas: { ThingBody: BODY, ThingResponse: RESPONSE, ...schemas } },
  };
}

function body(schema: JsonObject, rest: JsonObject = {}): JsonObject {
  return { ...rest, content: { 'application/json': { schema } } };
}

const BODY = {
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', maxLength: 200, minLength: 1 },
    mode: { enum: ['fast', 'slow'], default: 'fast' },
    size: { type: 'number' },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    tags: { type: 'array', items: { type: 'string' } },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    free: { type: 'object', additionalProperties: true },
  },
};

const RESPONSE = {
  type: 'object',
  required: ['id', 'status'],
  properties: {
    id: { type: 'string', format: 'uuid' },
    status: { enum: ['open', 'closed'] },
    count: { type: 'integer' },
    by: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    at: { type: 'string' },
    parent: { $ref: '#/components/schemas/ThingResponse' },
    nodes: { type: 'object', additionalProperties: { type: 'object', properties: { name: { type: 'string' } } } },
    list: { type: 'array', items: { type: 'string' } },
  },
};

/** Documents in which one member of the body, or of the response, is another. */
const inBody = (properties: JsonObject, rest: JsonObject = {}): JsonObject =>
  documentOf({}, { ThingBody: { ...BODY, properties: { ...BODY.properties, ...properties }, ...rest } });
const inResponse = (properties: JsonObject, rest: JsonObject = {}): JsonObject =>
  documentOf({}, { ThingResponse: { ...RESPONSE, properties: { ...RESPONSE.properties, ...properties }, ...rest } });
const withParameter = (...parameters: JsonObject[]): JsonObject => documentOf({ parameters: [ID, ...parameters] });

const { name: _name, ...withoutName } = BODY.properties;
const { at: _at, ...withoutAt } = RESPONSE.properties;

describe('what breaks clients', () => {
  it.each<[string, JsonObject, string]>([
    ['a path is gone', documentOf({}, {}, '/others/{id}'), 'PUT /things/{id} is gone'],
    ['a method is gone', { ...documentOf(), paths: { '/things/{id}': {} } }, 'PUT /things/{id} is gone'],
    ['an operation has another name', documentOf({ operationId: 'set' }), 'operationId was putThing and is set'],
    ['another scope', documentOf({ 'x-required-scope': 'a:b' }), 'x-required-scope was things:write and is a:b'],
    ['a way to sign in is gone', documentOf({ security: [{ session: [] }] }), 'no longer accepts {"apiKey":[]}'],
    ['a parameter is gone', withParameter({ name: 'x', in: 'query' }), 'no longer accepts the query parameter limit'],
    [
      'a parameter became required',
      withParameter({ name: 'limit', in: 'query', required: true, schema: { type: 'integer', default: 100 } }),
      'needs the query parameter limit',
    ],
    [
      'a new parameter is required',
      withParameter(LIMIT, { name: 'x', in: 'query', required: true }),
      'needs the query parameter x',
    ],
    [
      'a parameter has another default',
      withParameter({ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 500, default: 50 } }),
      'query parameter limit: default is 50',
    ],
    [
      'a parameter has a lower maximum',
      withParameter({ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100, default: 100 } }),
      'query parameter limit: maximum is 100',
    ],
    [
      'a body became required',
      documentOf({ requestBody: body({ $ref: '#/components/schemas/ThingBody' }, { required: true }) }),
      'needs a body',
    ],
    ['a body is no longer taken', documentOf({ requestBody: undefined as never }), 'no longer accepts a body'],
    ['a body of another type', documentOf({ requestBody: { content: {} } }), 'body is no longer application/json'],
    ['a member of a body is refused', inBody({}, { properties: withoutName }), 'ThingBody.name is no longer accepted'],
    ['a member of a body is required', inBody({}, { required: ['name', 'mode'] }), 'ThingBody.mode is required'],
    [
      'a new member of a body is required',
      inBody({ colour: { type: 'string' } }, { required: ['name', 'colour'] }),
      'ThingBody.colour is required',
    ],
    ['a value is refused', inBody({ mode: { enum: ['fast'], default: 'fast' } }), 'mode no longer accepts slow'],
    [
      'values are listed that were free',
      inBody({ name: { type: 'string', enum: ['a'], maxLength: 200, minLength: 1 } }),
      'ThingBody.name must be one of a list',
    ],
    [
      'another default',
      inBody({ mode: { enum: ['fast', 'slow'], default: 'slow' } }),
      'ThingBody.mode: default is slow',
    ],
    ['another type is sent', inBody({ size: { type: 'string' } }), 'size was of the type number and is of string'],
    [
      'a number became an integer',
      inBody({ size: { type: 'integer' } }),
      'size was of the type number and is of integer',
    ],
    ['a shorter text', inBody({ name: { type: 'string', maxLength: 100, minLength: 1 } }), 'name: maxLength is 100'],
    ['a longer text', inBody({ name: { type: 'string', maxLength: 200, minLength: 2 } }), 'name: minLength is 2'],
    [
      'a pattern',
      inBody({ name: { type: 'string', maxLength: 200, minLength: 1, pattern: '^a' } }),
      'name: pattern is ^a',
    ],
    ['unique items', inBody({ tags: { ...BODY.properties.tags, uniqueItems: true } }), 'tags: uniqueItems is true'],
    ['null is refused', inBody({ note: { type: 'string' } }), 'ThingBody.note no longer accepts {"type":"null"}'],
    [
      'items of another type',
      inBody({ tags: { type: 'array', items: { type: 'number' } } }),
      'ThingBody.tags[] was of',
    ],
    [
      'values of a map of another type',
      inBody({ labels: { type: 'object', additionalProperties: { type: 'number' } } }),
      'ThingBody.labels.* was of the type string and is of number',
    ],
    [
      'a free object is closed',
      inBody({ free: { type: 'object', additionalProperties: false } }),
      'ThingBody.free no longer accepts further members',
    ],
    ['a status is gone', documentOf({ responses: { 404: body({ type: 'object' }) } }), 'PUT /things/{id} 200 is gone'],
    [
      'a header is gone',
      documentOf({ responses: { 200: body({ $ref: '#/components/schemas/ThingResponse' }) } }),
      '200 lacks the header ETag',
    ],
    [
      'a media type is gone',
      documentOf({ responses: { 200: { headers: { ETag: {} }, content: { 'text/csv': {} } } } }),
      '200 is no longer application/json',
    ],
    ['a member is gone', inResponse({}, { properties: withoutAt }), 'ThingResponse.at is gone'],
    ['a member can be missing', inResponse({}, { required: ['id'] }), 'ThingResponse.status can be missing'],
    [
      'another type is returned',
      inResponse({ id: { type: 'integer', format: 'uuid' } }),
      'id was of the type string and is of integer',
    ],
    [
      'an integer became a number',
      inResponse({ count: { type: 'number' } }),
      'count was of the type integer and is of',
    ],
    [
      'null is returned',
      inResponse({ at: { anyOf: [{ type: 'string' }, { type: 'null' }] } }),
      'at can be {"type":"null"}',
    ],
    ['values are no longer listed', inResponse({ status: { type: 'string' } }), 'status is no longer one of a list'],
    ['another format', inResponse({ id: { type: 'string', format: 'uri' } }), 'ThingResponse.id: format is uri'],
    [
      'a member of a map is gone',
      inResponse({ nodes: { type: 'object', additionalProperties: { type: 'object', properties: {} } } }),
      'ThingResponse.nodes.*.name is gone',
    ],
    [
      'items returned of another type',
      inResponse({ list: { type: 'array', items: {} } }),
      'ThingResponse.list[] was of',
    ],
  ])('%s', (_, after, expected) => {
    const changes = findBreakingChanges(documentOf(), JSON.parse(JSON.stringify(after)) as JsonObject);
    expect(changes).toEqual([expect.stringContaining(expected)]);
  });
});

describe('what breaks no client', () => {
  it.each<[string, JsonObject]>([
    ['nothing changed', documentOf()],
    [
      'a new operation',
      { ...documentOf(), paths: { ...(documentOf().paths as JsonObject), '/new': { get: { operationId: 'new' } } } },
    ],
    ['a new optional member of a body', inBody({ colour: { type: 'string' } })],
    ['a member of a body is no longer required', inBody({}, { required: [] })],
    ['a further value is accepted', inBody({ mode: { enum: ['fast', 'slow', 'idle'], default: 'fast' } })],
    ['a longer text is accepted', inBody({ name: { type: 'string', maxLength: 300 } })],
    ['null is accepted', inBody({ size: { anyOf: [{ type: 'number' }, { type: 'null' }] } })],
    ['a new member of a response', inResponse({ colour: { type: 'string' } })],
    ['a member is always there', inResponse({}, { required: ['id', 'status', 'at'] })],
    ['a further value is returned', inResponse({ status: { enum: ['open', 'closed', 'held'] } })],
    ['null is no longer returned', inResponse({ by: { type: 'string' } })],
    ['a number became an integer', inResponse({ count: { type: 'integer', minimum: 0 } })],
  ])('%s', (_, after) => {
    expect(findBreakingChanges(documentOf(), after)).toEqual([]);
  });

  it('an error is gone', () => {
    const { responses, ...rest } = operationOf(documentOf());
    const { 404: _notFound, ...successes } = responses as Record<string, JsonObject>;
    expect(findBreakingChanges(documentOf(), documentOf({ ...rest, responses: successes }))).toEqual([]);
  });

  it('operations share a response', () => {
    const { responses, ...rest } = operationOf(documentOf());
    const shared = documentOf({ ...rest, responses: { 200: { $ref: '#/components/responses/a' }, 404: {} } });
    const components = {
      ...(shared.components as JsonObject),
      responses: { a: (responses as JsonObject)['200'] ?? {} },
    };
    expect(findBreakingChanges(documentOf(), { ...shared, components })).toEqual([
      'PUT /things/{id} 404 is no longer application/json',
    ]);
  });

  it('a schema has another name', () => {
    const renamed = JSON.parse(JSON.stringify(documentOf()).replaceAll('ThingResponse', 'NamedThing')) as JsonObject;
    expect(findBreakingChanges(documentOf(), renamed)).toEqual([]);
  });
});

function operationOf(document: JsonObject): JsonObject {
  return (document as { paths: Record<string, { put: JsonObject }> }).paths['/things/{id}']?.put ?? {};
}
