import type { JsonValue } from '@deckhand/contracts';
import type { NodeFailure } from '../node-failure.ts';
import { failureOf } from './failure.ts';
import { expressionScope } from './node-scope.ts';
import { isCut } from './nodes-until.ts';
import { wayOut, joinIteration, type LoopPosition, recordKey } from './records.ts';
import type { EnginePorts, RunRequest } from './ports.ts';
import { inputOf, type NextIteration, outputOfEnds, type Task } from './scope.ts';

/* What the run loop asks about iterations of a loop in progress. */

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

/**
 * Returns the results of the steps of an agent that earlier workers finished, by their indexes.
 * @throws the signal's reason once it aborts, and what `ports.loadIterations` throws.
 */
export async function loadSteps(
  { node, scope }: Task,
  { next, open }: LoopPosition,
  { ports, signal }: { readonly ports: Pick<EnginePorts, 'loadIterations'>; readonly signal: AbortSignal },
): Promise<ReadonlyMap<number, JsonValue>> {
  const ended = new Map<number, JsonValue>();
  const { steps } = node.body ?? {};
  if (!steps) return ended;
  const places = new Map<string, number>();
  for (let index = 0; index < next; index += 1)
    if (!open.includes(index)) places.set(joinIteration(scope.iteration, index), index);
  const iterations = [...places.keys()];
  for (let from = 0; from < iterations.length; from += PAGE_SIZE) {
    signal.throwIfAborted();
    for (const record of await ports.loadIterations([steps.id], iterations.slice(from, from + PAGE_SIZE))) {
      const index = places.get(record.iteration);
      if (index !== undefined && record.output !== undefined) ended.set(index, record.output);
    }
  }
  return ended;
}

/**
 * Returns whether a loop with a condition goes on with an iteration, or why that cannot be said. In the condition,
 * `$loop` is the iteration that may begin: its number is that of the iterations so far.
 */
export function goesOn(
  request: RunRequest,
  { node, scope }: Task,
  { index, previous, rule: { mode, maxIterations } }: NextIteration,
): boolean | NodeFailure {
  // Without its last nodes, the body cannot make the condition come out otherwise.
  if (index > 0 && isCut(node, request.until)) return false;
  try {
    if (mode === 'while' || index > 0) {
      const loop = { item: index === 0 ? inputOf(node, scope) : previous, index, previous };
      const value = node.evaluateDeferred?.({ ...expressionScope(request, { node, scope }), loop });
      if (Boolean(value) === (mode === 'until')) return false;
    }
  } catch (thrown) {
    return failureOf(thrown);
  }
  if (index < maxIterations) return true;
  const message = `maxIterations (${maxIterations}) did not end it`;
  return { message, code: 'LOOP_TOO_LONG', isRetryable: false };
}
