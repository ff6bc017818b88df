import type { Request } from 'express';
import {
  compileQuery,
  DeckhandError,
  type ValidationIssue,
  isNodeId,
  isUuid,
  pageQuery,
  validationFailed,
  IDEMPOTENCY_KEY_PATTERN,
} from '@deckhand/contracts';
import Type, { type Static, type TObject } from 'typebox';
import { createHash } from 'node:crypto';
import type { IdempotencyKey } from '@deckhand/db';
import { configure } from 'safe-stable-stringify';

/** Compiles a schema into a function that reads the query string of a request. */
export function queryReader<S extends TObject>(schema: S): (request: Request) => Static<S> {
  const parse = compileQuery(schema);
  return (request) => {
    const { query } = request;
    const issues = Object.entries(query).flatMap(([name, value]): ValidationIssue[] =>
      holdsNul(value) ? [{ path: name, message: 'holds a NUL character' }] : [],
    );
    if (issues.length > 0) throw validationFailed(issues);
    return parse(query);
  };
}

/**
 * Refuses unknown query parameters, so that a misspelled filter never lists everything. `workspaceId` is known
 * everywhere; the caller's access to it is checked before.
 * @throws DeckhandError VALIDATION_FAILED.
 */
export function refuseUnknownParameters(request: Request, known: TObject | undefined): void {
  // Express parses the query on each use, and most requests have none.
  if (!request.url.includes('?')) return;
  const names = Object.keys(request.query);
  const unknown = names.filter((name) => name !== 'workspaceId' && !Object.hasOwn(known?.properties ?? {}, name));
  const issues = [...unknown, ...omittedNames(request.url)].map((path) => ({
    path,
    message: 'is not a known parameter',
  }));
  if (issues.length > 0) throw validationFailed(issues);
}

/** Returns the parameters that the parser omits: `__proto__`, and `startedAt[__proto__]` and its like. */
function omittedNames(url: string): string[] {
  const names = new URLSearchParams(url.slice(url.indexOf('?'))).keys();
  return [...new Set(names)].filter((name) => name.split(/[[\]]+/).includes('__proto__'));
}

/** Returns true for text with NUL characters. PostgreSQL does not support them, so no search could match. */
function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsNul);
}

/** Query of lists without filters. */
export const PageQuery = Type.Object(pageQuery());

/** Reads `limit`, `offset` and `includeTotal`. */
export const readPage = queryReader(PageQuery);

/**
 * Returns an id in the path, in lower case.
 * @throws DeckhandError NOT_FOUND if it is not a UUID.
 */
export function pathId(request: Request, name = 'id'): string {
  const value = request.params[name];
  if (typeof value !== 'string' || !isUuid(value)) throw new DeckhandError('NOT_FOUND');
  return value.toLowerCase();
}

/**
 * Returns the id of a node in the path.
 * @throws DeckhandError NOT_FOUND if no node can have it. So PostgreSQL gets no text that it refuses, such as NUL.
 */
export function pathNodeId(request: Request): string {
  const value = request.params.nodeId;
  if (typeof value !== 'string' || !isNodeId(value)) throw new DeckhandError('NOT_FOUND', { message: 'No such node' });
  return value;
}

const KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/** Serializes JSON with its members in a fixed order. */
const canonical = configure({ deterministic: true, circularValue: Error });

/**
 * Reads the `Idempotency-Key` of a request, and hashes what the request asks for.
 * @param asked the parsed request.
 * @returns undefined without the header.
 * @throws DeckhandError VALIDATION_FAILED if the key is empty, too long or not visible ASCII.
 */
export function readIdempotencyKey(request: Request, asked: unknown): IdempotencyKey | undefined {
  const key = readKeyHeader(request);
  return key === undefined ? undefined : toIdempotencyKey(key, asked);
}

/** Reads the header alone. @throws DeckhandError VALIDATION_FAILED as above. */
export function readKeyHeader(request: Request): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw validationFailed([{ path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }]);
  }
  return key;
}

/** Returns a key with the hash of what its request asks for. */
export function toIdempotencyKey(key: string, asked: unknown): IdempotencyKey {
  return {
    key,
    bodyHash: createHash('sha256')
      .update(canonical(asked) ?? '')
      .digest('hex'),
  };
}
