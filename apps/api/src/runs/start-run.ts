import {
  type ExecuteBody,
  serializeOptions,
  validationFailed,
  type ExecuteResponse,
  type WorkerCounts,
} from '@deckhand/contracts';
import { chooseVersion, type IdempotencyKey } from '@deckhand/db';
import type { Caller } from '../auth/caller.ts';
import type { StartContext } from '../contexts.ts';
import { isTest, type StartedRun, type StartRunRequest } from './run-starter.ts';
import { modeOfTest, startTested } from './test-run.ts';

/**
 * Starts a run of a workflow, and records that in the audit log if a key does it.
 * @param toKey returns the idempotency key of what is asked for, if the caller sent one.
 * @throws DeckhandError as `RunStarter`; VALIDATION_FAILED for options that exclude another, or for a bad key.
 */
export async function startRun(
  context: StartContext,
  caller: Caller,
  workflowId: string,
  body: ExecuteBody,
  toKey: (asked: object) => IdempotencyKey | undefined,
): Promise<StartedRun> {
  const { noteStart, prepareCallbacks } = context;
  const { request, asked } = toStartRequest(caller, workflowId, body);
  if (body.callbackUrl !== undefined) await prepareCallbacks(caller, workflowId);
  const keyed = { ...request, idempotencyKey: toKey(asked) };
  const started = isTest(body)
    ? await startTested(context, caller, keyed, { mocks: body.mocks })
    : await context.runStarter.start(keyed);
  if (caller.kind === 'key') await noteStart(caller, workflowId, started.executionId);
  return started;
}

/** A start as an operation asks for it. */
export interface AskedStart {
  readonly request: StartRunRequest;
  /** What its idempotency key stands for. */
  readonly asked: object;
}

/** Converts a body to a request for a run. @throws DeckhandError VALIDATION_FAILED for options that exclude another. */
export function toStartRequest(caller: Caller, workflowId: string, body: ExecuteBody): AskedStart {
  const { callbackUrl, debounce, untilNodeId, mocks } = body;
  const mode = isTest(body) ? modeOfTest(body.executionMode, 'normal', body) : (body.executionMode ?? 'normal');
  if (callbackUrl !== undefined && mode !== 'normal') {
    throw validationFailed([{ path: 'callbackUrl', message: 'is for runs in the mode normal: others have no events' }]);
  }
  if (callbackUrl !== undefined && debounce !== undefined) {
    throw validationFailed([{ path: 'callbackUrl', message: 'excludes debounce, by which a run has many callers' }]);
  }
  if (isTest(body) && debounce !== undefined) {
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

/** Returns the response to every request that starts a run. It has a warning if no worker can take the run. */
export function startedAnswer(started: StartedRun, workers: WorkerCounts): ExecuteResponse {
  return {
    message: startedMessage(started),
    executionId: started.executionId,
    ...(started.isDebounced === true && { isDebounced: true }),
    ...workersAnswer(workers, started.isDelayed),
  };
}

/** Says what happens to a run that was accepted. */
export function startedMessage({ isDelayed, isDebounced }: Pick<StartedRun, 'isDelayed' | 'isDebounced'>): string {
  if (isDebounced === true) return 'The start was joined with that of an earlier run';
  return isDelayed ? 'The run is accepted and starts later' : 'The run is queued';
}

/** Returns the workers that could take runs, and a warning without any. A run that starts later needs none yet. */
export function workersAnswer(workers: WorkerCounts, isDelayed = false): Pick<ExecuteResponse, 'workers' | 'warning'> {
  const warning = isDelayed ? undefined : warningFor(workers);
  return warning === undefined ? { workers } : { workers, warning };
}

function warningFor(workers: WorkerCounts): string | undefined {
  if (workers.live === 0) return 'No worker is running: the run stays pending until one starts';
  if (workers.consuming === 0) return 'No worker accepts runs at the moment: the run stays pending until one does';
  return undefined;
}
