import { misused } from '@deckhand/terminal';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isObject } from './json.ts';

/** An instance, and the key to use there. */
export interface Profile {
  readonly url: string;
  readonly apiKey: string;
  /** The workspace of commands that name none. */
  readonly workspaceId?: string | undefined;
}

/** The profiles of a person, as the file has them. */
export interface Profiles {
  /** The name of the profile that is used unless another is named. */
  readonly current: string;
  readonly byName: ReadonlyMap<string, Profile>;
}

/** The profile of a person who never named one. */
export const DEFAULT_PROFILE = 'default';

/** @throws ExitError for a name that would be hard to type or to read. */
export function checkProfileName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name)) return name;
  throw misused('The name of a profile has letters, digits, "-", "_" and ".", and begins with a letter or a digit.');
}

/** Reads the profiles; none if there is no file. @throws ExitError if the file is not valid. */
export async function readProfiles(path: string): Promise<Profiles> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return { current: DEFAULT_PROFILE, byName: new Map() };
    throw misused(`The profiles cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const profiles = parse(text);
  if (!profiles) throw misused(`${path} is not valid: remove it, and sign in again with "deckhand login".`);
  return profiles;
}

/**
 * Writes the profiles, with access for their owner alone: the new file has its mode before it has its content, and
 * replaces the old one at once, so nobody reads a half or an open one.
 */
export async function writeProfiles(path: string, { current, byName }: Profiles): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const part = `${path}.${randomUUID()}`;
  try {
    const content = { current, profiles: Object.fromEntries(byName) };
    await writeFile(part, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Returns whether others than the owner may read the file; false if there is none, or the system has no modes. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  if (process.platform === 'win32') return false;
  try {
    return ((await stat(path)).mode & 0o077) !== 0;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return isObject(error) && error.code === 'ENOENT';
}

function parse(text: string): Profiles | undefined {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(content) || typeof content.current !== 'string' || !isObject(content.profiles)) return undefined;
  const byName = new Map<string, Profile>();
  for (const [name, profile] of Object.entries(content.profiles)) {
    if (!isProfile(profile)) return undefined;
    byName.set(name, profile);
  }
  return { current: content.current, byName };
}

function isProfile(value: unknown): value is Profile {
  return (
    isObject(value) &&
    typeof value.url === 'string' &&
    typeof value.apiKey === 'string' &&
    (value.workspaceId === undefined || typeof value.workspaceId === 'string')
  );
}
