import type { ExecuteBody } from '@deckhand/contracts';
import type { IdempotencyKey } from '@deckhand/db';
import type { Caller } from '../auth/caller.ts';
import type { Services } from '../services.ts';
import type { StartedRun } from './run-starter.ts';
import { toStartRequest } from './start-request.ts';
import { startTested } from './test-run.ts';

/**
 * Starts a run of a workflow, and records that in the audit log if a key does it.
 * @param toKey returns the idempotency key of what is asked for, if the caller sent one.
 * @throws DeckhandError as `RunStarter`; VALIDATION_FAILED for options that exclude another, or for a bad key.
 */
export async function startRun(
  services: Services,
  caller: Caller,
  workflowId: string,
  body: ExecuteBody,
  toKey: (asked: object) => IdempotencyKey | undefined,
): Promise<StartedRun> {
  const { noteStart, prepareCallbacks } = services;
  const { request, asked } = toStartRequest(caller, workflowId, body);
  if (body.callbackUrl !== undefined) await prepareCallbacks(caller, workflowId);
  const started = await startTested(
    services,
    caller,
    { ...request, idempotencyKey: toKey(asked) },
    { mocks: body.mocks },
  );
  if (caller.kind === 'key') await noteStart(caller, workflowId, started.executionId);
  return started;
}
