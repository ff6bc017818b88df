import { DeckhandError, parseOwnJson } from '@deckhand/contracts';
import type { Redis } from '@deckhand/queue';
import { createSignatures, isSameSecret, type SecretBox } from '@deckhand/runtime';
import { createHash, randomInt, randomUUID } from 'node:crypto';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { networkOf } from '../http/caller-address.ts';
import { createLimiter } from '../http/create-limiter.ts';
import { available } from './passing-states.ts';

/** Time from the start to the last moment at which the key can be fetched, in seconds. */
const LIFETIME_SECONDS = 600;
/** How often a client should ask for the key, in seconds. */
export const POLL_SECONDS = 2;
/** Characters of codes: consonants, so that no words come out, and none that look alike (RFC 8628, section 6.1). */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const CODE_LENGTH = 8;
/** Requests of one network, in points, in a minute. A start stores something, so it costs more. */
const POINTS_PER_MINUTE = 300;
const START_POINTS = 10;

/** A client that waits for a person to allow it a key. */
export interface DeviceAuthorization {
  readonly id: string;
  /** The person compares it with what the client shows. */
  readonly code: string;
  /** What the client says it is, such as the name of its machine. */
  readonly name: string;
  /** Where the request came from. */
  readonly address: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** What a person allowed. */
export interface DeviceApproval {
  readonly userId: string;
  readonly workspaceId: string;
}

/** What a client gets for its proof. `approved` is returned once. */
export type Redeemed =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'pending' }
  | ({ readonly kind: 'approved'; readonly name: string } & DeviceApproval);

/**
 * Authorizations of clients by a person in the console, as in RFC 8628, with a proof as in RFC 7636: only the client
 * that started one gets its key. They are in Redis, for all replicas. If it loses them, clients start again. They are
 * signed: somebody who can write to Redis must not allow a key, or change which client gets it.
 */
export interface DeviceAuthorizations {
  /** @param codeChallenge SHA-256 of the client's proof, in base64url. @throws DeckhandError RATE_LIMITED */
  start(client: {
    readonly name: string;
    readonly codeChallenge: string;
    readonly address: string;
  }): Promise<DeviceAuthorization>;
  /** Returns undefined for one that does not exist, has expired or was used. */
  find(id: string): Promise<DeviceAuthorization | undefined>;
  /** Records what a person allowed. @returns false if it expired meanwhile, or somebody else has answered. */
  approve(id: string, approval: DeviceApproval): Promise<boolean>;
  /** Checks the proof, and ends an authorization that was approved. @throws DeckhandError RATE_LIMITED */
  redeem(id: string, client: { readonly codeVerifier: string; readonly address: string }): Promise<Redeemed>;
}

/** What is stored of an authorization, beside its approval. */
interface Stored extends DeviceAuthorization {
  readonly codeChallenge: string;
}

/** Creates the authorizations. */
export function createDeviceAuthorizations(redis: Redis, secretBox: SecretBox): DeviceAuthorizations {
  const signatures = createSignatures(secretBox, 'deckhand device authorization v1');
  const limiter = createLimiter(redis, { keyPrefix: '{deckhand}:device', points: POINTS_PER_MINUTE, duration: 60 });
  const keyOf = (id: string): string => `{deckhand}:device-authorization:${id}`;
  const approvalOf = (id: string): string => `${keyOf(id)}:approval`;

  async function count(address: string, points: number): Promise<void> {
    try {
      await limiter.consume(networkOf(address), points);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      throw new DeckhandError('RATE_LIMITED', {
        headers: { 'Retry-After': String(Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000))) },
      });
    }
  }

  async function read(id: string): Promise<Stored | undefined> {
    const text = await available(redis.get(keyOf(id)));
    const json = text === null ? undefined : signatures.verify(id, text);
    return json === undefined ? undefined : parseOwnJson<Stored>(json);
  }

  return {
    async start({ name, codeChallenge, address }) {
      await count(address, START_POINTS);
      const now = Date.now();
      const authorization: DeviceAuthorization = {
        id: randomUUID(),
        code: createCode(),
        name,
        address,
        createdAt: new Date(now).toISOString(),
        expiresAt: new Date(now + LIFETIME_SECONDS * 1_000).toISOString(),
      };
      const stored: Stored = { ...authorization, codeChallenge };
      await available(
        redis.set(
          keyOf(authorization.id),
          signatures.sign(authorization.id, JSON.stringify(stored)),
          'EX',
          LIFETIME_SECONDS,
        ),
      );
      return authorization;
    },
    async find(id) {
      const stored = await read(id);
      if (!stored) return undefined;
      const { codeChallenge: _, ...authorization } = stored;
      return authorization;
    },
    async approve(id, approval) {
      const stored = await read(id);
      if (!stored) return false;
      // The first answer counts. It lives no longer than what it is about.
      const signed = signatures.sign(approvalOf(id), JSON.stringify(approval));
      const set = redis.set(approvalOf(id), signed, 'EX', LIFETIME_SECONDS, 'NX');
      return (await available(set)) === 'OK';
    },
    async redeem(id, { codeVerifier, address }) {
      await count(address, 1);
      const stored = await read(id);
      const challenge = createHash('sha256').update(codeVerifier).digest('base64url');
      if (!stored || !isSameSecret(challenge, stored.codeChallenge)) return { kind: 'unknown' };
      const signed = await available(redis.get(approvalOf(id)));
      const approval = signed === null ? undefined : signatures.verify(approvalOf(id), signed);
      if (approval === undefined) return { kind: 'pending' };
      // Of two requests at the same time, one deletes it.
      if ((await available(redis.del(keyOf(id)))) === 0) return { kind: 'unknown' };
      await available(redis.del(approvalOf(id)));
      return { kind: 'approved', name: stored.name, ...parseOwnJson<DeviceApproval>(approval) };
    },
  };
}

/** Returns a random code in two groups, such as `BDWP-HQPK`. */
function createCode(): string {
  const letters = Array.from({ length: CODE_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length)));
  return `${letters.slice(0, CODE_LENGTH / 2).join('')}-${letters.slice(CODE_LENGTH / 2).join('')}`;
}
