import type { FinishedStatus } from '@deckhand/contracts';
import { type ClaimedExecution, endWaitsOfParents } from '@deckhand/db';
import type { NodeRecord, NodeType } from '@deckhand/engine';
import { createBatcher, type Logger, type Signatures, type TraceSpan, type Tracing } from '@deckhand/runtime';
import type { WorkerMetrics } from '../metrics.ts';
import { publishChanges, type RunChange } from '@deckhand/queue';
import { sendAnswered } from '../maintenance/finish-children.ts';
import type { WorkerStores } from '../stores.ts';
import type { SessionLocks } from './run-locks.ts';

/** Limit of node spans in one run span: a long loop must not crowd out every other trace. */
const MAX_NODE_SPANS = 1_000;

/** Observes a run while this worker holds it. */
export interface RunObserver {
  /** Notes a record of a node; only records of finished nodes count. */
  recorded(record: NodeRecord, type: NodeType | undefined): void;
  /** Notes that the run's end is on disk. */
  finished(status: FinishedStatus): void;
  /** Notes that the worker no longer holds the run: it ended, rests, or another worker continues it. */
  closed(): void;
}

/**
 * Creates a function that observes runs: it counts and times each and, where tracing is on, opens a span for the time
 * in which this worker holds the run, with a child span for each node that ends.
 */
export function createRunObserver(
  metrics: WorkerMetrics,
  tracing: Tracing | undefined,
): (run: ClaimedExecution) => RunObserver {
  return (run) => {
    const noteEnd = metrics.claimed(run);
    const trace = tracing && traceRun(run, tracing);
    return {
      recorded(record, type) {
        metrics.recorded(record, type);
        if (type) trace?.recorded(record, type);
      },
      finished(status) {
        noteEnd(status);
        trace?.finished(status);
      },
      closed: () => trace?.closed(),
    };
  };
}

function traceRun(run: ClaimedExecution, tracing: Tracing) {
  const span = tracing.begin('run', {
    kind: 'consumer',
    parent: run.traceParent,
    attributes: {
      'deckhand.execution.id': run.id,
      'deckhand.workflow_version.id': run.workflowVersionId,
      'deckhand.execution.mode': run.executionMode,
      'deckhand.dispatch': run.dispatch,
      'deckhand.epoch': run.epoch,
      'deckhand.waited_seconds': run.waitedSeconds,
    },
  });
  let status: FinishedStatus | undefined;
  let nodes = 0;
  return {
    recorded(record: NodeRecord, type: NodeType): void {
      if (record.status !== 'success' && record.status !== 'failed') return;
      nodes += 1;
      if (nodes <= MAX_NODE_SPANS) traceNode(record, type, span, tracing);
    },
    finished(last: FinishedStatus): void {
      status = last;
    },
    closed(): void {
      span.end({
        attributes: { 'deckhand.execution.status': status ?? 'unfinished', 'deckhand.nodes': nodes },
        error: status === 'failed' || status === 'timeout' ? status : undefined,
      });
    },
  };
}

/** Adds the span of a finished node, with the times of its record. */
function traceNode(record: NodeRecord, type: NodeType, parent: TraceSpan, tracing: Tracing): void {
  const { startedAt, finishedAt } = record;
  if (startedAt === null || finishedAt === null) return;
  tracing
    .begin(`node ${type.type}`, {
      kind: 'internal',
      parent: parent.traceParent,
      at: startedAt,
      attributes: {
        'deckhand.node.id': record.nodeId,
        'deckhand.node.type': type.type,
        'deckhand.node.attempts': record.attempts,
        ...(record.iteration === '' ? {} : { 'deckhand.node.iteration': record.iteration }),
      },
    })
    .end({ at: finishedAt, error: record.error?.code });
}

/** Notifies others of the outcome of a run. Maintenance makes up for notifications that are lost. */
export interface RunNotifier {
  /** Notifies those who wait for the run of a change: it rests, or has responded. */
  readonly announce: (change: RunChange) => void;
  /** Notifies those who wait for the run that it ended, with its serialised result if they wait for that. */
  readonly announceEnd: (executionId: string, ended: FinishedStatus, resultJson: string | null) => void;
  /** Lets parents continue whose children are finished: the parents of these children, or these parents. */
  readonly finishChildren: (finished: { childIds: string[] } | { parentIds: string[] }) => Promise<void>;
  /** Gives the locks that a run held to the next. */
  readonly freeLocks: (run: { readonly executionId: string; readonly workspaceId: string }) => Promise<void>;
  /** Wakes resting runs at a time, in ms since the epoch. */
  readonly wakeAt: (time: number) => void;
}

/** Longest result that a notification has, in characters: every API process gets it. */
const MAX_RESULT_CHARS = 4_096;

/** Creates the notifier of what sessions did. Changes that come together are published together. */
export function createRunNotifier(
  { db, redis, queue }: Pick<WorkerStores, 'db' | 'redis' | 'queue'>,
  parts: {
    readonly locks: SessionLocks;
    readonly signatures: Signatures;
    readonly wakeAt: (time: number) => void;
    readonly logger: Logger;
  },
): RunNotifier {
  const announce = createBatcher<RunChange, undefined>({
    async flush(changes) {
      await publishChanges(redis, changes).catch((err: unknown) => {
        // Harmless: those who wait for a change also poll the database.
        parts.logger.debug({ err }, 'failed to publish changes of runs');
      });
      return changes.map(() => undefined);
    },
    maxSize: 1_000,
    concurrency: 1,
  });
  return {
    announce: (change) => void announce(change),
    announceEnd(executionId, ended, resultJson) {
      const isPassedOn = resultJson !== null && resultJson.length <= MAX_RESULT_CHARS;
      const signedResult = isPassedOn ? parts.signatures.sign(executionId, resultJson) : undefined;
      void announce({ executionId, ended, signedResult });
    },
    freeLocks: (run) => parts.locks.free(run),
    finishChildren: async (finished) => sendAnswered({ queue, redis }, await endWaitsOfParents(db, finished)),
    wakeAt: parts.wakeAt,
  };
}
