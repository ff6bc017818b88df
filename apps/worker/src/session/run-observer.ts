import type { FinishedStatus } from '@deckhand/contracts';
import type { ClaimedExecution } from '@deckhand/db';
import type { NodeRecord, NodeType } from '@deckhand/engine';
import type { Tracing, TraceSpan } from '@deckhand/runtime';
import type { WorkerMetrics } from '../metrics.ts';

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
