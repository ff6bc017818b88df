import { DeckhandError, INLINE_OUTPUT_BYTES, maskHeaders, shownIteration } from '@deckhand/contracts';
import { type Actor, type NodeExtent, readNodeExtent, readNodeOutput } from '@deckhand/db';
import { nextSlice } from '@deckhand/runtime';
import type { RunContext } from '../contexts.ts';

/** Names a node of a run, or one of its iterations. */
interface ReadNodeRequest {
  readonly executionId: string;
  readonly nodeId: string;
  /** Undefined for the last one. */
  readonly iteration: string | undefined;
}

/** Reads an output of any size, as the JSON text of a response. @throws DeckhandError NOT_FOUND; OUTPUT_GONE. */
export async function readOutput(context: RunContext, actor: Actor, request: ReadNodeRequest): Promise<string> {
  const { db, outputs } = context;
  const { executionId, nodeId, iteration } = request;
  const record = await readNodeOutput(db, actor, { executionId, nodeId, iteration: iteration ?? null });
  if (!record) throw await noData(context, actor, request, 'no output');
  const output =
    record.outputJson ?? (record.outputRef && (await outputs.get([record.outputRef])).get(record.outputRef));
  if (!output) throw new DeckhandError('NOT_FOUND', { message: 'There is no such output' });
  // Serializing and sending a large one takes long.
  if (output.length > INLINE_OUTPUT_BYTES) await nextSlice();
  const head = JSON.stringify({ nodeId, iteration: shownIteration(record.iteration), status: record.status });
  return `${head.slice(0, -1)},"output":${maskHeaders(output)}}`;
}

/**
 * Returns the error for a node, or an iteration of it, that has no data. Its message says what exists.
 * @param missing what there is not: `no output`.
 */
export async function noData(
  { db }: RunContext,
  actor: Actor,
  request: ReadNodeRequest,
  missing: string,
): Promise<DeckhandError> {
  const extent = await readNodeExtent(db, actor, request);
  if (!extent) return new DeckhandError('NOT_FOUND', { message: 'No such run' });
  const { status, iterations, firstIteration, lastIteration } = extent;
  const details = { status, iterations, firstIteration, lastIteration };
  return new DeckhandError('NOT_FOUND', { message: describe(request, extent, missing), details });
}

function describe(
  { nodeId, iteration }: ReadNodeRequest,
  { status, iterations, firstIteration, lastIteration }: NodeExtent,
  missing: string,
): string {
  if (status === null) return `There is ${missing}: no node ${nodeId} of this run has begun`;
  if (iterations === null) {
    const isOutside = iteration !== undefined && (status === 'success' || status === 'failed');
    return `There is ${missing}: the node ${nodeId} is ${isOutside ? 'in no loop, leave iteration out' : status}`;
  }
  const range = firstIteration === lastIteration ? firstIteration : `${firstIteration} to ${lastIteration}`;
  const count = iterations === 1 ? '1 iteration' : `${iterations} iterations`;
  return `There is ${missing} of iteration ${iteration ?? lastIteration}: the node ${nodeId} has ${count}, ${range}`;
}
