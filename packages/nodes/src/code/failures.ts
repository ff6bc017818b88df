import type { NodeFailure } from '@deckhand/engine';

/** Maximum length of a thrown error's message, in characters. */
const MAX_MESSAGE = 2_000;

/** The script threw, or returned a value that is not JSON. Another attempt would most likely fail the same way. */
export function scriptFailed(message: string, line?: number): NodeFailure {
  const shown = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
  const place = line === undefined ? '' : ` (line ${line})`;
  return { message: `${shown}${place}`, code: 'CODE_FAILED', isRetryable: false };
}

/** The script exceeded a limit. */
export function limitReached(message: string): NodeFailure {
  return { message, code: 'CODE_LIMIT', isRetryable: false };
}

/** The script took too long. It may succeed on a machine with less load. */
export function tooLate(timeoutMs: number): NodeFailure {
  return {
    message: `the script did not finish within ${timeoutMs / 1_000} s`,
    code: 'NODE_TIMEOUT',
    isRetryable: true,
  };
}

/** The script's values were too large. */
export function outOfMemory(memoryBytes: number): NodeFailure {
  return limitReached(`the script needs more memory than the ${memoryBytes / 1_048_576} MiB that it may use`);
}
