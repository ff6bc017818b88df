import { DeckhandError, INLINE_OUTPUT_BYTES, maskHeaders, shownIteration } from '@deckhand/contracts';
import { type Actor, readNodeOutput } from '@deckhand/db';
import { nextSlice } from '@deckhand/runtime';
import type { Services } from '../services.ts';

/** An output of a node, or of one of its iterations. */
interface ReadOutputRequest {
  readonly executionId: string;
  readonly nodeId: string;
  /** Undefined for the last one. */
  readonly iteration: string | undefined;
}

/** Reads an output of any size, as the JSON text of a response. @throws DeckhandError NOT_FOUND; OUTPUT_GONE. */
export async function readOutput(
  { db, outputs }: Services,
  actor: Actor,
  { executionId, nodeId, iteration }: ReadOutputRequest,
): Promise<string> {
  const record = await readNodeOutput(db, actor, { executionId, nodeId, iteration: iteration ?? null });
  if (!record) throw new DeckhandError('NOT_FOUND', { message: 'There is no such output' });
  const output =
    record.outputJson ?? (record.outputRef && (await outputs.get([record.outputRef])).get(record.outputRef));
  if (!output) throw new DeckhandError('NOT_FOUND', { message: 'There is no such output' });
  // Serializing and sending a large one takes long.
  if (output.length > INLINE_OUTPUT_BYTES) await nextSlice();
  const head = JSON.stringify({ nodeId, iteration: shownIteration(record.iteration), status: record.status });
  return `${head.slice(0, -1)},"output":${maskHeaders(output)}}`;
}
