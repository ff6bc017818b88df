import { NodeError } from '@deckhand/engine';

/** Text that a node reads at most, in characters. */
const MAX_TEXT = 5_000_000;
/** What a node makes of it at most, in characters of JSON. */
const MAX_RESULT = 16_777_216;

/** @throws NodeError TEXT_TOO_LARGE above 5,000,000 characters. */
export function checkLength(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  throw new NodeError('TEXT_TOO_LARGE', `the text has more than ${MAX_TEXT} characters`, { isRetryable: false });
}

/**
 * Checks what a result would take, before it is made.
 * @throws NodeError RESULT_TOO_LARGE above 16,777,216 characters.
 */
export function checkResultLength(characters: number): void {
  if (characters <= MAX_RESULT) return;
  throw new NodeError('RESULT_TOO_LARGE', `the result would have more than ${MAX_RESULT} characters of JSON`, {
    isRetryable: false,
  });
}
