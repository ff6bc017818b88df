import { createHmac } from 'node:crypto';
import type { Request, Response } from 'express';
import { DeckhandError } from '@deckhand/contracts';
import {
  type Database,
  finishRequest,
  releaseRequest,
  requireRole,
  type Reservation,
  reserveRequest,
} from '@deckhand/db';
import type { Logger } from '@deckhand/runtime';
import type { Caller } from '../auth/caller.js';
import { readIdempotencyKey } from '../runs/idempotency.js';
import { sendJson, sendJsonText } from './respond.js';

/** A request that is to be carried out once. */
export interface OnceRequest {
  readonly request: Request;
  readonly response: Response;
  readonly caller: Caller;
  /** What the request asks for, as parsed. */
  readonly body: unknown;
}

/** What an act is answered with. */
export interface ActResult {
  readonly status: number;
  readonly body: unknown;
}

/**
 * Carries a request out and answers it. With an `Idempotency-Key`, one that comes again within 24 hours gets the first
 * response and nothing is done. What is put on record by the actor that `act` gets is marked in the same transaction,
 * so it happens once also where processes die; a refused request leaves its key free.
 * @throws DeckhandError CONFLICT when the key stands for another body, or for a request whose response was lost;
 * SERVICE_UNAVAILABLE for one in progress; VALIDATION_FAILED for a bad key; what `act` throws.
 */
export type AnswerOnce = (once: OnceRequest, act: (actor: Caller) => Promise<ActResult>) => Promise<void>;

/**
 * Creates it; responses are kept in PostgreSQL, for all replicas.
 * @param options.hashKey keeps the hashes of bodies from telling the secrets that may be in them.
 */
export function createAnswerOnce(options: { db: Database; logger: Logger; hashKey: string }): AnswerOnce {
  const { db, logger, hashKey } = options;
  async function replay(
    { response, caller }: OnceRequest,
    reservation: Exclude<Reservation, { kind: 'reserved' }>,
  ): Promise<void> {
    if (reservation.kind === 'otherBody') throw conflict('This Idempotency-Key was used with another body');
    if (reservation.kind === 'inProgress') {
      // A 409 would be final for clients that retry as the contract says, and the attempt may be a dead process's.
      const message = 'A request with this Idempotency-Key is in progress';
      throw new DeckhandError('SERVICE_UNAVAILABLE', { message, headers: { 'Retry-After': '1' } });
    }
    // Whoever has lost the workspace since then is not shown again what is in it.
    if (reservation.workspaceId !== null) await requireRole(db, caller, reservation.workspaceId, 'viewer');
    if (reservation.kind === 'lost') {
      const { resourceId } = reservation;
      throw conflict('The request was carried out, but its response was lost', { details: { resourceId } });
    }
    response.setHeader('Idempotency-Replayed', 'true');
    sendJsonText(response, reservation.response.status, reservation.response.json);
  }

  return async (once, act) => {
    const { request, response, caller, body } = once;
    const asked = readIdempotencyKey(request, body ?? null);
    if (!asked) {
      const result = await act(caller);
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
      // Should this fail, the key is free some seconds later.
      await releaseRequest(db, token).catch((err: unknown) => logger.warn({ err }, 'a key could not be released'));
      throw error;
    }
    const json = JSON.stringify(result.body);
    await finishRequest(db, token, { status: result.status, json }).catch((err: unknown) => {
      logger.warn({ err }, 'the response of a request could not be kept');
    });
    sendJsonText(response, result.status, json);
  };
}

function conflict(message: string, options: { details?: object } = {}): DeckhandError {
  return new DeckhandError('CONFLICT', { message, ...options });
}

/** A key that is bound to a workspace is shown no responses of another's. */
function nameOf({ userId, boundTo }: Caller): string {
  return boundTo === null ? userId : `${userId} ${boundTo}`;
}
