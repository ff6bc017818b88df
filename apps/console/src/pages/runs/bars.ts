import type { Execution, NodeStatus } from '@deckhand/contracts';

/** A node's time on the timeline. */
export interface Bar {
  readonly nodeId: string;
  readonly status: NodeStatus;
  /** How often it ran in its loop; 0 outside of one. */
  readonly iterations: number;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** Where it begins and how long it is, in percent of the run. */
  readonly left: number;
  readonly width: number;
}

/**
 * Nodes that have begun, in the order in which they did.
 * @param order of the definition, which decides between those that began in the same millisecond.
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
