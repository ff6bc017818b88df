import { v7 as uuidv7 } from 'uuid';
import { DeckhandError, hasKey, priorityOf } from '@deckhand/contracts';
import {
  type Accepted,
  createRunStarts,
  type Database,
  failUnqueuedExecutions,
  type KeyedStart,
  readStorage,
  type StartLimits,
  type StartRequest,
  recordStart,
} from '@deckhand/db';
import { createFairSemaphore, withWorkflowKey } from '@deckhand/nodes';
import { type RunSnapshot, isOutOfMemory, type QueuedRun, type QueueProducer } from '@deckhand/queue';
import { createBatcher, type Logger, type RunCounters, type Tracing } from '@deckhand/runtime';
import type { CountedRate } from '../http/rate-limit.ts';
import { isForAnonymous, startRefused, toCountedRate } from './start-errors.ts';
import type { WriteBreaker } from './write-breaker.ts';
import { LRUCache } from 'lru-cache';
import type { KeyCaller } from '../auth/caller.ts';

/** What a caller asks for. */
export interface StartRunRequest extends Omit<StartRequest, 'executionId' | 'traceParent'> {
  /** Whether this process waits for the result (`AwaitRun`). */
  readonly isAwaited?: boolean;
}

/** A run that was started by this request, or by an earlier one with the same idempotency key. */
export interface StartedRun {
  readonly executionId: string;
  readonly isRepeated: boolean;
  /** Whether it starts later. */
  readonly isDelayed: boolean;
  /** Whether this start was joined with that of the run. */
  readonly isDebounced?: boolean;
  /** The state of the workspace's limit of runs per minute, if the run counts towards one. */
  readonly rate?: CountedRate | undefined;
}

/** Accepts new runs. */
export interface RunStarter {
  /**
   * Writes a run to the database and adds it to the queue. Returns the earlier run if the idempotency key names one.
   * @throws DeckhandError NOT_FOUND, FORBIDDEN, NO_ACTIVE_VERSION, WEBHOOK_INACTIVE (a trigger's run),
   * VALIDATION_FAILED (unknown trigger, an input that does not fit its schema), CONCURRENCY_LIMIT, CONFLICT (the key
   * stands for another body), workspace_over_quota, workspace_rate_limited, write_circuit_open;
   * QUEUE_UNAVAILABLE with the `executionId` of the run that is marked failed.
   */
  start(request: StartRunRequest): Promise<StartedRun>;
}

/** Maximum number of runs per statement, and of statements at the same time. */
const BATCH = { maxSize: 200, concurrency: 2 } as const;
/** A run with more trigger data, in characters, is written by itself, so that batches stay bounded. */
const MAX_BATCHED_CHARACTERS = 65_536;
/** How many such runs are written at the same time. Each occupies its connection for long. */
const MAX_LARGE_WRITES = 2;
/**
 * How many runs with keys are written at the same time, and how many of them for one caller: each may wait for the lock
 * of its key.
 */
const MAX_KEYED_WRITES = 3;
const MAX_KEYED_WRITES_OF_CALLER = 2;

/** Creates a run starter. Runs that arrive together are inserted by one statement and queued by one pipeline. */
export function createRunStarter(options: {
  db: Database;
  queue: QueueProducer;
  /** Counts a run towards the limit of runs per minute of its workspace. */
  count: StartLimits['count'];
  checkInput: StartLimits['checkInput'];
  breaker: WriteBreaker;
  runs: RunCounters;
  /** Runs belong to its current span. */
  tracing: Tracing | undefined;
  /** Notifies workers and callers of runs that were stopped for a new one. */
  onStopped: (executionIds: readonly string[]) => Promise<void>;
  logger: Logger;
}): RunStarter {
  const { db, queue, count, checkInput, breaker, runs, tracing, onStopped, logger } = options;
  const startOne = createRunStarts(db, { checkInput, addKey: withWorkflowKey, count }, gather);
  const enqueue = createBatcher({ ...BATCH, flush: enqueueAll });
  const readUsage = createBatcher({ ...BATCH, flush: readUsages });

  /**
   * Runs that arrive together are written by one statement, those with idempotency keys by another, because it may wait
   * for a key. Large runs, and those with a key of a limit, are written alone and wait for a permit, which people and
   * webhooks share fairly.
   */
  function gather<R extends StartRequest, V>(
    write: (requests: readonly R[]) => Promise<V[]>,
  ): (request: R) => Promise<V> {
    const flush = (requests: R[]): Promise<V[]> => breaker.watch(() => write(requests));
    const plain = createBatcher({ ...BATCH, flush });
    const once = createBatcher({ ...BATCH, flush });
    const large = createFairSemaphore(MAX_LARGE_WRITES);
    const keyed = createFairSemaphore(MAX_KEYED_WRITES, MAX_KEYED_WRITES_OF_CALLER);
    return async (request) => {
      const permits = hasKey(request.options) ? keyed : isLarge(request) ? large : undefined;
      if (!permits) return request.idempotencyKey ? once(request) : plain(request);
      const release = await permits.acquire(request.actor?.userId ?? request.workflowId, new AbortController().signal);
      try {
        const [verdict] = await flush([request]);
        if (verdict === undefined) throw new Error('a start has no verdict');
        return verdict;
      } finally {
        release();
      }
    };
  }

  /** Reads the usage of storage once for each workflow. */
  async function readUsages(workflowIds: string[]): Promise<(object | undefined)[]> {
    const distinct = [...new Set(workflowIds)];
    const usages = await Promise.all(distinct.map((id) => readStorage(db, id)));
    return workflowIds.map((id) => usages[distinct.indexOf(id)]);
  }

  /** Queues runs. @returns for each whether it goes on. A run that could not be queued is marked failed. */
  async function enqueueAll(accepted: QueuedRun[]): Promise<boolean[]> {
    const ids = accepted.map(({ executionId }) => executionId);
    try {
      await queue.add(accepted);
      return ids.map(() => true);
    } catch (error) {
      logger.error({ err: error, executions: ids.length }, 'failed to queue runs');
      if (isOutOfMemory(error)) breaker.suspect();
      const failed = await failUnqueuedExecutions(db, ids);
      runs.finished('failed', failed.size);
      return ids.map((id) => !failed.has(id));
    }
  }

  /** Queues the runs that have a slot now, and announces those that were stopped. Maintenance makes up for failures. */
  async function announceKeyed({ dispatched, stopped }: KeyedStart): Promise<void> {
    await onStopped(stopped);
    if (dispatched.length === 0) return;
    await queue.add(dispatched).catch((err: unknown) => {
      logger.warn({ err, executions: dispatched.length }, 'failed to queue runs with a key, retrying');
    });
  }

  return {
    async start(asked) {
      breaker.check();
      const executionId = uuidv7();
      const request = { executionId, traceParent: tracing?.current(), ...asked };
      const outcome = await startOne(request);
      if (outcome.kind === 'repeated') {
        return { executionId: outcome.executionId, isRepeated: true, isDelayed: outcome.isDelayed };
      }
      if (outcome.kind !== 'accepted') {
        const isShown = outcome.kind === 'overQuota' && !isForAnonymous(request);
        throw startRefused(outcome, request, isShown ? await readUsage(request.workflowId) : undefined);
      }
      const { run, underKey, joined, counted, workspaceId } = outcome;
      if (joined) return { ...joined, isRepeated: false, isDebounced: true };
      runs.accepted(request.source);
      if (underKey) await announceKeyed(underKey);
      const hasBegun = underKey?.dispatched.some((dispatched) => dispatched.executionId === executionId);
      const isDelayed = hasBegun === undefined ? run?.isDelayed === true : !hasBegun;
      const rate = counted && !isForAnonymous(request) ? toCountedRate(counted) : undefined;
      const started = { executionId, isRepeated: false, isDelayed, rate };
      // It rests: maintenance queues it when its time has come. A run with a key is queued with the others of the key.
      if (underKey || isDelayed) return started;
      const priority = priorityOf(request.options);
      const snapshot = toSnapshot(request, outcome);
      if (!(await enqueue({ executionId, dispatch: 1, workspaceId, priority, snapshot })))
        throw new DeckhandError('QUEUE_UNAVAILABLE', { extra: { executionId } });
      return started;
    },
  };
}

/** Returns whether a run is a test of a part of its workflow: it ends after a node, or has mocks. */
export function isTest({ untilNodeId, mocks }: { readonly untilNodeId?: unknown; readonly mocks?: unknown }): boolean {
  return untilNodeId !== undefined || mocks !== undefined;
}

function isLarge({ triggerData }: StartRequest): boolean {
  return triggerData.length > MAX_BATCHED_CHARACTERS;
}

/** Returns the snapshot of a run for its job. Returns undefined if a claim needs more, or a slot under a limit. */
function toSnapshot(
  request: StartRequest & Pick<StartRunRequest, 'isAwaited'>,
  { workspaceId, run }: Accepted,
): RunSnapshot | undefined {
  if (isTest(request) || !run || run.isLimited || request.rerunOf !== undefined) return undefined;
  return {
    workspaceId,
    workflowId: request.workflowId,
    workflowVersionId: run.workflowVersionId,
    executionMode: request.mode,
    triggerNodeId: run.triggerNodeId,
    triggerData: request.triggerData,
    deadlineAt: run.deadlineAt.getTime(),
    queuedAt: Date.now(),
    traceParent: request.traceParent ?? null,
    ...(request.isAwaited === true && { isAwaited: true }),
  };
}

/** Records in the audit log that a key started a run of a workflow. Never rejects: the run is accepted already. */
export type NoteStart = (caller: KeyCaller, workflowId: string, executionId: string) => Promise<void>;

/** How long one record covers further starts. A record of every start would cost a write per run. */
const COVERED_MS = 60 * 60 * 1_000;
const MAX_REMEMBERED = 20_000;

/** Creates a recorder that writes one entry per hour for each key, workflow, address and process. */
export function createNoteStart({ db, logger }: { db: Database; logger: Logger }): NoteStart {
  const recorded = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: COVERED_MS });
  return async (caller, workflowId, executionId) => {
    const key = [caller.apiKeyId, workflowId, caller.origin?.().address].join(' ');
    if (recorded.has(key)) return;
    recorded.set(key, true);
    try {
      await recordStart(db, caller, workflowId, executionId);
    } catch (err) {
      recorded.delete(key);
      logger.error(
        { err, workflowId, executionId, apiKeyId: caller.apiKeyId },
        'audit record of a start could not be written',
      );
    }
  };
}
