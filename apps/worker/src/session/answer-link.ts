import type { WaitPlace } from '@deckhand/contracts';
import { createAnswerTokens, type SecretBox } from '@deckhand/runtime';

/** Creates the function that returns the address where a wait is answered without a session (apps/api/src/links). */
export function createAnswerLink(options: {
  readonly secretBox: SecretBox;
  readonly publicUrl?: string | undefined;
}): ((place: WaitPlace) => string) | undefined {
  const { secretBox, publicUrl } = options;
  if (publicUrl === undefined) return undefined;
  const tokens = createAnswerTokens(secretBox);
  return (place) => `${publicUrl}/answer/${tokens.sign(place)}`;
}
