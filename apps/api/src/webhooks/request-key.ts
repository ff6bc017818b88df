import { validationFailed } from '@deckhand/contracts';
import { type IdempotencyKey, SENDER_KEYS } from '@deckhand/db';
import { evaluateKey } from '@deckhand/nodes';
import type { Request } from 'express';
import { readIdempotencyKey } from '../http/read-request.ts';
import type { WebhookTarget } from './find-target.ts';
import type { TriggerData } from './trigger-data.ts';

/** Maximum length of a sender's id of a request, in characters. */
const MAX_KEY_LENGTH = 255;

/**
 * Returns the key of a request: the one that the trigger's expression finds in it, otherwise its `Idempotency-Key`.
 *
 * An id found by the expression stands for the request by itself: senders change parts of a body when they send it
 * again, such as a count of attempts, and would send it forever if that were a conflict. It is kept apart from ids of
 * other triggers, of test requests, and from headers, which have no spaces.
 * @throws DeckhandError VALIDATION_FAILED if the expression fails, or results in no key. The message has neither data
 * nor the expression, which are not the sender's business.
 */
export function readRequestKey(
  request: Request,
  { settings, nodeId, testActor }: WebhookTarget,
  { trigger, asked }: TriggerData,
): IdempotencyKey | undefined {
  const evaluated = settings.idempotencyKey && evaluateKey(settings.idempotencyKey, trigger, MAX_KEY_LENGTH);
  if (evaluated && 'failure' in evaluated) {
    throw validationFailed([{ path: 'idempotencyKey', message: 'of the trigger has no valid value for this request' }]);
  }
  if (evaluated?.key === undefined) return readIdempotencyKey(request, { nodeId, ...asked });
  return {
    key: `${testActor ? 'webhook-test' : 'webhook'} ${nodeId} ${evaluated.key}`,
    bodyHash: settings.freesFailedKeys ? SENDER_KEYS.freed : SENDER_KEYS.kept,
  };
}
