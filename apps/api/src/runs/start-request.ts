import { type ExecuteBody, serializeOptions, validationFailed } from '@deckhand/contracts';
import { chooseVersion } from '@deckhand/db';
import type { Caller } from '../auth/caller.ts';
import type { StartRunRequest } from './run-starter.ts';
import { modeOfTest } from './test-run.ts';

/** A start as an operation asks for it. */
export interface AskedStart {
  readonly request: StartRunRequest;
  /** What its idempotency key stands for. */
  readonly asked: object;
}

/** Converts a body to a request for a run. @throws DeckhandError VALIDATION_FAILED for options that exclude another. */
export function toStartRequest(caller: Caller, workflowId: string, body: ExecuteBody): AskedStart {
  const { callbackUrl, debounce, untilNodeId, mocks } = body;
  const mode = modeOfTest(body.executionMode, 'normal', body);
  if (callbackUrl !== undefined && mode !== 'normal') {
    throw validationFailed([{ path: 'callbackUrl', message: 'is for runs in the mode normal: others have no events' }]);
  }
  if (callbackUrl !== undefined && debounce !== undefined) {
    throw validationFailed([{ path: 'callbackUrl', message: 'excludes debounce, by which a run has many callers' }]);
  }
  if ((untilNodeId !== undefined || mocks !== undefined) && debounce !== undefined) {
    const path = untilNodeId === undefined ? 'mocks' : 'untilNodeId';
    throw validationFailed([{ path, message: 'excludes debounce, by which a run has many callers' }]);
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
    ...(mocks === undefined ? {} : { mocks }),
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
    mocks: mocks && JSON.stringify(mocks),
    ...chooseVersion(body.version ?? 'latest'),
  } as const;
  return { request, asked };
}
