/** What node runs keep in their records to go on from: a result, a loop's items, a wait. */
import { isJsonObject, type JsonValue } from '@deckhand/contracts';
import type { TerminalResult, WaitRequest } from '../node-type.js';
import { type NodeRecord, recordKey } from './records.js';

/** The result of a Terminal node that an earlier worker finished. */
export function storedResult({ state, output }: NodeRecord): TerminalResult | undefined {
  if (state === undefined || !isJsonObject(state)) return undefined;
  const { statusCode, headers } = state;
  if (typeof statusCode !== 'number' || headers === undefined || !isJsonObject(headers)) return undefined;
  return { body: output ?? null, statusCode, headers };
}

/** The items of a loop that an earlier worker began. */
export function storedLoop({
  status,
  state,
}: NodeRecord): { items: readonly JsonValue[]; concurrency: number } | undefined {
  if (status !== 'running' || state === undefined || !isJsonObject(state)) return undefined;
  const { items, concurrency } = state;
  if (!Array.isArray(items) || typeof concurrency !== 'number') return undefined;
  return { items, concurrency };
}

/** How a wait is kept in its node's record. */
export function storeWait({ kind, details, dueAt }: WaitRequest): JsonValue {
  return { wait: kind, details, dueAt };
}

/** The wait that an earlier worker left a node in. */
export function storedWait({ status, state }: NodeRecord): WaitRequest | undefined {
  if (status !== 'waiting' || state === undefined || !isJsonObject(state)) return undefined;
  const { wait, details, dueAt } = state;
  if (details === undefined || !isJsonObject(details)) return undefined;
  if (wait !== 'approval' && wait !== 'human' && wait !== 'time' && wait !== 'workflow') return undefined;
  return { kind: wait, details, dueAt: typeof dueAt === 'number' ? dueAt : null };
}

/** How the rest before a node's next attempt is kept in its record, beside the attempts made and the last error. */
export function storeRetry(dueAt: number): JsonValue {
  return { retry: { dueAt } };
}

/** When the next attempt of a node is due that an earlier worker left to rest; undefined for a node that does not. */
function storedRetry({ status, state }: NodeRecord): number | undefined {
  if (status !== 'waiting' || state === undefined || !isJsonObject(state)) return undefined;
  const { retry } = state;
  if (retry === undefined || !isJsonObject(retry)) return undefined;
  return typeof retry.dueAt === 'number' ? retry.dueAt : undefined;
}

/** A wait as it is kept outside of its node's record, for whoever ends it. */
export interface BegunWait {
  readonly nodeId: string;
  /**
   * The node's iteration. For a rest before an attempt, `~` and the attempts made follow: a node may rest several
   * times, and each rest ends once.
   */
  readonly iteration: string;
  readonly wait: WaitRequest;
}

/** The wait that begins with a record; undefined for one that waits for nothing. */
export function begunWait(record: NodeRecord): BegunWait | undefined {
  const { nodeId, iteration, attempts } = record;
  const wait = storedWait(record);
  if (wait) return { nodeId, iteration, wait };
  const dueAt = storedRetry(record);
  if (dueAt === undefined) return undefined;
  return { nodeId, iteration: `${iteration}~${attempts}`, wait: { kind: 'time', details: {}, dueAt } };
}

/** Where the answer to a wait is found. */
export function waitKey({ nodeId, iteration }: Pick<BegunWait, 'nodeId' | 'iteration'>): string {
  return recordKey(nodeId, iteration);
}
