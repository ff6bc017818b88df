import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import fresh from 'fresh';
import { DeckhandError } from '@deckhand/contracts';

/** Returns true if `If-None-Match` contains this tag, by weak comparison, or is `*` (RFC 9110, 13.1.2). */
export function hasSeen({ headers }: Request, etag: string): boolean {
  return fresh({ 'if-none-match': headers['if-none-match'] }, { etag });
}

/** Returns the `ETag` of a resource. @param updatedAt when it was changed last. */
export function stateTag(updatedAt: string): string {
  return `"${updatedAt}"`;
}

/** Returns the `ETag` of a response without a revision of its own, from its text. */
export function textTag(text: string): string {
  return `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
}

/** Sets the `ETag` of a resource. @param updatedAt when it was changed last. */
export function setStateTag(response: Response, updatedAt: string): void {
  response.setHeader('ETag', stateTag(updatedAt));
}

/**
 * Returns the states that `If-Match` allows a resource to be in, by the times of its last change (RFC 9110, 13.1.1).
 * Returns undefined if any state will do. Tags are compared strongly, so weak tags match nothing.
 */
export function readIfMatch({ headers }: Request): readonly Date[] | undefined {
  const given = headers['if-match'];
  if (given === undefined || given.trim() === '*') return undefined;
  return [...given.matchAll(/(?<!W\/)"([^"]*)"/g)]
    .map(([, tag = '']) => new Date(tag))
    .filter((time) => !Number.isNaN(time.getTime()));
}

/** Returns true if the resource may only be created, not replaced: `If-None-Match: *` (RFC 9110, 13.1.2). */
export function isForNewOnly({ headers }: Request): boolean {
  return headers['if-none-match']?.trim() === '*';
}

/** Returns true if the request may only change an existing resource: it has `If-Match` (RFC 9110, 13.1.1). */
export function isForExistingOnly({ headers }: Request): boolean {
  return headers['if-match'] !== undefined;
}

/**
 * Refuses a conditional change of a resource that has no ETag.
 * @throws DeckhandError PRECONDITION_FAILED.
 */
export function refuseIfMatch(request: Request): void {
  if (readIfMatch(request) !== undefined) {
    throw new DeckhandError('PRECONDITION_FAILED', {
      message: 'This resource has no ETag: change it without If-Match',
    });
  }
}
