import type { ClaimedExecution } from '@deckhand/db';
import type { NodeRecord } from '@deckhand/engine';
import type { MemoryBudget } from '@deckhand/runtime';

/** Counts what a run holds in memory against the budget of its process. */
export interface RunMemory {
  /** Counts an output, by its bytes of JSON. */
  readonly record: (record: Pick<NodeRecord, 'nodeId' | 'iteration'>, bytes: number) => void;
  /** Counts the outputs that earlier workers left. */
  recordEarlier(bytes: number): void;
  /** Gives back all of it. */
  release(): void;
}

/**
 * Opens it: the run's trigger data counts from the start, and not again as the output of its trigger. Of an iteration
 * of a loop the latest output counts, since that is what is kept of it.
 * @param onExceeded called when the budget is used up and this run is the one to end.
 */
export function createRunMemory(
  budget: MemoryBudget,
  run: Pick<ClaimedExecution, 'workspaceId' | 'triggerData' | 'triggerNodeId'>,
  onExceeded: () => void,
): RunMemory {
  const account = budget.open({ group: run.workspaceId, onRevoked: onExceeded });
  const bytesByPlace = new Map<string, number>();
  let total = run.triggerData.length;
  account.set(total);
  return {
    record({ nodeId, iteration }, bytes) {
      if (nodeId === run.triggerNodeId) return;
      const place = iteration === '' ? nodeId : `#${iteration}`;
      total += bytes - (bytesByPlace.get(place) ?? 0);
      bytesByPlace.set(place, bytes);
      account.set(total);
    },
    recordEarlier(bytes) {
      total += bytes;
      account.set(total);
    },
    release: () => account.close(),
  };
}
