import { isJsonObject } from '@deckhand/contracts';
import { API_VERSION } from '../http/respond.ts';
import { isProbe, type Operation, type Route } from '../http/route.ts';
import type { Components, Part } from './components.ts';

const VERSION = `The version of the API that is wanted, such as ${API_VERSION}: a 400 where there is no such one`;
const CONDITION = 'The `ETag` that was read: a 412 if the resource was changed since';
const FRESH = '`no-cache` reads from the primary database, never from a replica';
const ONCE = 'The same key and body within 24 hours get the first response, and nothing is done again';

/** As in `examples.json`. */
const EXAMPLE_ID = '01a1fb35-e8df-7352-8660-75a19a555616';
const EXAMPLE_NODE_ID = 'total';

/** Returns the parameters of an operation: those in its path, its query, and its headers. */
export function parametersOf(route: Route, components: Components): Part[] {
  const { path, operation } = route;
  const takesSlug = route.access === 'key' && route.needed.startsRuns === true;
  const inPath = [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    ...(takesSlug && { description: 'The id of the workflow, or its slug' }),
    required: true,
    schema: { type: 'string', ...(takesSlug || name === 'nodeId' ? {} : { format: 'uuid' }) },
    example: name === 'nodeId' ? EXAMPLE_NODE_ID : EXAMPLE_ID,
  }));
  const once: Operation['headers'] = operation.takesIdempotencyKey === true ? { 'Idempotency-Key': ONCE } : {};
  const condition: Operation['headers'] = operation.takesIfMatch === true ? { 'If-Match': CONDITION } : {};
  const fresh: Operation['headers'] = operation.readsReplica === true ? { 'Cache-Control': FRESH } : {};
  const version: Operation['headers'] = isProbe(route) ? {} : { 'API-Version': VERSION };
  const inHeader = Object.entries({ ...version, ...once, ...condition, ...fresh, ...operation.headers }).map(
    ([name, description]) => ({
      name,
      in: 'header',
      description,
      schema: { type: 'string' },
    }),
  );
  return [...inPath, ...queryOf(operation, components), ...inHeader];
}

function queryOf({ query }: Operation, components: Components): Part[] {
  if (query === undefined) return [];
  const required = new Set<string>(Array.isArray(query.required) ? query.required : []);
  return Object.entries(query.properties).map(([name, schema]) => {
    const described = components.refer(schema);
    const isObject = isJsonObject(schema) && schema.type === 'object';
    const isList = isJsonObject(schema) && schema.type === 'array';
    return {
      name,
      in: 'query',
      // A parameter with a default is optional.
      required: required.has(name) && !(isJsonObject(schema) && Object.hasOwn(schema, 'default')),
      schema: described,
      ...(isObject ? { style: 'deepObject', explode: true } : {}),
      // Separated by commas; repeated parameters are accepted too.
      ...(isList ? { style: 'form', explode: false } : {}),
    };
  });
}
