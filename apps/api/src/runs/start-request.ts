import { type ExecuteBody, serializeOptions, validationFailed } from '@deckhand/contracts';
import { chooseVersion } from '@deckhand/db';
import type { Caller } from '../auth/caller.js';
import type { StartRunRequest } from './run-starter.js';
import { modeOfPart } from './test-run.js';

/** A start as an operation asks for it. */
export interface AskedStart {
  readonly request: StartRunRequest;
  /** What its idempotency key stands for. */
  readonly asked: object;
}

/** Converts a body to a request for a run. @throws DeckhandError VALIDATION_FAILED for options that exclude another. */
export function toStartRequest(caller: Caller, workflowId: string, body: ExecuteBody): AskedStart {
  const { callbackUrl, debounce, untilNodeId } = body;
  const mode = modeOfPart(body.executionMode, 'normal', untilNodeId !== undefined);
  if (callbackUrl !== undefined && mode !== 'normal') {
    throw validationFailed([{ path: 'callbackUrl', message: 'is for runs in the mode normal: others have no events' }]);
  }
  if (callbackUrl !== undefined && debounce !== undefined) {
    throw validationFailed([{ path: 'callbackUrl', message: 'excludes debounce, by which a run has many callers' }]);
  }
  if (untilNodeId !== undefined && debounce !== undefined) {
    throw validationFailed([{ path: 'untilNodeId', message: 'excludes debounce, by which a run has many callers' }]);
  }
  const options = serializeOptions(body);
  const asked = {
    triggerNodeId: body.triggerNodeId ?? null,
    mode,
    input: body.input ?? {},
    // Without `version` and options, the hash of the body is the same as in earlier releases.
    ...(body.version === undefined ? {} : { version: body.version }),
    ...(options === undefined ? {} : { options }),
    ...(untilNodeId === undefined ? {} : { untilNodeId }),
  } as const;
  const request = {
    triggerNodeId: asked.triggerNodeId,
    mode: asked.mode,
    workflowId,
    actor: { userId: caller.userId, boundTo: caller.boundTo },
    source: caller.kind === 'key' ? 'api' : 'editor',
    triggerData: JSON.stringify(asked.input),
    options,
    untilNodeId,
    ...chooseVersion(body.version ?? 'latest'),
  } as const;
  return { request, asked };
}
