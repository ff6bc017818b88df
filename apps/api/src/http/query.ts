import type { Request } from 'express';
import { compileQuery, DeckhandError, type Fault, isUuid, pageQuery, validationFailed } from '@deckhand/contracts';
import Type, { type Static, type TObject } from 'typebox';

/** Compiles a schema into a reader of a request's query string. */
export function queryReader<S extends TObject>(schema: S): (request: Request) => Static<S> {
  const parse = compileQuery(schema);
  return (request) => {
    const { query } = request;
    const faults = Object.entries(query).flatMap(([name, value]): Fault[] =>
      holdsNul(value) ? [{ path: name, message: 'holds a NUL character' }] : [],
    );
    if (faults.length > 0) throw validationFailed(faults);
    return parse(query);
  };
}

/**
 * Refuses parameters that an operation does not know, so that a misspelled filter never lists everything. `workspaceId`
 * is known everywhere: whether the caller may name it is checked by then.
 * @throws DeckhandError VALIDATION_FAILED.
 */
export function refuseUnknownParameters({ query }: Request, known: TObject | undefined): void {
  const faults = Object.keys(query)
    .filter((name) => name !== 'workspaceId' && !Object.hasOwn(known?.properties ?? {}, name))
    .map((path) => ({ path, message: 'is not a known parameter' }));
  if (faults.length > 0) throw validationFailed(faults);
}

/** PostgreSQL has no text with NUL characters, so no search could find any. */
function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsNul);
}

/** The query of lists without filters. */
export const PageQuery = Type.Object(pageQuery());

/** Reads `limit`, `offset` and `includeTotal`. */
export const readPage = queryReader(PageQuery);

/**
 * An id in the path, in lower case. What is no UUID is the id of nothing.
 * @throws DeckhandError NOT_FOUND.
 */
export function pathId(request: Request, name = 'id'): string {
  const value = request.params[name];
  if (typeof value !== 'string' || !isUuid(value)) throw new DeckhandError('NOT_FOUND');
  return value.toLowerCase();
}
