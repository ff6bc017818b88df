import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The secrets that a local instance needs again at its next start. */
export interface Secrets {
  /** Encrypts credentials: without it they are lost. */
  readonly encryptionKey: string;
  readonly ownerPassword: string;
  /** API key of an earlier start. */
  readonly apiKey?: string;
}

/** Reads the secrets at `path`, and generates missing ones. */
export function loadSecrets(path: string): Secrets {
  return {
    encryptionKey: randomBytes(32).toString('base64'),
    ownerPassword: randomBytes(15).toString('base64url'),
    ...read(path),
  };
}

/**
 * Writes the secrets, readable by their owner only, in one step: after a crash, the file is either the old or the new
 * one.
 */
export function saveSecrets(path: string, secrets: Secrets): void {
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.new`;
  writeFileSync(unfinished, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(unfinished, path);
}

function read(path: string): Partial<Secrets> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return {};
  }
  return JSON.parse(text) as Partial<Secrets>;
}
