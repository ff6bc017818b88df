import type { WaitKind } from '@deckhand/contracts';
import type { RestingEnding } from '@deckhand/db';
import { type NodeRecord, storedContainer, storedWait } from '@deckhand/engine';

/** The kind of the wait that a status is about. */
const WAIT_KINDS: Readonly<Record<RestingEnding['status'], WaitKind | undefined>> = {
  waiting_for_input: 'approval',
  waiting_for_human: 'human',
  running: undefined,
};

/**
 * Returns the node that responses show as the current one of a run. While the status waits for a person, it is the node
 * of that wait; otherwise a node that runs, otherwise one that waits, otherwise a container (a loop or a try). Of
 * several, it is the one that began first, as in the lists of open waits.
 * @param unfinished records of nodes that have not finished.
 * @param status the status in which the run rests; undefined while a worker holds it.
 */
export function currentNodeOf(
  unfinished: Iterable<NodeRecord>,
  status: RestingEnding['status'] | undefined,
): string | null {
  const kind = status && WAIT_KINDS[status];
  let current: { readonly record: NodeRecord; readonly rank: number } | undefined;
  for (const record of unfinished) {
    const rank = rankOf(record, kind);
    if (rank === undefined) continue;
    if (!current || rank < current.rank || (rank === current.rank && beganBefore(record, current.record)))
      current = { record, rank };
  }
  return current?.record.nodeId ?? null;
}

/** Returns the place of a record in the order of preference, the best first; undefined if it is not in progress. */
function rankOf(record: NodeRecord, kind: WaitKind | undefined): number | undefined {
  if (record.status === 'waiting') return kind !== undefined && storedWait(record)?.kind === kind ? 0 : 2;
  if (record.status !== 'running') return undefined;
  return storedContainer(record) ? 3 : 1;
}

/** Whether a node began before another. Ids decide between equal times, so that the choice does not alternate. */
function beganBefore(record: NodeRecord, other: NodeRecord): boolean {
  if (record.startedAt !== other.startedAt) return (record.startedAt ?? 0) < (other.startedAt ?? 0);
  return record.nodeId < other.nodeId;
}
