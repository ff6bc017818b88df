import type { Execution, NodeStatus } from '@deckhand/contracts';

/** A node's time on the timeline. */
export interface Bar {
  readonly nodeId: string;
  readonly status: NodeStatus;
  /** Number of iterations of a node in a loop; otherwise 0. */
  readonly iterations: number;
  /** Whether its output is that of an earlier run: its time is before this one. */
  readonly isReused: boolean;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** Its start and length, in percent of the run. */
  readonly left: number;
  readonly width: number;
}

/**
 * Returns the bars of nodes that have started, in the order of their starts. Nodes whose outputs a rerun has reused
 * come first, without a length: their times are those of the earlier run.
 * @param order of the definition, for nodes that started in the same millisecond.
 */
export function toBars(
  { progress, createdAt }: Pick<Execution, 'progress' | 'createdAt'>,
  order: readonly string[],
  now: number,
): Bar[] {
  const rank = new Map(order.map((nodeId, index) => [nodeId, index]));
  const rankOf = ({ nodeId }: { nodeId: string }): number => rank.get(nodeId) ?? order.length;
  const begin = Date.parse(createdAt);
  const begun = Object.entries(progress).flatMap(([nodeId, { status, iterations = 0, startedAt, finishedAt }]) => {
    if (startedAt === null) return [];
    const [from, to] = [Date.parse(startedAt), endOf(finishedAt, now)];
    return [{ nodeId, status, iterations, startedAt, finishedAt, from, to, isReused: from < begin && to <= begin }];
  });
  const own = begun.filter(({ isReused }) => !isReused);
  const from = Math.min(...own.map((node) => node.from));
  const to = Math.max(...own.map((node) => node.to));
  const whole = Math.max(1, to - from);
  return begun
    .sort((a, b) => Number(b.isReused) - Number(a.isReused) || a.from - b.from || rankOf(a) - rankOf(b))
    .map(({ from: start, to: end, ...bar }) => ({
      ...bar,
      left: bar.isReused ? 0 : ((start - from) / whole) * 100,
      width: bar.isReused ? 0 : ((end - start) / whole) * 100,
    }));
}

function endOf(finishedAt: string | null, now: number): number {
  return finishedAt === null ? now : Date.parse(finishedAt);
}
