import type { FinishedStatus } from '@deckhand/contracts';
import type { ClaimedExecution } from '@deckhand/db';
import type { NodeRecord, NodeType } from '@deckhand/engine';
import type { Tracing, TraceSpan } from '@deckhand/runtime';
import type { WorkerMetrics } from '../metrics.js';

/** Nodes of one hold of a run that get spans of their own: a long loop must not crowd out every other trace. */
const NODE_SPANS_MAX = 1_000;

/** Observes a run while this worker holds it. */
export interface RunObserver {
  /** A record of a node; only ends count. */
  recorded(record: NodeRecord, type: NodeType | undefined): void;
  /** The run's end is on disk. */
  finished(status: FinishedStatus): void;
  /** The worker does not hold the run any more: it ended, rests, or goes on elsewhere. */
  left(): void;
}

/**
 * Counts and times a run, and traces it where traces are sent: a span for the hold, one below it for each node that
 * ends.
 */
export function createRunObserver(
  metrics: WorkerMetrics,
  tracing: Tracing | undefined,
): (run: ClaimedExecution) => RunObserver {
  return (run) => {
    const noteEnd = metrics.claimed(run);
    const hold = tracing && traceHold(run, tracing);
    return {
      recorded(record, type) {
        metrics.recorded(record, type);
        if (type) hold?.recorded(record, type);
      },
      finished(status) {
        noteEnd(status);
        hold?.finished(status);
      },
      left: () => hold?.left(),
    };
  };
}

function traceHold(run: ClaimedExecution, tracing: Tracing) {
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
      if (nodes <= NODE_SPANS_MAX) traceNode(record, type, span, tracing);
    },
    finished(last: FinishedStatus): void {
      status = last;
    },
    left(): void {
      span.end({
        attributes: { 'deckhand.execution.status': status ?? 'unfinished', 'deckhand.nodes': nodes },
        error: status === 'failed' || status === 'timeout' ? status : undefined,
      });
    },
  };
}

/** Afterwards: when it began and ended is in the record. */
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
