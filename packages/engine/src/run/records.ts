import { type JsonValue, type NodeStatus, isJsonObject, type JsonObject, WAIT_KINDS } from '@deckhand/contracts';
import type { GraphNode, Region } from '../compile/graph.ts';
import type { RepeatRule, TerminalResult, WaitRequest } from '../outcome.ts';
import type { JoinDecision, NextIteration, Task } from './scope.ts';

/* The records of node runs: what a checkpoint has of each, and the state in it from which another worker resumes. */

/** The error of a node run, as stored and shown. */
export interface RecordedError {
  readonly message: string;
  readonly code: string;
}

/** One of several attempts of a node. Times are ms since the epoch. */
export interface AttemptRecord {
  readonly startedAt: number;
  /** Null while it is in progress, and if its worker died. */
  readonly finishedAt: number | null;
  /** Why it failed. */
  readonly error: RecordedError | null;
}

/**
 * The record of a node run in a checkpoint: the engine writes it, and reads it when another worker resumes the run.
 * Times are ms since the epoch.
 */
export interface NodeRecord {
  readonly nodeId: string;
  /** "" outside loops, "3" inside one, "3.1" inside two. */
  readonly iteration: string;
  /** `stopped`: it was cancelled after it had begun. */
  readonly status: NodeStatus;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /** Attempts started so far. */
  readonly attempts: number;
  /** The latest attempts, the one in progress included; undefined for a node that makes its first. */
  readonly attemptHistory?: readonly AttemptRecord[] | undefined;
  readonly handle: string | null;
  /** Undefined while there is none. */
  readonly output: JsonValue | undefined;
  readonly error: RecordedError | null;
  /** State that a resumed run needs: a loop's items, a wait, the decision of an early join. */
  readonly state: JsonValue | undefined;
  /** Debug mode: the input of the node. */
  readonly debug: JsonValue | undefined;
}

/**
 * The position of a loop in progress in a checkpoint. With it, a resumed run needs only the records of iterations in
 * progress.
 */
export interface LoopPosition {
  readonly nodeId: string;
  /** The iteration of another loop that contains this one; "" outside loops. */
  readonly iteration: string;
  /** Index of the first item whose iteration has not begun. */
  readonly next: number;
  /** Indexes below `next` whose iterations are not finished. */
  readonly open: readonly number[];
}

/** The key of a record: a node and its iteration. */
export function recordKey(nodeId: string, iteration: string): string {
  return `${nodeId}/${iteration}`;
}

/** Returns the iterations in progress at these positions: a resumed run reads their records. */
export function openIterations(positions: Iterable<LoopPosition>): string[] {
  return [...positions].flatMap(({ iteration, open }) => open.map((index) => joinIteration(iteration, index)));
}

/** Returns the key of an iteration of a loop that is part of the iteration `outer`: "3", or "3.1". */
export function joinIteration(outer: string, index: number): string {
  return outer === '' ? String(index) : `${outer}.${index}`;
}

/** Returns the result of a Terminal node that an earlier worker finished. */
export function storedResult({ state, output }: NodeRecord): TerminalResult | undefined {
  if (state === undefined || !isJsonObject(state)) return undefined;
  const { statusCode, headers } = state;
  if (typeof statusCode !== 'number' || headers === undefined || !isJsonObject(headers)) return undefined;
  return { body: output ?? null, statusCode, headers };
}

/**
 * Returns the result of the last Terminal node in a try that earlier workers finished, whose body is not replayed.
 * Those in loops are not found: their iterations are not loaded.
 */
export function resultInside(
  records: ReadonlyMap<string, NodeRecord>,
  { node: { body }, scope: { iteration } }: Task,
): TerminalResult | undefined {
  if (!body?.catches) return undefined;
  const ends = recordsInside(records, body, iteration).filter((record) => storedResult(record) !== undefined);
  const last = ends.sort((a, b) => (a.finishedAt ?? 0) - (b.finishedAt ?? 0)).at(-1);
  return last && storedResult(last);
}

/** Returns the records of the nodes in a try, and in those in it. */
function recordsInside(records: ReadonlyMap<string, NodeRecord>, body: Region, iteration: string): NodeRecord[] {
  return body.nodes.flatMap((node) => {
    const record = records.get(recordKey(node.id, iteration));
    const inside = node.body?.catches ? recordsInside(records, node.body, iteration) : [];
    return record ? [record, ...inside] : inside;
  });
}

/** Returns the details of a failure that its node, or a try around it, hands on: its record has them as its output. */
export function storedDetails({ output }: NodeRecord): JsonObject | undefined {
  const error = output !== undefined && isJsonObject(output) ? output.error : undefined;
  return error !== undefined && isJsonObject(error) ? error : undefined;
}

/** A container in progress, as stored in its record. */
export type StoredContainer =
  | { readonly kind: 'items'; readonly items: readonly JsonValue[]; readonly concurrency: number }
  | { readonly kind: 'repeat'; readonly rule: RepeatRule }
  | { readonly kind: 'try' }
  | { readonly kind: 'agent'; readonly concurrency: number };

/** A try in progress, as stored in its record. */
export const TRY_STATE: JsonValue = { try: true };

/** An agent in progress, as stored in its record. */
export function storeAgent(concurrency: number): JsonValue {
  return { agent: { concurrency } };
}

/** A loop with a condition, as stored in its record. */
export function storeRepeat({ mode, maxIterations }: RepeatRule): JsonValue {
  return { repeat: mode, maxIterations };
}

/** Returns the container that an earlier worker started. */
export function storedContainer({ status, state }: NodeRecord): StoredContainer | undefined {
  if (status !== 'running' || state === undefined || !isJsonObject(state)) return undefined;
  const { items, concurrency, repeat, maxIterations, agent } = state;
  if (state.try === true) return { kind: 'try' };
  if (agent !== undefined && isJsonObject(agent) && typeof agent.concurrency === 'number')
    return { kind: 'agent', concurrency: agent.concurrency };
  if ((repeat === 'while' || repeat === 'until') && typeof maxIterations === 'number') {
    return { kind: 'repeat', rule: { mode: repeat, maxIterations } };
  }
  if (!Array.isArray(items) || typeof concurrency !== 'number') return undefined;
  return { kind: 'items', items, concurrency };
}

/**
 * Returns whether an iteration of a loop with a condition has begun according to the records: then it goes on, whatever
 * the condition says by now.
 */
export function hasBegun(
  records: ReadonlyMap<string, NodeRecord>,
  { node, scope }: Task,
  { index }: NextIteration,
): boolean {
  if (records.size === 0) return false;
  const iteration = joinIteration(scope.iteration, index);
  return node.body?.nodes.some(({ id }) => records.has(recordKey(id, iteration))) ?? false;
}

/** The decision of an early join, as stored in its node's records. */
export function storeDecision({ taken, cancelled }: JoinDecision): JsonValue {
  return { join: { taken: [...taken], cancelled: [...cancelled] } };
}

/** Returns the decision of an early join that an earlier worker recorded. */
export function storedDecision({ state }: NodeRecord): JoinDecision | undefined {
  if (state === undefined || !isJsonObject(state)) return undefined;
  const { join } = state;
  if (join === undefined || !isJsonObject(join) || !Array.isArray(join.taken) || !Array.isArray(join.cancelled))
    return undefined;
  return {
    taken: join.taken.filter((index) => typeof index === 'number'),
    cancelled: join.cancelled.filter((id) => typeof id === 'string'),
  };
}

/** Whether a record settles its node. */
export function isSettled(record: NodeRecord | undefined): boolean {
  return isFinished(record) || record?.status === 'skipped';
}

/** Whether a record is of a node that ran to its end. */
export function isFinished(record: NodeRecord | undefined): boolean {
  return record?.status === 'success' || record?.status === 'failed';
}

/** A wait, as stored in its node's record. */
export function storeWait({ kind, details, dueAt }: WaitRequest): JsonValue {
  return { wait: kind, details, dueAt };
}

/** Returns the wait of a node that an earlier worker ran. */
export function storedWait({ status, state }: NodeRecord): WaitRequest | undefined {
  if (status !== 'waiting' || state === undefined || !isJsonObject(state)) return undefined;
  const { wait, details, dueAt } = state;
  if (details === undefined || !isJsonObject(details)) return undefined;
  const kind = WAIT_KINDS.find((known) => known === wait);
  if (kind === undefined) return undefined;
  return { kind, details, dueAt: typeof dueAt === 'number' ? dueAt : null };
}

/**
 * The rest before a node's next attempt, as stored in its record, in addition to the attempts made and the last error.
 * @param uncounted how many of the attempts its `retry` does not count.
 */
export function storeRetry(dueAt: number, uncounted: number): JsonValue {
  return { retry: uncounted === 0 ? { dueAt } : { dueAt, uncounted } };
}

/** The rest of a node before its next attempt: when that is due, and how many attempts did not count. */
interface StoredRetry {
  readonly dueAt: number;
  readonly uncounted: number;
}

/** Returns the rest of a node; undefined for a node that does not rest. */
function storedRetry({ status, state }: NodeRecord): StoredRetry | undefined {
  if (status !== 'waiting' || state === undefined || !isJsonObject(state)) return undefined;
  const { retry } = state;
  if (retry === undefined || !isJsonObject(retry)) return undefined;
  const { dueAt, uncounted } = retry;
  if (typeof dueAt !== 'number') return undefined;
  return { dueAt, uncounted: typeof uncounted === 'number' ? uncounted : 0 };
}

/** How many attempts of a node did not count, as stored in its record while it makes another or a pause holds it. */
export function storeUncounted(uncounted = 0): { readonly state?: JsonValue } {
  return uncounted === 0 ? {} : { state: { uncounted } };
}

/** Returns how many attempts of an unfinished node did not count. */
export function storedUncounted(record: NodeRecord): number {
  const { status, state } = record;
  if (status === 'waiting') return storedRetry(record)?.uncounted ?? 0;
  const isUnfinished = status === 'running' || status === 'pending';
  if (!isUnfinished || state === undefined || !isJsonObject(state)) return 0;
  return typeof state.uncounted === 'number' ? state.uncounted : 0;
}

/** A wait, as stored outside of its node's record for the process that ends it. */
export interface BegunWait {
  readonly nodeId: string;
  /**
   * The node's iteration. For a rest before an attempt, it is followed by `~` and the attempts made: a node may rest
   * several times, and each rest ends once.
   */
  readonly iteration: string;
  readonly wait: WaitRequest;
  /** What follows: the node's type makes the outcome of the answer, or the node makes an attempt. */
  readonly next: 'resume' | 'attempt';
}

/** Returns the wait that starts with a record; undefined if it does not wait. */
export function begunWait(record: NodeRecord): BegunWait | undefined {
  const { nodeId, iteration, attempts } = record;
  const wait = storedWait(record);
  if (wait) return { nodeId, iteration, wait, next: 'resume' };
  const retry = storedRetry(record);
  if (retry === undefined) return undefined;
  const { dueAt } = retry;
  const rest: WaitRequest = { kind: 'time', details: {}, dueAt };
  return { nodeId, iteration: `${iteration}~${attempts}`, wait: rest, next: 'attempt' };
}

/** Returns the key of the answer to a wait. */
export function waitKey({ nodeId, iteration }: Pick<BegunWait, 'nodeId' | 'iteration'>): string {
  return recordKey(nodeId, iteration);
}

/** Returns the handle of a finished node; undefined if it did not finish, or failed without being handled. */
export function wayOut(node: GraphNode, { status, handle }: NodeRecord): { handle: string | undefined } | undefined {
  if (status === 'success') return { handle: handle ?? undefined };
  if (status !== 'failed') return undefined;
  if (node.definition.onError === 'branch') return { handle: 'error' };
  return node.definition.onError === 'continue' ? { handle: node.type.undecidedHandle } : undefined;
}
