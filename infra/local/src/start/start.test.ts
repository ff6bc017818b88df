import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { takeLock } from './lock.ts';
import { loadSecrets, saveSecrets } from './secrets.ts';
import { readStartSettings } from './settings.ts';
import { createStack } from './stack.ts';
import { quoted } from './summary.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'deckhand-test-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('the settings of a start', () => {
  it('have defaults, and an empty variable counts as not set', () => {
    expect(readStartSettings({ PORT: '', DATABASE_URL: '' })).toMatchObject({
      port: 3000,
      workers: 1,
      databaseUrl: undefined,
      allowPrivate: undefined,
      listenAddress: '127.0.0.1',
    });
    expect(readStartSettings({ LISTEN_ADDRESS: '0.0.0.0' }).listenAddress).toBe('0.0.0.0');
  });

  it('have a direct URL only beside DATABASE_URL: a server of our own is migrated by its own', () => {
    const direct = { DIRECT_DATABASE_URL: 'postgresql://direct/db' };
    expect(readStartSettings(direct).directDatabaseUrl).toBeUndefined();
    const both = readStartSettings({ ...direct, DATABASE_URL: 'postgresql://pooler/db' });
    expect(both.directDatabaseUrl).toBe('postgresql://direct/db');
  });

  it.each([
    [{ PORT: 'http' }, /^PORT must be a whole number/],
    [{ WORKERS: '0' }, /^WORKERS must be a whole number from 1/],
    [{ HTTP_NODE_ALLOW_PRIVATE: 'yes' }, /^HTTP_NODE_ALLOW_PRIVATE must be true or false/],
  ])('name the variable that is bad: %j', (env, message) => {
    expect(() => readStartSettings(env)).toThrow(message);
  });
});

describe('the secrets of a local instance', () => {
  it('are made once, kept, and readable by their owner only', () => {
    const path = join(dir, 'secrets.json');
    const secrets = loadSecrets(path);
    saveSecrets(path, { ...secrets, apiKey: 'dk_1' });
    expect(loadSecrets(path)).toEqual({ ...secrets, apiKey: 'dk_1' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(secrets.encryptionKey.length).toBeGreaterThanOrEqual(32);
  });
});

describe('the lock of a checkout', () => {
  it('is taken over from a process that is gone, or that is something else by now', async () => {
    const path = join(dir, 'start.lock');
    for (const holder of ['999999999', String(process.ppid), 'nonsense']) {
      writeFileSync(path, holder);
      const lock = await takeLock(path);
      expect(readFileSync(path, 'utf8')).toBe(String(process.pid));
      expect(lock).toHaveProperty('release');
    }
  });
});

describe('a stack', () => {
  it('stops whoever needs another first, once, and continues when one fails', async () => {
    const stopped: string[] = [];
    const stack = createStack();
    for (const role of ['postgres', 'redis', 'api', 'worker'] as const) {
      stack.add(role, () => {
        stopped.push(role);
        return role === 'api' ? Promise.reject(new Error('stuck')) : Promise.resolve();
      });
    }
    await Promise.all([stack.stop(), stack.stop()]);
    expect(stopped).toEqual(['worker', 'api', 'redis', 'postgres']);
    expect(stack.isStopping()).toBe(true);
  });

  it('stops what is added too late at once', async () => {
    const stack = createStack();
    await stack.stop();
    let isStopped = false;
    stack.add('worker', () => {
      isStopped = true;
      return Promise.resolve();
    });
    expect(isStopped).toBe(true);
  });
});

describe('a word of a shell', () => {
  it('is the text again, whatever is in it', () => {
    const text = `{"name":"O'Neil & Söhne $HOME \\n \`id\`"}`;
    expect(execFileSync('sh', ['-c', `printf %s ${quoted(text)}`], { encoding: 'utf8' })).toBe(text);
  });
});
