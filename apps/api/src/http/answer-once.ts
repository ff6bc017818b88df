import { createHmac } from 'node:crypto';
import type { Request, Response } from 'express';
import { DeckhandError } from '@deckhand/contracts';
import {
  type Database,
  finishRequest,
  releaseRequest,
  requirePermission,
  type Reservation,
  reserveRequest,
} from '@deckhand/db';
import type { Logger } from '@deckhand/runtime';
import type { Caller } from '../auth/caller.ts';
import { readIdempotencyKey } from './read-request.ts';
import { sendJson, sendJsonText } from './respond.ts';

/** A request that must have its effect only once. */
export interface OnceRequest {
  readonly request: Request;
  readonly response: Response;
  readonly caller: Caller;
  /** The parsed request. */
  readonly body: unknown;
}

/** The response to a request that was carried out. */
export interface ActResult {
  readonly status: number;
  readonly body: unknown;
  /** Its ETag, if it has one: repeated requests get it, too. */
  readonly etag?: string;
}

/**
 * Carries out a request and sends its response. A request that is repeated within 24 hours with the same
 * `Idempotency-Key` gets the first response again, and has no effect. The key is marked in the transaction that records
 * the change of the actor passed to `act`, so the effect happens once even if processes die. A refused request frees
 * its key.
 * @throws DeckhandError CONFLICT if the key belongs to another body or `If-Match`, or to a request whose response was
 * lost;
 * SERVICE_UNAVAILABLE if the first request is in progress; VALIDATION_FAILED for a bad key; the errors of `act`.
 */
export type AnswerOnce = (once: OnceRequest, act: (actor: Caller) => Promise<ActResult>) => Promise<void>;

/**
 * Creates the function. Responses are kept in PostgreSQL, for all replicas.
 * @param options.hashKey a key for the hashes of bodies, so that they do not reveal secrets in them.
 */
export function createAnswerOnce(options: { db: Database; logger: Logger; hashKey: string }): AnswerOnce {
  const { db, logger, hashKey } = options;
  async function replay(
    { response, caller }: OnceRequest,
    reservation: Exclude<Reservation, { kind: 'reserved' }>,
  ): Promise<void> {
    if (reservation.kind === 'otherBody') throw conflict('This Idempotency-Key was used with another body or If-Match');
    if (reservation.kind === 'inProgress') {
      // Clients that follow the contract do not retry a 409, and the attempt may be that of a dead process.
      const message = 'A request with this Idempotency-Key is in progress';
      throw new DeckhandError('SERVICE_UNAVAILABLE', { message, headers: { 'Retry-After': '1' } });
    }
    // A caller that has lost access to the workspace since then does not get the response again.
    if (reservation.workspaceId !== null) await requirePermission(db, caller, reservation.workspaceId, 'workspace.see');
    if (reservation.kind === 'lost') {
      const { resourceId } = reservation;
      throw conflict('The request was carried out, but its response was lost', { details: { resourceId } });
    }
    const { status, json, etag } = reservation.response;
    response.setHeader('Idempotency-Replayed', 'true');
    if (etag !== null) response.setHeader('ETag', etag);
    sendJsonText(response, status, json);
  }

  return async (once, act) => {
    const { request, response, caller, body } = once;
    const condition = request.headers['if-match'];
    // Without a condition, the hash stays that of the body: processes of other versions know it.
    const asked = readIdempotencyKey(request, condition === undefined ? (body ?? null) : { condition, body });
    if (!asked) {
      const result = await act(caller);
      if (result.etag !== undefined) response.setHeader('ETag', result.etag);
      sendJson(response, result.status, result.body);
      return;
    }
    const path = request.path.replace(/\/$/, '');
    const bodyHash = createHmac('sha256', hashKey).update(asked.bodyHash).digest('hex');
    const reservation = await reserveRequest(db, { key: asked.key, bodyHash, path, caller: nameOf(caller) });
    if (reservation.kind !== 'reserved') {
      await replay(once, reservation);
      return;
    }
    const { token } = reservation;
    let result: ActResult;
    try {
      result = await act({ ...caller, requestToken: token });
    } catch (error) {
      // If this fails, the key becomes free some seconds later.
      await releaseRequest(db, token).catch((err: unknown) =>
        logger.warn({ err }, 'failed to release an idempotency key'),
      );
      throw error;
    }
    const { status, etag = null } = result;
    const json = JSON.stringify(result.body);
    await finishRequest(db, token, { status, json, etag }).catch((err: unknown) => {
      logger.warn({ err }, 'failed to keep the response of a request');
    });
    if (etag !== null) response.setHeader('ETag', etag);
    sendJsonText(response, status, json);
  };
}

function conflict(message: string, options: { details?: object } = {}): DeckhandError {
  return new DeckhandError('CONFLICT', { message, ...options });
}

/** Denies responses of other workspaces to a key that is bound to one. */
function nameOf({ userId, boundTo }: Caller): string {
  return boundTo === null ? userId : `${userId} ${boundTo}`;
}
