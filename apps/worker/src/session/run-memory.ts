import type { ClaimedExecution } from '@deckhand/db';
import type { NodeRecord } from '@deckhand/engine';
import type { MemoryBudget } from '@deckhand/runtime';

/** Counts the data that a run has in memory against the memory budget of the process. */
export interface RunMemory {
  /** Counts an output. `bytes`: its size as JSON. */
  readonly record: (record: Pick<NodeRecord, 'nodeId' | 'iteration'>, bytes: number) => void;
  /** Counts the outputs that earlier workers recorded. */
  recordEarlier(bytes: number): void;
  /** Returns everything to the budget. */
  release(): void;
}

/**
 * Number of nodes and iterations whose bytes are known one by one. In a long loop the first are finished by then; one
 * that is not counts twice from its next output on.
 */
const MAX_PLACES = 10_000;

/**
 * Opens an account for a run. Its trigger data counts from the start, and not again as the output of its trigger. Only
 * the latest output of an iteration of a loop counts, because only that one is kept.
 * @param onExceeded called when the budget is used up and this run was chosen to end.
 */
export function createRunMemory(
  budget: MemoryBudget,
  run: Pick<ClaimedExecution, 'workspaceId' | 'triggerData' | 'triggerNodeId'> &
    Partial<Pick<ClaimedExecution, 'mocks'>>,
  onExceeded: () => void,
): RunMemory {
  const account = budget.open({ group: run.workspaceId, onRevoked: onExceeded });
  const bytesByPlace = new Map<string, number>();
  let total = run.triggerData.length + (run.mocks?.length ?? 0);
  account.set(total);
  return {
    record({ nodeId, iteration }, bytes) {
      if (nodeId === run.triggerNodeId) return;
      const place = iteration === '' ? nodeId : `#${iteration}`;
      total += bytes - (bytesByPlace.get(place) ?? 0);
      bytesByPlace.set(place, bytes);
      if (bytesByPlace.size > MAX_PLACES) forgetFirst(bytesByPlace);
      account.set(total);
    },
    recordEarlier(bytes) {
      total += bytes;
      account.set(total);
    },
    release: () => account.close(),
  };
}

/** Removes the entry that was added first. */
function forgetFirst(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
