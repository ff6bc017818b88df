import type { Request, Response } from 'express';
import { DeckhandError } from '@deckhand/contracts';

/** Whether the caller has what this tag stands for: `If-None-Match` names it, weakly compared, or says `*`. */
export function hasSeen(request: Request, etag: string): boolean {
  const given = request.headers['if-none-match'];
  if (given === undefined) return false;
  const seen = given.split(',').map((tag) => opaque(tag.trim()));
  return seen.includes('*') || seen.includes(opaque(etag));
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}

/** Says what a change of a resource can be made conditional on. @param updatedAt when it was changed last. */
export function sayState(response: Response, updatedAt: string): void {
  response.setHeader('ETag', `"${updatedAt}"`);
}

/**
 * The states that `If-Match` allows a resource to be in, by when it was changed last (RFC 9110, 13.1.1); undefined
 * where any will do. Tags are compared strongly, so weak ones name none.
 */
export function readIfMatch({ headers }: Request): readonly Date[] | undefined {
  const given = headers['if-match'];
  if (given === undefined || given.trim() === '*') return undefined;
  return [...given.matchAll(/(?<!W\/)"([^"]*)"/g)]
    .map(([, tag = '']) => new Date(tag))
    .filter((time) => !Number.isNaN(time.getTime()));
}

/**
 * Refuses to change what has no ETag, where that was to depend on one.
 * @throws DeckhandError PRECONDITION_FAILED.
 */
export function refuseIfMatch(request: Request): void {
  if (readIfMatch(request) !== undefined) {
    throw new DeckhandError('PRECONDITION_FAILED', {
      message: 'This resource has no ETag: change it without If-Match',
    });
  }
}
