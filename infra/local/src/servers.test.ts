import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';

let dir: string;
const started: { stop(): Promise<void> }[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'deckhand-test-'));
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop()));
  rmSync(dir, { recursive: true, force: true });
});

async function sql(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function onRedis<T>(url: string, use: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  try {
    return await use(redis);
  } finally {
    await redis.quit();
  }
}

describe('our PostgreSQL', () => {
  it('keeps what was committed through a crash and through a start that finds the old server still running', async () => {
    const first = await startPostgres({ dir, database: 'things' });
    started.push(first);
    await sql(first.url, "CREATE TABLE kept AS SELECT upper('ärger') AS word");
    await first.kill();
    await first.restart();
    expect(await sql(first.url, 'SELECT word FROM kept')).toEqual([{ word: 'ÄRGER' }]);

    const second = await startPostgres({ dir, database: 'things' });
    started.push(second);
    expect(await first.process.ended).toBe('code 0');
    expect(await sql(second.url, 'SELECT word FROM kept')).toEqual([{ word: 'ÄRGER' }]);
    expect(statSync(join(dir, 'password')).mode & 0o777).toBe(0o600);
  });

  it('starts although its note names a process that is somebody else', async () => {
    const first = await startPostgres({ dir, settings: { fsync: 'off' } });
    await first.kill();
    writeFileSync(join(first.dataPath, 'postmaster.pid'), `${process.pid}\n${first.dataPath}\n`);
    const second = await startPostgres({ dir, settings: { fsync: 'off' } });
    started.push(second);
    expect(await sql(second.url, 'SHOW fsync')).toEqual([{ fsync: 'off' }]);
  });
});

describe('data of another version of PostgreSQL', () => {
  it('are refused with what to do, and stay as they are', async () => {
    const first = await startPostgres({ dir });
    await first.stop();
    const version = join(first.dataPath, 'PG_VERSION');
    writeFileSync(version, '16\n');
    await expect(startPostgres({ dir })).rejects.toThrow(/was written by PostgreSQL 16.*set DATABASE_URL/);
    expect(readFileSync(version, 'utf8')).toBe('16\n');
  });
});

describe('our Redis', () => {
  it('never evicts, and keeps its data through a stop only when told to', async () => {
    const kept = await startRedis({ dir: join(dir, 'kept'), appendOnly: true });
    const lost = await startRedis({ dir: join(dir, 'lost') });
    started.push(kept, lost);
    for (const server of [kept, lost]) {
      await onRedis(server.url, (redis) => redis.set('word', 'here'));
      await server.restart();
    }
    expect(await onRedis(kept.url, (redis) => redis.get('word'))).toBe('here');
    expect(await onRedis(lost.url, (redis) => redis.get('word'))).toBeNull();
    expect(await onRedis(kept.url, (redis) => redis.config('GET', 'maxmemory-policy'))).toContain('noeviction');
  });

  it('stops the server that an earlier start left on the same data', async () => {
    const first = await startRedis({ dir, appendOnly: true });
    const second = await startRedis({ dir, appendOnly: true });
    started.push(second);
    expect(await first.process.ended).toBe('code 0');
  });
});
