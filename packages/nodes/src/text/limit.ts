import { NodeError } from '@deckhand/engine';

/** Text that is read or written at once, in characters: it is done in one go on the thread that runs all nodes. */
const MAX_TEXT = 5_000_000;

/** @throws NodeError TEXT_TOO_LARGE above 5,000,000 characters. */
export function checkLength(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  throw new NodeError('TEXT_TOO_LARGE', `the text has more than ${MAX_TEXT} characters`, { isRetryable: false });
}
