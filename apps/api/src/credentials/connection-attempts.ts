import { parseOwnJson } from '@deckhand/contracts';
import type { Redis } from '@deckhand/queue';
import { type SecretBox, SecretBoxError } from '@deckhand/runtime';
import { createHash, randomBytes } from 'node:crypto';
import { available } from '../auth/passing-states.ts';

/** An attempt of a person to connect a credential. */
export interface ConnectionAttempt {
  readonly credentialId: string;
  readonly userId: string;
  /** The session that started it, which alone may finish it; null if an API key did. */
  readonly sessionId: string | null;
  /** Digest of the credential's encrypted configuration: one that was changed meanwhile gets nothing. */
  readonly configured: string;
  /** The proof of RFC 7636, or the device code. */
  readonly proof: string;
  /** How often the provider may be asked about a device code, in seconds. */
  readonly pollSeconds?: number;
}

/** Who continues an attempt. */
export interface AttemptHolder {
  readonly userId: string;
  readonly sessionId: string | null;
}

/**
 * Attempts in progress, in Redis for all replicas. They are encrypted: their proofs are secret, and somebody who can
 * write to Redis must not make one up. If Redis loses them, people start again.
 */
export interface ConnectionAttempts {
  /** @returns the name of the attempt, which cannot be guessed: the `state` of a redirect. */
  start(attempt: ConnectionAttempt, lifetimeSeconds: number): Promise<string>;
  /** Returns undefined for one that does not exist, has expired, was used, or is of somebody else. */
  find(name: string, holder: AttemptHolder): Promise<ConnectionAttempt | undefined>;
  /** Uses an attempt up. Of two callers at the same time, one gets true. */
  use(name: string): Promise<boolean>;
  /** Whether the provider may be asked about an attempt, at most once in so many seconds over all replicas. */
  mayPoll(name: string, pollSeconds: number): Promise<boolean>;
  /** Has the provider asked less often from now on. */
  slowDown(name: string, attempt: ConnectionAttempt, pollSeconds: number): Promise<void>;
}

/** Creates the attempts. */
export function createConnectionAttempts(redis: Redis, secretBox: SecretBox): ConnectionAttempts {
  const sealed = (key: string, attempt: ConnectionAttempt) => secretBox.seal(JSON.stringify({ ...attempt, key }));
  return {
    async start(attempt, lifetimeSeconds) {
      const name = randomBytes(32).toString('base64url');
      const key = keyOf(name);
      await available(redis.set(key, await sealed(key, attempt), 'EX', lifetimeSeconds));
      return name;
    },
    async find(name, { userId, sessionId }) {
      const found = await available(redis.get(keyOf(name)));
      if (found === null) return undefined;
      const { key, ...attempt } = parseOwnJson<ConnectionAttempt & { key: string }>(await opened(secretBox, found));
      const isOwn = attempt.userId === userId && [null, sessionId].includes(attempt.sessionId);
      return key === keyOf(name) && isOwn ? attempt : undefined;
    },
    async use(name) {
      return (await available(redis.del(keyOf(name)))) > 0;
    },
    async mayPoll(name, pollSeconds) {
      const set = redis.set(polledKeyOf(name), '1', 'EX', pollSeconds, 'NX');
      return (await available(set)) === 'OK';
    },
    async slowDown(name, attempt, pollSeconds) {
      const key = keyOf(name);
      await available(redis.set(key, await sealed(key, { ...attempt, pollSeconds }), 'KEEPTTL', 'XX'));
      await available(redis.set(polledKeyOf(name), '1', 'EX', pollSeconds));
    },
  };
}

/** Returns a digest of an encrypted configuration. */
export function digestOf(sealedSecret: string): string {
  return createHash('sha256').update(sealedSecret).digest('base64url');
}

function keyOf(name: string): string {
  return `{deckhand}:connection-attempt:${digestOf(name)}`;
}

function polledKeyOf(name: string): string {
  return `${keyOf(name)}:polled`;
}

async function opened(secretBox: SecretBox, sealed: string): Promise<string> {
  try {
    return await secretBox.open(sealed);
  } catch (error) {
    if (error instanceof SecretBoxError) return '{}';
    throw error;
  }
}
