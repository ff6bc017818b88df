import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkKey, only, parseUrl, resolveTarget } from './connection.ts';
import type { Environment } from './environment.ts';
import { readProfiles, writeProfiles } from './profiles.ts';

let folder: string;
let path: string;

const PRODUCTION = { url: 'https://deckhand.example', apiKey: 'dk_production', workspaceId: 'w' };
const LOCAL = { url: 'http://localhost:3000', apiKey: 'dk_local' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'deckhand-profiles-'));
  path = join(folder, 'deckhand/profiles.json');
  const byName = new Map([
    ['production', PRODUCTION],
    ['local', LOCAL],
  ]);
  await writeProfiles(path, { current: 'production', byName });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns an environment with the profiles, and what else is set. */
function environment(set: Partial<Environment> = {}): Environment {
  return { url: undefined, apiKey: undefined, workspace: undefined, profile: undefined, profilesPath: path, ...set };
}

describe('profiles', () => {
  it('are read as they were written, by their owner alone', async () => {
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const { current, byName } = await readProfiles(path);
    expect({ current, names: [...byName.keys()] }).toEqual({ current: 'production', names: ['production', 'local'] });
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ profiles: { local: LOCAL } });
  });

  it('are none without a file', async () => {
    expect((await readProfiles(join(folder, 'other.json'))).byName.size).toBe(0);
  });
});

describe('the target of requests', () => {
  const ENV = { url: 'http://localhost:4000', apiKey: 'dk_env', workspace: 'v' };

  it.each([
    ['the current profile', {}, {}, { ...PRODUCTION, workspace: 'w' }],
    ['the profile that is named', { profile: 'local' }, {}, LOCAL],
    ['the profile that the environment names', {}, { profile: 'local' }, LOCAL],
    ['the environment rather than a profile', {}, ENV, ENV],
    ['a profile that an option names rather than the environment', { profile: 'local' }, ENV, LOCAL],
    ['the workspace of a profile that an option names', { profile: 'production' }, ENV, { workspace: 'w' }],
    ['the workspace that an option names', { workspace: 'x' }, ENV, { workspace: 'x' }],
    [
      'a key of the environment for the URL of an option',
      { url: 'http://a' },
      { apiKey: 'dk_env' },
      { url: 'http://a', apiKey: 'dk_env' },
    ],
    ['the profile for its own URL', { url: 'https://deckhand.example/' }, {}, { apiKey: 'dk_production' }],
  ])(
    'is %s',
    async (_, options, set, { url, apiKey, workspace }: { url?: string; apiKey?: string; workspace?: string }) => {
      const target = await resolveTarget(options, environment(set));
      expect(target).toMatchObject({
        ...(url !== undefined && { url }),
        ...(apiKey !== undefined && { apiKey }),
        ...(workspace !== undefined && { workspace }),
      });
    },
  );

  it.each([
    ['of a profile', { url: 'https://other.example' }, {}],
    ['of a profile to the URL of the environment', {}, { url: 'https://other.example' }],
    ['of the environment', { url: 'https://other.example' }, ENV],
  ])('never gets a key %s that is for another instance', async (_, options, set) => {
    await expect(resolveTarget(options, environment(set))).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('deckhand login --url https://other.example'),
    });
  });

  it('is not there without a key, or for a profile that does not exist', async () => {
    const none = environment({ profilesPath: join(folder, 'other.json') });
    await expect(resolveTarget({}, none)).rejects.toMatchObject({ exitCode: 3 });
    await expect(resolveTarget({ profile: 'x' }, environment())).rejects.toThrow('there are production, local');
    await expect(resolveTarget({ profile: '__proto__' }, environment())).rejects.toMatchObject({ exitCode: 2 });
  });
});

describe('what is typed', () => {
  it.each(['deckhand', 'ftp://a', 'http://user:hunter2@a', 'http://user@a'])(
    '%s is not a URL of an instance',
    (text) => {
      expect(() => parseUrl(text)).toThrow(/^(?!.*hunter2)The URL must/);
    },
  );

  it('a key that is none is not repeated', () => {
    for (const key of ['hunter2', 'dk_a b', 'dk_a\n']) expect(() => checkKey(key)).toThrow(/^This is not an API key/);
  });

  it('a name stands for the only one that has exactly it', () => {
    const entries = ['a', 'A', 'b', 'b'].map((name, index) => ({ id: String(index), name }));
    expect(only('a', entries, 'thing', 'list')).toBe('0');
    expect(() => only('b', entries, 'thing', 'list')).toThrow(
      '2 things are named b: give the id instead: 2 (b), 3 (b).',
    );
    expect(() => only('c', entries, 'thing', 'list')).toThrow('No thing is named c: see "list".');
  });
});
