import type { Execution, NodeStatus } from '@deckhand/contracts';

/** A node's time on the timeline. */
export interface Bar {
  readonly nodeId: string;
  readonly status: NodeStatus;
  /** Number of iterations of a node in a loop; otherwise 0. */
  readonly iterations: number;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** Its start and length, in percent of the run. */
  readonly left: number;
  readonly width: number;
}

/**
 * Returns the bars of nodes that have started, in the order of their starts.
 * @param order of the definition, for nodes that started in the same millisecond.
 */
export function toBars({ progress }: Pick<Execution, 'progress'>, order: readonly string[], now: number): Bar[] {
  const rank = new Map(order.map((nodeId, index) => [nodeId, index]));
  const rankOf = ({ nodeId }: { nodeId: string }): number => rank.get(nodeId) ?? order.length;
  const begun = Object.entries(progress).flatMap(([nodeId, { status, iterations = 0, startedAt, finishedAt }]) =>
    startedAt === null
      ? []
      : [
          {
            nodeId,
            status,
            iterations,
            startedAt,
            finishedAt,
            from: Date.parse(startedAt),
            to: endOf(finishedAt, now),
          },
        ],
  );
  const from = Math.min(...begun.map((node) => node.from));
  const to = Math.max(...begun.map((node) => node.to));
  const whole = Math.max(1, to - from);
  return begun
    .sort((a, b) => a.from - b.from || rankOf(a) - rankOf(b))
    .map(({ nodeId, status, iterations, startedAt, finishedAt, ...time }) => ({
      nodeId,
      status,
      iterations,
      startedAt,
      finishedAt,
      left: ((time.from - from) / whole) * 100,
      width: ((time.to - time.from) / whole) * 100,
    }));
}

function endOf(finishedAt: string | null, now: number): number {
  return finishedAt === null ? now : Date.parse(finishedAt);
}
