import { DeckhandError, parseOwnJson } from '@deckhand/contracts';
import type { SignOnAttempt } from '@deckhand/nodes';
import type { Redis } from '@deckhand/queue';
import { isSameSecret, type SecretBox, SecretBoxError } from '@deckhand/runtime';
import { createHash, randomBytes } from 'node:crypto';

/** Time from the start to the redirect back, in seconds. */
export const ATTEMPT_SECONDS = 600;

/** What is kept of a sign-in between its start and the redirect back. */
interface Stored extends SignOnAttempt {
  /** Digest of the cookie of the browser that started it. */
  readonly browser: string;
  /** The page of the console to go to. */
  readonly next: string | null;
}

/**
 * Sign-ins in progress, in Redis for all replicas, encrypted: their proofs are secret, and somebody who can write to
 * Redis must not make one up. If Redis loses them, people start again.
 */
export interface SignOnAttempts {
  /** @param browser the secret of the browser's cookie. */
  start(browser: string, next: string | null): Promise<SignOnAttempt>;
  /**
   * Uses a sign-in up. Of two callers at the same time, one gets it.
   * @returns undefined for one that does not exist, has expired, was used, or was started in another browser. The last
   * can still be finished there.
   */
  take(state: string, browser: string): Promise<(SignOnAttempt & { readonly next: string | null }) | undefined>;
}

/** Creates the attempts. */
export function createSignOnAttempts(redis: Redis, secretBox: SecretBox): SignOnAttempts {
  return {
    async start(browser, next) {
      const [state, nonce, codeVerifier] = [createSecret(), createSecret(), createSecret()];
      const stored: Stored = { state, nonce, codeVerifier, browser: digestOf(browser), next };
      const sealed = await secretBox.seal(JSON.stringify(stored));
      await available(redis.set(keyOf(state), sealed, 'EX', ATTEMPT_SECONDS));
      return { state, nonce, codeVerifier };
    },
    async take(state, browser) {
      const found = await available(redis.get(keyOf(state)));
      if (found === null) return undefined;
      const stored = await opened(secretBox, found);
      if (stored?.state !== state || !isSameSecret(digestOf(browser), stored.browser)) return undefined;
      if ((await available(redis.del(keyOf(state)))) === 0) return undefined;
      return stored;
    },
  };
}

/** Returns a new secret for a browser, a state, a nonce or a proof. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

function keyOf(state: string): string {
  return `{deckhand}:sign-on:${digestOf(state)}`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

async function opened(secretBox: SecretBox, sealed: string): Promise<Stored | undefined> {
  try {
    return parseOwnJson<Stored>(await secretBox.open(sealed));
  } catch (error) {
    if (error instanceof SecretBoxError) return undefined;
    throw error;
  }
}

/** @throws DeckhandError SERVICE_UNAVAILABLE while Redis refuses the command. */
async function available<T>(command: Promise<T>): Promise<T> {
  try {
    return await command;
  } catch (error) {
    throw new DeckhandError('SERVICE_UNAVAILABLE', { cause: error });
  }
}
