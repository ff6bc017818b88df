import { isJsonObject, type JsonValue, type NodeAttempt, type NodeStatus } from '@deckhand/contracts';
import type { NodeRunRow, WaitRow } from '@deckhand/db';
import { type AttemptRecord, begunWait, type NodeRecord, type RecordedError, type WaitRequest } from '@deckhand/engine';

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
    isCancelled: null,
  };
}

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
