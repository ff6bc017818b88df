/** What node runs keep in their records to go on from: a result, a loop's items, a wait. */
import { isJsonObject, type JsonValue } from '@deckhand/contracts';
import type { TerminalResult, WaitRequest } from '../node-type.js';
import type { NodeRecord } from './records.js';

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
