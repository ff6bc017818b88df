import type { SignOnAttempt } from '@deckhand/nodes';
import type { PassingStates } from './passing-states.ts';
import { createSecret } from './tokens.ts';

/** Time from the start to the redirect back, in seconds. */
export const ATTEMPT_SECONDS = 600;

/** What is kept of a sign-in between its start and the redirect back. */
export interface StartedAttempt {
  readonly nonce: string;
  readonly codeVerifier: string;
  /** The page of the console to go to. */
  readonly next: string | null;
}

/** Sign-ins in progress. */
export interface SignOnAttempts {
  /** @param browser the secret of the browser's cookie. */
  start(browser: string, next: string | null): Promise<SignOnAttempt>;
  /**
   * Uses a sign-in up. Of two callers at the same time, one gets it.
   * @returns undefined for one that does not exist, has expired, was used, or was started in another browser. The last
   * can still be finished there.
   */
  take(state: string, browser: string): Promise<(SignOnAttempt & Pick<StartedAttempt, 'next'>) | undefined>;
}

/** Creates the attempts. */
export function createSignOnAttempts(states: PassingStates<StartedAttempt>): SignOnAttempts {
  return {
    async start(browser, next) {
      const [nonce, codeVerifier] = [createSecret(), createSecret()];
      const { state } = await states.start(browser, { nonce, codeVerifier, next });
      return { state, nonce, codeVerifier };
    },
    async take(state, browser) {
      const started = await states.read(state, browser);
      return started && (await states.end(state)) ? { state, ...started } : undefined;
    },
  };
}
