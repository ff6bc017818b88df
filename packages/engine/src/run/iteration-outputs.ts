import type { JsonValue } from '@deckhand/contracts';
import { wayOut } from './node-state.ts';
import type { EnginePorts } from './ports.ts';
import { joinIteration, recordKey } from './records.ts';
import type { Task } from './scheduler.ts';
import { outputOfEnds } from './scope.ts';

/** Number of iterations whose records are in memory at once. */
const PAGE_SIZE = 200;

/**
 * Returns the outputs of iterations of a loop that earlier workers finished, in the order of `indexes`.
 * @throws the signal's reason once it aborts, and what `ports.loadIterations` throws.
 */
export async function loadIterationOutputs(
  { node, scope }: Task,
  indexes: readonly number[],
  { ports, signal }: { readonly ports: Pick<EnginePorts, 'loadIterations'>; readonly signal: AbortSignal },
): Promise<JsonValue[]> {
  const { body } = node;
  if (!body) return [];
  const outputs: JsonValue[] = [];
  for (let from = 0; from < indexes.length; from += PAGE_SIZE) {
    signal.throwIfAborted();
    const iterations = indexes.slice(from, from + PAGE_SIZE).map((index) => joinIteration(scope.iteration, index));
    const records = await ports.loadIterations(
      body.ends.map(({ id }) => id),
      iterations,
    );
    const byKey = new Map(records.map((record) => [recordKey(record.nodeId, record.iteration), record]));
    for (const iteration of iterations) {
      outputs.push(
        outputOfEnds(body, (end) => {
          const record = byKey.get(recordKey(end.id, iteration));
          const way = record && wayOut(end, record);
          return way && { handle: way.handle, output: record.output ?? null };
        }),
      );
    }
  }
  return outputs;
}
