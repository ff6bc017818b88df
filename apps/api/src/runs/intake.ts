import { v7 as uuidv7 } from 'uuid';
import { DeckhandError, type Fault, validationFailed } from '@deckhand/contracts';
import {
  type Accepted,
  acceptExecutions,
  acceptOnce,
  type AcceptOnceVerdict,
  type AcceptRequest,
  type AcceptVerdict,
  type Database,
  failUnqueuedExecutions,
  isAccepted,
  readStorage,
  type NotCounted,
  type Once,
} from '@deckhand/db';
import { createFairSemaphore } from '@deckhand/nodes';
import { type ExecutionRate, type RunSnapshot, isOutOfMemory, type QueuedRun, type RunQueue } from '@deckhand/queue';
import { createBatcher, type Logger, type RunCounters, type Tracing } from '@deckhand/runtime';
import { type CountedRate, rateLimited } from '../http/rate-limit.js';
import type { WriteBreaker } from './write-breaker.js';

/** A run to start. */
export type RunOrder = Omit<AcceptRequest, 'executionId' | 'countedUnder' | 'traceParent'>;

/** A run that was started, by this order or by an earlier one with the same key. */
export interface StartedRun {
  readonly executionId: string;
  readonly isRepeated: boolean;
  /** How the workspace's limit of runs a minute stands, where the run was counted. */
  readonly rate?: CountedRate | undefined;
}

/** Where runs come in. */
export interface Intake {
  /**
   * Writes a run down and puts it in the queue. With `once`, a key that stands for an earlier run answers with that
   * one.
   * @throws DeckhandError NOT_FOUND, FORBIDDEN, NO_ACTIVE_VERSION, WEBHOOK_INACTIVE (a trigger's run),
   * VALIDATION_FAILED (unknown trigger), CONFLICT (the key stands for another body), workspace_over_quota,
   * workspace_rate_limited, write_circuit_open; QUEUE_UNAVAILABLE with the `executionId` of the run that is marked
   * failed.
   */
  start(order: RunOrder, once?: Once): Promise<StartedRun>;
}

/** Runs of one statement at most, and statements at once. */
const BATCH = { maxSize: 200, concurrency: 2 } as const;
/** Trigger data above this many characters is written by itself, so that no batch grows without bound. */
const BATCHED_CHARACTERS_MAX = 65_536;
/** Such runs that are written at once: each keeps its connection for long, and and people and webhooks share the places fairly. */
const LARGE_AT_ONCE = 2;

/** Runs that arrive together are inserted by one statement and queued by one pipeline. */
export function createIntake(options: {
  db: Database;
  queue: RunQueue;
  rate: ExecutionRate;
  breaker: WriteBreaker;
  runs: RunCounters;
  /** Whose current span the runs belong to. */
  tracing: Tracing | undefined;
  logger: Logger;
}): Intake {
  const { db, queue, rate, breaker, runs, tracing, logger } = options;
  const insert = createBatcher({ ...BATCH, flush: insertAll });
  const enqueue = createBatcher({ ...BATCH, flush: enqueueAll });
  const semaphore = createFairSemaphore(LARGE_AT_ONCE);

  function insertAll(requests: AcceptRequest[]): Promise<AcceptVerdict[]> {
    return breaker.watch(() => acceptExecutions(db, requests));
  }

  /** @returns for each run whether it goes on; one that does not is marked failed. */
  async function enqueueAll(accepted: QueuedRun[]): Promise<boolean[]> {
    const ids = accepted.map(({ executionId }) => executionId);
    try {
      await queue.add(accepted);
      return ids.map(() => true);
    } catch (error) {
      logger.error({ err: error, executions: ids.length }, 'could not queue runs');
      if (isOutOfMemory(error)) breaker.suspect();
      const failed = await failUnqueuedExecutions(db, ids);
      runs.finished('failed', failed.size);
      return ids.map((id) => !failed.has(id));
    }
  }

  async function insertOne(request: AcceptRequest): Promise<AcceptVerdict | undefined> {
    if (!isLarge(request)) return insert(request);
    const [verdict] = await insertAll([request]);
    return verdict;
  }

  /** Writes one run, or lets it wait for its turn when it is large. */
  async function write(request: AcceptRequest, once: Once | undefined): Promise<AcceptOnceVerdict | undefined> {
    const release = isLarge(request)
      ? await semaphore.acquire(request.actor?.userId ?? request.workflowId, new AbortController().signal)
      : undefined;
    try {
      return once ? await breaker.watch(() => acceptOnce(db, request, once)) : await insertOne(request);
    } finally {
      release?.();
    }
  }

  /**
   * Runs of a workspace with a limit are counted once, after all else about them is found right. Callers of webhooks
   * are told when to come back and no numbers: the limit is no matter of theirs.
   */
  async function accept(
    request: AcceptRequest,
    once: Once | undefined,
    counted?: CountedRate,
  ): Promise<{ verdict: Counted | undefined; counted: CountedRate | undefined }> {
    const verdict = await write(request, once);
    if (typeof verdict !== 'object' || verdict.kind !== 'notCounted') return { verdict, counted };
    const { workspaceId, executionsPerMinute } = verdict;
    const now: CountedRate = { name: 'workspace-runs', ...(await rate(workspaceId, executionsPerMinute)) };
    if (now.isBeyond) {
      throw isForStranger(request)
        ? new DeckhandError('workspace_rate_limited', { headers: { 'Retry-After': String(now.resetSeconds) } })
        : rateLimited('workspace_rate_limited', now);
    }
    return accept({ ...request, countedUnder: executionsPerMinute }, once, now);
  }

  return {
    async start(order, once) {
      breaker.check();
      const executionId = uuidv7();
      const request = { executionId, traceParent: tracing?.current(), ...order };
      const { verdict, counted } = await accept(request, once);
      if (typeof verdict === 'object' && verdict.kind === 'repeated') {
        return { executionId: verdict.executionId, isRepeated: true };
      }
      if (!isAccepted(verdict)) {
        const storage =
          verdict === 'overQuota' && !isForStranger(order) ? await readStorage(db, order.workflowId) : undefined;
        throw refusal(verdict, order, storage);
      }
      runs.accepted(order.source);
      const { workspaceId } = verdict;
      if (!(await enqueue({ executionId, dispatch: 1, workspaceId, snapshot: toSnapshot(request, verdict) })))
        throw new DeckhandError('QUEUE_UNAVAILABLE', { extra: { executionId } });
      return { executionId, isRepeated: false, rate: isForStranger(order) ? undefined : counted };
    },
  };
}

/** Whether the one who gets the response may be anybody. */
function isForStranger({ source }: RunOrder): boolean {
  return source === 'webhook';
}

function isLarge({ triggerData }: AcceptRequest): boolean {
  return triggerData.length > BATCHED_CHARACTERS_MAX;
}

/** What the job has of its run; nothing where the claim needs more, or a slot under a limit. */
function toSnapshot(request: AcceptRequest, { workspaceId, run }: Accepted): RunSnapshot | undefined {
  if (!run || run.isLimited || request.rerunOf !== undefined) return undefined;
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
  };
}

/** A verdict on a run that was counted if it had to be. */
type Counted = Exclude<AcceptOnceVerdict, NotCounted>;
type Refusal = Exclude<Counted, Accepted | { kind: 'repeated' }>;

function refusal(verdict: Refusal | undefined, order: RunOrder, storage: object | undefined): DeckhandError {
  if (typeof verdict === 'object') {
    return new DeckhandError('CONFLICT', { message: 'This Idempotency-Key was used with another body' });
  }
  switch (verdict) {
    case 'forbidden':
      return new DeckhandError('FORBIDDEN', { message: 'This needs the role editor' });
    case 'inactive':
      return new DeckhandError('WEBHOOK_INACTIVE');
    case 'noVersion':
      if (order.isActiveVersion === true) {
        return new DeckhandError('INVALID_STATE', { message: 'The workflow has no active version' });
      }
      if (order.versionId !== undefined && order.source !== 'webhook') {
        return validationFailed([{ path: 'version', message: 'is no version of this workflow' }]);
      }
      return new DeckhandError('NO_ACTIVE_VERSION');
    case 'noTrigger':
      return new DeckhandError('INVALID_STATE', { message: 'The workflow has no trigger to start from' });
    case 'unknownTrigger':
      if (order.source === 'rerun') {
        const message = `The version has no trigger "${order.triggerNodeId ?? ''}" any more`;
        return new DeckhandError('TRIGGER_DATA_GONE', { message });
      }
      return validationFailed([unknownTrigger(order.triggerNodeId ?? '')]);
    case 'overQuota':
      return new DeckhandError('workspace_over_quota', { details: storage });
    case 'notFound':
    case undefined:
      return new DeckhandError('NOT_FOUND', { message: 'No such workflow' });
  }
}

function unknownTrigger(id: string): Fault {
  return { path: 'triggerNodeId', message: `"${id}" is no trigger of the version` };
}
