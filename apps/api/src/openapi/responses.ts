import { ERROR_TEXTS, ERRORS, type ErrorCode, ErrorResponse } from '@deckhand/contracts';
import { isClosedToKeys } from '../auth/authenticate.ts';
import { isProbe, type Operation, type Route } from '../http/route.ts';
import type { Components, Part } from './components.ts';

export const JSON_TYPE = 'application/json';

function header(description: string): Part {
  return { description, schema: { type: 'string' } };
}

/** Parts of a response other than its body. */
const HEADERS = {
  'X-Request-Id': header("Names the request in the service's log; the caller's, if it sent a sane one"),
  'API-Version': header('The version of the API that the response is of'),
  Age: header('For a response from a read replica: how many seconds its data may be old'),
  ETag: header('Stands for what was read: for If-None-Match and If-Match'),
  'Idempotency-Replayed': header('true when this is the response to an earlier request with the same Idempotency-Key'),
  'Retry-After': header('Seconds after which to try again'),
  RateLimit: header('What is left of a limit (draft-ietf-httpapi-ratelimit-headers), where one is set'),
  'RateLimit-Policy': header('The limit itself, where one is set'),
  Deprecation: header('Since when the operation is deprecated (RFC 9745)'),
  Sunset: header('From when the operation may be gone (RFC 8594)'),
  Link: header('The page about the code of an error (`help`); of deprecated operations, what replaces them'),
} as const;

type HeaderName = keyof typeof HEADERS;

function refer(names: readonly HeaderName[], components: Components): Part {
  return Object.fromEntries(names.map((name) => [name, components.referHeader(name, HEADERS[name])]));
}

/** Returns the headers that all responses of an operation have. */
function commonHeaders(route: Route): HeaderName[] {
  return [
    'X-Request-Id',
    ...(isProbe(route) ? [] : (['API-Version'] as const)),
    ...(route.operation.deprecated ? (['Deprecation', 'Sunset', 'Link'] as const) : []),
  ];
}

function headersOfSuccess(route: Route, hasETag: boolean): HeaderName[] {
  const { takesIdempotencyKey, readsReplica, errors = [] } = route.operation;
  const names = commonHeaders(route);
  if (readsReplica === true) names.push('Age');
  if (hasETag) names.push('ETag');
  if (takesIdempotencyKey === true) names.push('Idempotency-Replayed');
  if (errors.includes('workspace_rate_limited')) names.push('RateLimit', 'RateLimit-Policy');
  return names;
}

function headersOfError(route: Route, status: number, codes: readonly ErrorCode[]): HeaderName[] {
  const names = commonHeaders(route);
  if (!isProbe(route)) names.push('Link');
  if (status === 429 || status === 503) names.push('Retry-After');
  if (codes.includes('workspace_rate_limited')) names.push('RateLimit', 'RateLimit-Policy');
  return names;
}

/**
 * Returns the successful responses of an operation. @param hasETag whether its resource can be changed with `If-Match`.
 * @param examples bodies by status.
 */
export function successesOf(
  route: Route,
  components: Components,
  { hasETag, examples = {} }: { hasETag: boolean; examples?: Readonly<Record<string, unknown>> | undefined },
): Part {
  const { operation } = route;
  const { responses, alsoAs = [], events } = operation;
  const headers = refer(headersOfSuccess(route, hasETag || Object.hasOwn(responses, 304)), components);
  return Object.fromEntries(
    Object.entries(responses).map(([status, answer]) => {
      const description = status === '304' ? 'Not changed' : (operation.returns ?? 'It is done; there is no body');
      if (answer === null) return [status, { description, headers }];
      const example = Object.hasOwn(examples, status) ? { example: examples[status] } : {};
      if (typeof answer === 'string') {
        const content = { [answer]: events ? streamOf(events, components, example) : { schema: { type: 'string' } } };
        return [status, { description, headers, content }];
      }
      const others = alsoAs.map((type) => [type, { schema: { type: 'string' } }] as const);
      const content = {
        [JSON_TYPE]: { schema: components.refer(answer), ...example },
        ...Object.fromEntries(others),
      };
      return [status, { description, headers, content }];
    }),
  );
}

/**
 * A stream of Server-Sent Events. OpenAPI 3.1 cannot describe one: generators take the schema as that of the data of an
 * event, and `x-events` maps event names to schemas (decision 22).
 */
function streamOf(events: NonNullable<Operation['events']>, components: Components, example: Part): Part {
  const schemas = Object.values(events).map((schema) => components.refer(schema));
  return {
    schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas },
    ...example,
    'x-events': Object.fromEntries(Object.keys(events).map((name, at) => [name, { data: schemas[at] }])),
  };
}

/**
 * The HTTP server itself sends this response for every operation, but elsewhere it would be an error without a schema.
 */
const TOO_SLOW: Part = { description: 'The request did not arrive in time' };

/** Returns the errors of a route by status; a status may have several codes. */
export function errorsOf(route: Route, components: Components): Part {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of [...new Set(codesOf(route))].sort()) {
    const { status } = ERRORS[code];
    if (Object.hasOwn(route.operation.responses, status)) continue;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const errors = Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      // Operations with the same errors and headers share one response.
      const kinds = [...(isProbe(route) ? ['probe'] : []), ...(route.operation.deprecated ? ['deprecated'] : [])];
      const name = [status, ...codes, ...kinds].join('.');
      return [String(status), components.referResponse(name, () => errorOf(route, status, codes, components))];
    }),
  );
  return isProbe(route) ? { ...errors, 408: TOO_SLOW } : errors;
}

function errorOf(route: Route, status: number, codes: readonly ErrorCode[], components: Components): Part {
  return {
    description: codes.map((code) => `\`${code}\`: ${explain(code)}`).join('\n\n'),
    headers: refer(headersOfError(route, status, codes), components),
    content: {
      [JSON_TYPE]: {
        schema: components.refer(ErrorResponse),
        examples: Object.fromEntries(codes.map((code) => [code, components.referExample(code)])),
      },
    },
  };
}

/** Returns when a response has a code, as text: links of docs would lead nowhere from here. */
function explain(code: ErrorCode): string {
  const { when, retry } = ERROR_TEXTS[code];
  const text = when.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  return retry === 'no' ? `${text}.` : `${text}. Try again: ${retry}.`;
}

function codesOf({ access, method, path, operation }: Route): ErrorCode[] {
  const codes: ErrorCode[] = ['INTERNAL', 'SERVICE_UNAVAILABLE', ...(operation.errors ?? [])];
  const takesBody = method !== 'GET' && method !== 'DELETE';
  // All operations refuse unknown parameters.
  if (path.startsWith('/api/') || takesBody) codes.push('VALIDATION_FAILED');
  if (operation.takesIdempotencyKey === true) codes.push('CONFLICT');
  if (method === 'PATCH' || method === 'PUT') codes.push('PRECONDITION_FAILED');
  if (takesBody) codes.push('INVALID_JSON', 'UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE');
  if (access !== 'open') codes.push('UNAUTHORIZED', 'FORBIDDEN');
  if (operation.confirmsPerson === true) codes.push('CONFIRMATION_REQUIRED');
  if (isClosedToKeys(path)) codes.push('UNAUTHORIZED', 'SESSION_REQUIRED');
  if (access === 'key') codes.push('INSUFFICIENT_SCOPE', 'WORKSPACE_MISMATCH');
  if (path.includes(':')) codes.push('NOT_FOUND');
  return codes;
}
