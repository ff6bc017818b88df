import { isJsonObject, type JsonValue, type NodeAttempt } from '@deckhand/contracts';
import type { AttemptRecord, RecordedError } from '@deckhand/engine';

/** Serialises the attempts of a node as the API shows them. */
export function serialiseAttempts(attempts: readonly AttemptRecord[]): string {
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
