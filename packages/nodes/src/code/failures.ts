import type { NodeFailure } from '@deckhand/engine';

/** Characters of a thrown error's message that are kept. */
const MESSAGE_MAX = 2_000;

/** The script threw, or returned what is no JSON. Another attempt would most likely end the same. */
export function scriptFailed(message: string, line?: number): NodeFailure {
  const shown = message.length > MESSAGE_MAX ? `${message.slice(0, MESSAGE_MAX)}…` : message;
  const place = line === undefined ? '' : ` (line ${line})`;
  return { message: `${shown}${place}`, code: 'CODE_FAILED', isRetryable: false };
}

/** The script wanted more than a script may have. */
export function limitReached(message: string): NodeFailure {
  return { message, code: 'CODE_LIMIT', isRetryable: false };
}

/** The script took too long. A machine with less to do may be in time. */
export function tooLate(timeoutMs: number): NodeFailure {
  return {
    message: `the script did not finish within ${timeoutMs / 1_000} s`,
    code: 'NODE_TIMEOUT',
    isRetryable: true,
  };
}

/** The script's values did not fit. */
export function outOfMemory(memoryBytes: number): NodeFailure {
  return limitReached(`the script needs more memory than the ${memoryBytes / 1_048_576} MiB that it may use`);
}
