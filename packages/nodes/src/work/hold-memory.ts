import { NodeError } from '@deckhand/engine';
import type { MemoryBudget } from '@deckhand/runtime';

/** The budget of the process; undefined if memory is not counted. */
export type OptionalBudget = MemoryBudget | undefined;

/**
 * Reads data that counts towards the memory budget of the process meanwhile. The reader calls `hold` with its size in
 * bytes.
 * @throws NodeError MEMORY_EXCEEDED, from `hold`, when others need the memory and this takes the most.
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
