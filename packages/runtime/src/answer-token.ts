import { placeOfWait, waitIdOf, type WaitPlace } from '@deckhand/contracts';
import type { SecretBox } from './secret-box.ts';
import { createSignedTokens } from './signed-token.ts';

/** Signs the tokens of links that answer a wait of a run. */
export interface AnswerTokens {
  /** Returns the token of a wait: always the same with the same key. */
  sign(place: WaitPlace): string;
  /** Returns the wait of a token; undefined for any text that was not signed by the present key or an old one. */
  verify(token: string): WaitPlace | undefined;
}

/** Creates the signer of the ids of waits. */
export function createAnswerTokens(secretBox: SecretBox): AnswerTokens {
  const tokens = createSignedTokens(secretBox, 'deckhand answer link v1');
  return {
    sign: (place) => tokens.sign(waitIdOf(place)),
    verify(token) {
      const waitId = tokens.verify(token);
      return waitId === undefined ? undefined : placeOfWait(waitId);
    },
  };
}
