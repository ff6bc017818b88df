import { DeckhandError, parseOwnJson } from '@deckhand/contracts';
import type { Redis } from '@deckhand/queue';
import { isSameSecret, type SecretBox, SecretBoxError } from '@deckhand/runtime';
import { createHash } from 'node:crypto';
import { createSecret } from './tokens.ts';

/**
 * What is remembered between two steps of a person, in Redis for all replicas, encrypted: somebody who can write to
 * Redis must not make one up. If Redis loses it, the person starts again.
 */
export interface PassingStates<T> {
  /** @param holder the secret of the browser, or the session, that may go on. @returns the name of the state. */
  start(holder: string, value: T): Promise<{ readonly state: string; readonly expiresAt: string }>;
  /** Returns undefined for a state that does not exist, has expired, was used, or is of another holder. */
  read(state: string, holder: string): Promise<T | undefined>;
  /** Uses a state up. Of two callers at the same time, one gets true. */
  end(state: string): Promise<boolean>;
}

/** Creates the states. @param kind names the steps: a state of another kind is not found. */
export function createPassingStates<T>(
  redis: Redis,
  secretBox: SecretBox,
  { kind, seconds }: { readonly kind: string; readonly seconds: number },
): PassingStates<T> {
  const keyOf = (state: string): string => `{deckhand}:${kind}:${digestOf(state)}`;
  return {
    async start(holder, value) {
      const state = createSecret();
      const sealed = await secretBox.seal(JSON.stringify({ kind, state, holder: digestOf(holder), value }));
      await available(redis.set(keyOf(state), sealed, 'EX', seconds));
      return { state, expiresAt: new Date(Date.now() + seconds * 1_000).toISOString() };
    },
    async read(state, holder) {
      const sealed = await available(redis.get(keyOf(state)));
      if (sealed === null) return undefined;
      const stored = await opened<T>(secretBox, sealed);
      // What was written for another state or kind must not be moved here.
      if (stored?.state !== state || stored.kind !== kind) return undefined;
      return isSameSecret(digestOf(holder), stored.holder) ? stored.value : undefined;
    },
    async end(state) {
      return (await available(redis.del(keyOf(state)))) > 0;
    },
  };
}

interface Stored<T> {
  readonly kind: string;
  readonly state: string;
  readonly holder: string;
  readonly value: T;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

async function opened<T>(secretBox: SecretBox, sealed: string): Promise<Stored<T> | undefined> {
  try {
    return parseOwnJson<Stored<T>>(await secretBox.open(sealed));
  } catch (error) {
    if (error instanceof SecretBoxError) return undefined;
    throw error;
  }
}

/**
 * Returns the reply of Redis.
 * @throws DeckhandError SERVICE_UNAVAILABLE while Redis refuses the command.
 */
export async function available<T>(command: Promise<T>): Promise<T> {
  try {
    return await command;
  } catch (error) {
    throw new DeckhandError('SERVICE_UNAVAILABLE', { cause: error });
  }
}
