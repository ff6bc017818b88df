import type { GraphNode } from '../compile/graph.ts';
import { NodeError } from '../outcome.ts';
import { failureOf } from './failure.ts';
import type { LazySignal } from './in-flight.ts';
import type { EnginePorts } from './ports.ts';
import { delayAfter } from './progress.ts';

/**
 * Longest delay before a part of a node's work is tried again, in ms. The parts that are done are in memory only, so
 * the run cannot rest meanwhile.
 */
export const MAX_PART_DELAY_MS = 300_000;

/**
 * Does a part of a node's work, and tries it again as the node's `retry` says, as an attempt of its own. The parts
 * before it are not done again.
 * @throws what `work` throws. After as many attempts as `retry` allows, the failure is not retryable, because the node
 * would do all of its parts again.
 */
export async function retryPart<T>(
  work: () => Promise<T>,
  { retry, ports, halt }: { retry: GraphNode['retry']; ports: Pick<EnginePorts, 'random' | 'sleep'>; halt: LazySignal },
): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await work();
    } catch (error) {
      const failure = failureOf(error);
      if (!retry || !failure.isRetryable || halt().aborted) throw error;
      const delayMs = delayAfter(retry, failure, attempts, ports.random());
      if (delayMs === undefined) {
        const { code, message, details } = failure;
        throw new NodeError(code, message, { isRetryable: false, cause: error, ...(details ? { details } : {}) });
      }
      if (delayMs > MAX_PART_DELAY_MS) throw error;
      await ports.sleep(delayMs, halt());
    }
  }
}
