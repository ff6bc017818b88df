import { NodeError } from '@deckhand/engine';
import type { MemoryBudget } from '@deckhand/runtime';

/** The budget of the process; undefined where nothing is counted. */
export type OptionalBudget = MemoryBudget | undefined;

/**
 * Reads something while what it takes counts against the budget of the process. `hold` says how many bytes that is now.
 * @throws NodeError MEMORY_EXCEEDED, from `hold`, when others need the room and this takes the most.
 */
export async function holdMemory<T>(
  budget: OptionalBudget,
  read: (hold: (bytes: number) => void) => Promise<T>,
): Promise<T> {
  const account = budget?.open({});
  try {
    return await read((bytes) => {
      account?.set(bytes);
      if (account?.isRevoked() === true) {
        throw new NodeError('MEMORY_EXCEEDED', 'the worker has no memory for so much data at the moment');
      }
    });
  } finally {
    account?.close();
  }
}
