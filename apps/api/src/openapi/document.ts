import * as contracts from '@deckhand/contracts';
import { ERRORS, ErrorBody, type ErrorCode, EXECUTE_SCOPE, isJsonObject } from '@deckhand/contracts';
import type { TSchema } from 'typebox';
import { accessRule, isClosedToKeys, type NeededScope } from '../auth/access-rule.js';
import type { Operation, Route } from '../http/route.js';

/** A part of the document. */
type Part = Record<string, unknown>;

/** An operation with the name that clients are generated from. */
export type NamedRoute = Route & { readonly id: string };

const JSON_TYPE = 'application/json';

/**
 * The OpenAPI 3.1 document of the operations, made from the schemas that validate: what contracts exports under a name
 * stands under that name in `components`.
 * @param serverUrl the address that callers use.
 */
export function createOpenApiDocument(routes: readonly NamedRoute[], serverUrl: string): object {
  const components = new Components();
  const paths: Record<string, Part> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:([A-Za-z]+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = describe(route, components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Deckhand',
      version: '1',
      description:
        'Run workflows and follow their runs. Every error has a stable `code`; retry 429 after `Retry-After`, 500 and 503 with a growing delay.',
    },
    servers: [{ url: serverUrl }],
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components.schemas(),
      headers: HEADERS,
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        session: { type: 'http', scheme: 'bearer', description: 'The token of a signed-in person' },
      },
    },
  };
}

function header(description: string): Part {
  return { description, schema: { type: 'string' } };
}

/** What responses may have beside their bodies. */
const HEADERS = {
  'X-Request-Id': header("Names the request in the service's log; the caller's, if it sent a sane one"),
  ETag: header('Stands for what was read: for If-None-Match and If-Match'),
  'Idempotency-Replayed': header('true when this is the response to an earlier request with the same Idempotency-Key'),
  'Retry-After': header('Seconds after which to try again'),
  RateLimit: header('What is left of a limit (draft-ietf-httpapi-ratelimit-headers), where one is set'),
  'RateLimit-Policy': header('The limit itself, where one is set'),
} as const;

type HeaderName = keyof typeof HEADERS;

/** Headers by their names in `components`. */
function headersOf(names: readonly HeaderName[]): Part {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function headersOfSuccess({ takesIdempotencyKey, takesIfMatch, answers, errors = [] }: Operation): Part {
  const names: HeaderName[] = ['X-Request-Id'];
  if (takesIfMatch === true || Object.hasOwn(answers, 304)) names.push('ETag');
  if (takesIdempotencyKey === true) names.push('Idempotency-Replayed');
  if (errors.includes('workspace_rate_limited')) names.push('RateLimit', 'RateLimit-Policy');
  return headersOf(names);
}

function headersOfError(status: number, codes: readonly ErrorCode[]): Part {
  const names: HeaderName[] = ['X-Request-Id'];
  if (status === 429 || status === 503) names.push('Retry-After');
  if (codes.includes('workspace_rate_limited')) names.push('RateLimit', 'RateLimit-Policy');
  return headersOf(names);
}

function describeScope({ scope, startsRuns = false }: NeededScope): string {
  if (scope === 'me:read') return 'A key needs any scope at all.';
  const other = startsRuns ? ` or \`${EXECUTE_SCOPE}\`, which may end in \`:\` and the workflow's id` : '';
  return `A key needs the scope \`${scope}\`${other}.`;
}

function describe(route: NamedRoute, components: Components): Part {
  const { operation } = route;
  const rule = route.access === 'key' ? accessRule(route.method, route.path) : undefined;
  const needed = rule?.kind === 'scope' ? rule : undefined;
  return {
    operationId: route.id,
    tags: [tagOf(route)],
    summary: operation.summary,
    ...(needed && { description: describeScope(needed), 'x-required-scope': needed.scope }),
    security: securityOf(route),
    parameters: parametersOf(route, components),
    ...(operation.body === undefined ? {} : { requestBody: bodyOf(operation, operation.body, components) }),
    responses: { ...answersOf(operation, components), ...errorsOf(route, components) },
  };
}

function tagOf({ path }: Route): string {
  const [, first, second] = path.split('/');
  return first === 'api' ? (second ?? 'api') : 'health';
}

function securityOf({ access }: Route): Part[] {
  if (access === 'open') return [];
  return access === 'session' ? [{ session: [] }] : [{ apiKey: [] }, { session: [] }];
}

const CONDITION = 'The `ETag` that was read: a 412 when somebody changed the resource since';
const ONCE = 'The same key and body within 24 hours get the first response, and nothing is done again';

function parametersOf({ path, operation }: Route, components: Components): Part[] {
  const inPath = [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', ...(name === 'nodeId' ? {} : { format: 'uuid' }) },
  }));
  const once: Operation['headers'] = operation.takesIdempotencyKey === true ? { 'Idempotency-Key': ONCE } : {};
  const condition: Operation['headers'] = operation.takesIfMatch === true ? { 'If-Match': CONDITION } : {};
  const inHeader = Object.entries({ ...once, ...condition, ...operation.headers }).map(([name, description]) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  }));
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
      // A default is filled in, so nobody has to say it.
      required: required.has(name) && !(isJsonObject(schema) && Object.hasOwn(schema, 'default')),
      schema: described,
      ...(isObject ? { style: 'deepObject', explode: true } : {}),
      // Separated by commas; repeated parameters are accepted too.
      ...(isList ? { style: 'form', explode: false } : {}),
    };
  });
}

function bodyOf({ isBodyOptional = false }: Operation, schema: TSchema, components: Components): Part {
  return { required: !isBodyOptional, content: { [JSON_TYPE]: { schema: components.refer(schema) } } };
}

function answersOf(operation: Operation, components: Components): Part {
  const { answers, alsoAs = [] } = operation;
  const headers = headersOfSuccess(operation);
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => {
      const description = status === '304' ? 'Not changed' : (operation.returns ?? 'It is done; there is no body');
      if (answer === null) return [status, { description, headers }];
      if (typeof answer === 'string')
        return [status, { description, headers, content: { [answer]: { schema: { type: 'string' } } } }];
      const others = alsoAs.map((type) => [type, { schema: { type: 'string' } }] as const);
      const content = { [JSON_TYPE]: { schema: components.refer(answer) }, ...Object.fromEntries(others) };
      return [status, { description, headers, content }];
    }),
  );
}

/** Errors by status: one status may have several codes. */
function errorsOf(route: Route, components: Components): Part {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codesOf(route))) {
    const { status } = ERRORS[code];
    if (Object.hasOwn(route.operation.answers, status)) continue;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('; '),
        headers: headersOfError(status, codes),
        content: { [JSON_TYPE]: { schema: components.refer(ErrorBody) } },
      },
    ]),
  );
}

function codesOf({ access, method, path, operation }: Route): ErrorCode[] {
  const codes: ErrorCode[] = ['INTERNAL', 'SERVICE_UNAVAILABLE', ...(operation.errors ?? [])];
  const takesBody = method !== 'GET' && method !== 'DELETE';
  // Parameters that an operation does not know are refused by all of them.
  if (path.startsWith('/api/') || takesBody) codes.push('VALIDATION_FAILED');
  if (operation.takesIdempotencyKey === true) codes.push('CONFLICT');
  if (method === 'PATCH' || method === 'PUT') codes.push('PRECONDITION_FAILED');
  if (takesBody) codes.push('INVALID_JSON', 'UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE');
  if (access !== 'open') codes.push('UNAUTHORIZED', 'FORBIDDEN');
  if (isClosedToKeys(path)) codes.push('UNAUTHORIZED', 'SESSION_REQUIRED');
  if (access === 'key') codes.push('INSUFFICIENT_SCOPE', 'WORKSPACE_MISMATCH');
  if (path.includes(':')) codes.push('NOT_FOUND');
  return codes;
}

/** Schemas that contracts exports become components; the same object is the same component. */
class Components {
  readonly #names = new Map<unknown, string>();
  readonly #used = new Map<string, unknown>();

  constructor() {
    for (const [name, value] of Object.entries(contracts)) {
      if (isJsonObject(value) && (Object.hasOwn(value, 'properties') || Object.hasOwn(value, 'enum'))) {
        this.#names.set(value, name);
      }
    }
  }

  /** A schema with its named parts as references. */
  refer(schema: unknown): unknown {
    const name = this.#names.get(schema);
    if (name === undefined) return this.#inline(schema);
    if (!this.#used.has(name)) {
      // Before its parts: a schema may hold itself.
      this.#used.set(name, {});
      this.#used.set(name, this.#inline(schema));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  schemas(): Record<string, unknown> {
    return Object.fromEntries([...this.#used].sort(([a], [b]) => a.localeCompare(b)));
  }

  #inline(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((part) => this.refer(part));
    if (!isJsonObject(schema)) return schema;
    return Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, this.refer(part)]));
  }
}
