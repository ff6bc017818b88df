import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type NodeAttempt,
  type NodeStatus,
  type WaitKind,
  parseJson,
} from '@deckhand/contracts';
import type { NodeRunRow, WaitRow, RestingEnding, ClaimedExecution } from '@deckhand/db';
import {
  type AttemptRecord,
  begunWait,
  type NodeRecord,
  type RecordedError,
  type WaitRequest,
  storedContainer,
  storedWait,
  type CompiledWorkflow,
} from '@deckhand/engine';
import { cancellingEvents } from '@deckhand/nodes';

/* Converts records of the engine to rows, and their parts back. */

/** Returns the row of a node, with a status that may be another than that of its record. */
export function toRow(record: NodeRecord, status: NodeStatus): NodeRunRow {
  const output = record.output === undefined ? null : JSON.stringify(record.output);
  return {
    nodeId: record.nodeId,
    status,
    startedAt: record.startedAt,
    finishedAt: record.finishedAt,
    attempts: record.attempts,
    attemptHistory: record.attemptHistory ? serialiseAttempts(record.attemptHistory) : null,
    handle: record.handle,
    output,
    outputRef: null,
    outputBytes: output === null ? 0 : Buffer.byteLength(output),
    error: serialise(record.error),
    state: serialise(record.state),
    debug: serialise(record.debug),
  };
}

/** Returns the wait that begins with a record; undefined if it does not wait. */
export function toWait(record: NodeRecord): WaitRow | undefined {
  const begun = begunWait(record);
  if (!begun) return undefined;
  const { nodeId, iteration, wait } = begun;
  const { executionId } = wait.details;
  return {
    nodeId,
    iteration,
    kind: wait.kind,
    details: JSON.stringify(wait.details),
    dueAt: wait.dueAt,
    childExecutionId: wait.kind === 'workflow' && typeof executionId === 'string' ? executionId : null,
    ...eventOf(wait),
    ...approversOf(wait),
    isCancelled: null,
  };
}

/** Returns who may answer a wait for a person; nulls if its details do not limit that. */
function approversOf({ details }: WaitRequest): Pick<WaitRow, 'approverPeople' | 'approverRoles' | 'fourEyes'> {
  const { approvers, fourEyes } = details;
  const { people, roles }: JsonObject = isJsonObject(approvers) ? approvers : {};
  return { approverPeople: textsOf(people), approverRoles: textsOf(roles), fourEyes: fourEyes === true || null };
}

function textsOf(value: JsonValue | undefined): string[] | null {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : null;
}

/** The row of a wait that no person answers. */
const NO_APPROVERS = { approverPeople: null, approverRoles: null, fourEyes: null };

/** Returns what a wait for an event waits for; nulls for any other wait. */
function eventOf({ kind, details: { name, key } }: WaitRequest): Pick<WaitRow, 'eventName' | 'eventKey'> {
  if (kind !== 'event' || typeof name !== 'string') return { eventName: null, eventKey: null };
  return { eventName: name, eventKey: typeof key === 'string' ? key : '' };
}

/** Returns the wait for a run that a node has started, or may be about to start. */
export function toWaitForRun({ nodeId, iteration }: NodeRecord, executionId: string): WaitRow {
  const details = JSON.stringify({ executionId });
  return {
    nodeId,
    iteration,
    kind: 'workflow',
    details,
    dueAt: null,
    childExecutionId: executionId,
    eventName: null,
    eventKey: null,
    ...NO_APPROVERS,
    isCancelled: null,
  };
}

function serialise(value: JsonValue | NodeRecord['error'] | undefined): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}

/** Serialises the attempts of a node as the API shows them. */
function serialiseAttempts(attempts: readonly AttemptRecord[]): string {
  return JSON.stringify(
    attempts.map(({ startedAt, finishedAt, error }): NodeAttempt => ({
      startedAt: new Date(startedAt).toISOString(),
      finishedAt: finishedAt === null ? null : new Date(finishedAt).toISOString(),
      error,
    })),
  );
}

/** Reads stored attempts; undefined if there are none. */
export function readAttempts(stored: JsonValue | undefined): AttemptRecord[] | undefined {
  if (!Array.isArray(stored)) return undefined;
  return stored.flatMap((value: JsonValue) => {
    if (!isJsonObject(value) || typeof value.startedAt !== 'string') return [];
    const { startedAt, finishedAt, error } = value;
    return [
      {
        startedAt: Date.parse(startedAt),
        finishedAt: typeof finishedAt === 'string' ? Date.parse(finishedAt) : null,
        error: readError(error),
      },
    ];
  });
}

/** Reads a stored error of a node or of an attempt; null if there is none. */
export function readError(value: JsonValue | undefined): RecordedError | null {
  if (value === undefined || !isJsonObject(value)) return null;
  const { message, code } = value;
  return typeof message === 'string' && typeof code === 'string' ? { message, code } : null;
}

/** The kind of the wait that a status is about. */
const WAIT_KINDS: Readonly<Record<RestingEnding['status'], WaitKind | undefined>> = {
  waiting_for_input: 'approval',
  waiting_for_human: 'human',
  running: undefined,
};

/**
 * Returns the node that responses show as the current one of a run. While the status waits for a person, it is the node
 * of that wait; otherwise a node that runs, otherwise one that waits, otherwise a container (a loop or a try). Of
 * several, it is the one that began first, as in the lists of open waits.
 * @param unfinished records of nodes that have not finished.
 * @param status the status in which the run rests; undefined while a worker holds it.
 */
export function currentNodeOf(
  unfinished: Iterable<NodeRecord>,
  status: RestingEnding['status'] | undefined,
): string | null {
  const kind = status && WAIT_KINDS[status];
  let current: { readonly record: NodeRecord; readonly rank: number } | undefined;
  for (const record of unfinished) {
    const rank = rankOf(record, kind);
    if (rank === undefined) continue;
    if (!current || rank < current.rank || (rank === current.rank && beganBefore(record, current.record)))
      current = { record, rank };
  }
  return current?.record.nodeId ?? null;
}

/** Returns the place of a record in the order of preference, the best first; undefined if it is not in progress. */
function rankOf(record: NodeRecord, kind: WaitKind | undefined): number | undefined {
  if (record.status === 'waiting') return kind !== undefined && storedWait(record)?.kind === kind ? 0 : 2;
  if (record.status !== 'running') return undefined;
  return storedContainer(record) ? 3 : 1;
}

/** Whether a node began before another. Ids decide between equal times, so that the choice does not alternate. */
function beganBefore(record: NodeRecord, other: NodeRecord): boolean {
  if (record.startedAt !== other.startedAt) return (record.startedAt ?? 0) < (other.startedAt ?? 0);
  return record.nodeId < other.nodeId;
}

/**
 * Returns the waits of a run for the events that stop it (`cancelOn`). They belong to no node. Events count from the
 * acceptance of the run on.
 */
export function cancelWaitsOf(
  { definition: { settings } }: CompiledWorkflow,
  { executionMode, triggerData }: ClaimedExecution,
): WaitRow[] {
  const rules = settings?.cancelOn ?? [];
  if (rules.length === 0 || executionMode === 'sandbox') return [];
  return cancellingEvents(rules, parseJson(triggerData)).map(({ index, name, key }) => ({
    nodeId: '',
    iteration: String(index),
    kind: 'event',
    details: '{}',
    dueAt: null,
    childExecutionId: null,
    eventName: name,
    eventKey: key,
    ...NO_APPROVERS,
    isCancelled: null,
  }));
}
