import { join } from 'node:path';
import { REPOSITORY } from '../repository.ts';

/** Reached from this machine only. */
export const LOOPBACK = '127.0.0.1';

/** An invalid setting of `npm start`; the message names it. */
export class StartSettingsError extends Error {
  override readonly name = 'StartSettingsError';
}

/** Settings of `npm start`. */
export interface StartSettings {
  /** Where data, logs and secrets of local runs are kept. */
  readonly folder: string;
  /** Undefined: start a PostgreSQL server. */
  readonly databaseUrl: string | undefined;
  /**
   * The URL by which migrations reach that database past a pooler. Undefined: `databaseUrl`, or a server of our own.
   */
  readonly directDatabaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly port: number;
  /** The address on which the API listens; by default only this machine reaches it. */
  readonly listenAddress: string;
  /** The URL by which callers reach it. */
  readonly publicUrl: string;
  /** How many workers to start. */
  readonly workers: number;
  readonly ownerEmail: string;
  /** Undefined: generate one and keep it. */
  readonly ownerPassword: string | undefined;
  readonly encryptionKey: string | undefined;
  /** Whether nodes may call private addresses. Undefined: yes, for the sample's receiver runs on this machine. */
  readonly allowPrivate: boolean | undefined;
}

/**
 * Reads the settings; an empty variable counts as not set.
 * @throws StartSettingsError for the first invalid one.
 */
export function readStartSettings(env: NodeJS.ProcessEnv): StartSettings {
  const text = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  const port = wholeNumber('PORT', text('PORT'), { fallback: 3000, min: 1, max: 65_535 });
  return {
    folder: join(REPOSITORY, '.deckhand'),
    databaseUrl: text('DATABASE_URL'),
    directDatabaseUrl: text('DATABASE_URL') === undefined ? undefined : text('DIRECT_DATABASE_URL'),
    redisUrl: text('REDIS_URL'),
    port,
    listenAddress: text('LISTEN_ADDRESS') ?? LOOPBACK,
    publicUrl: (text('PUBLIC_URL') ?? `http://localhost:${port}`).replace(/\/+$/, ''),
    workers: wholeNumber('WORKERS', text('WORKERS'), { fallback: 1, min: 1, max: 64 }),
    ownerEmail: text('OWNER_EMAIL') ?? 'owner@example.com',
    ownerPassword: text('OWNER_PASSWORD'),
    encryptionKey: text('ENCRYPTION_KEY'),
    allowPrivate: flag('HTTP_NODE_ALLOW_PRIVATE', text('HTTP_NODE_ALLOW_PRIVATE')),
  };
}

function wholeNumber(
  name: string,
  given: string | undefined,
  bounds: { fallback: number; min: number; max: number },
): number {
  if (given === undefined) return bounds.fallback;
  const value = Number(given);
  if (!Number.isInteger(value) || value < bounds.min || value > bounds.max) {
    throw new StartSettingsError(`${name} must be a whole number from ${bounds.min} to ${bounds.max}, not "${given}".`);
  }
  return value;
}

function flag(name: string, given: string | undefined): boolean | undefined {
  if (given === undefined) return undefined;
  if (given !== 'true' && given !== 'false')
    throw new StartSettingsError(`${name} must be true or false, not "${given}".`);
  return given === 'true';
}
