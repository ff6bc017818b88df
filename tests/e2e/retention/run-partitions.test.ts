import {
  classifyStoreError,
  createDatabase,
  createRunPartitions,
  type Database,
  deleteLeftoversOfRunPartition,
  detachExpiredRunPartition,
  dropDetachedRunPartition,
  findDetachedRunPartitions,
  findExpiredRuns,
  partitionSpanDays,
} from '@deckhand/db';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import {
  chain,
  createTestDatabase,
  endPartitions,
  type Seed,
  seedWorkflow,
  stopAll,
  stopLater,
} from '../../harness/index.ts';

const DAY_MS = 86_400_000;
const TABLES = ['executions', 'node_runs', 'node_iterations', 'execution_texts'];

let db: Database;
let url: string;
let seed: Seed;

beforeEach(async () => {
  ({ url } = await createTestDatabase());
  const database = createDatabase({ url, poolSize: 4 });
  db = database;
  stopLater({ stop: () => database.$disconnect() });
  seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } }));
});
afterAll(stopAll);

interface Partition {
  readonly table: string;
  readonly suffix: string;
}
const partitions = () =>
  db.$queryRaw<Partition[]>`SELECT table_name AS "table", suffix FROM run_partitions ORDER BY upper_id, table_name`;
const suffixes = async () => [...new Set((await partitions()).map(({ suffix }) => suffix))];

/** Accepts a run whose id is of a time so many days from now. It finished so many days ago, or not yet. */
async function run({ inDays = 0, finishedDaysAgo }: { inDays?: number; finishedDaysAgo?: number }): Promise<string> {
  const [accepted, id] = [await seed.accept(), uuidv7({ msecs: Date.now() + inDays * DAY_MS })];
  const ending =
    finishedDaysAgo === undefined
      ? {}
      : { status: 'success' as const, finishedAt: new Date(Date.now() - finishedDaysAgo * DAY_MS) };
  await db.execution.update({ where: { id: accepted }, data: { id, storedBytes: 1_000, ...ending } });
  await db.nodeRun.create({ data: { executionId: id, nodeId: 'a', status: 'success' } });
  return id;
}

/** Days from now in the second partition. */
const SECOND = 9;
const suffixOfRun = async (id: string): Promise<string | undefined> => {
  const [row] = await db.$queryRaw<{ suffix: string }[]>`
    SELECT substring(tableoid::regclass::text FROM 'p[0-9]+$') AS suffix FROM executions WHERE id = ${id}::uuid`;
  return row?.suffix;
};

describe('partitions of runs', () => {
  it('are created ahead, once, and for all tables with the same bounds', async () => {
    const before = await suffixes();
    expect(await createRunPartitions(db, 12)).toBe(0);
    await db.$queryRaw`SELECT create_run_partitions(now() + interval '20 days', interval '1 day')`;
    const after = await suffixes();
    expect(after.length).toBeGreaterThan(before.length);
    for (const suffix of after) {
      const tables = (await partitions()).filter((partition) => partition.suffix === suffix).map(({ table }) => table);
      expect(tables).toEqual([...TABLES].sort());
    }
    const bounds = await db.$queryRaw<{ lower: string | null; upper: string }[]>`
      SELECT DISTINCT lower_id::text AS lower, upper_id::text AS upper FROM run_partitions ORDER BY upper_id::text`;
    expect(bounds.slice(1).map(({ lower }) => lower)).toEqual(bounds.slice(0, -1).map(({ upper }) => upper));
    const options = await db.$queryRaw<{ options: string[] }[]>`
      SELECT DISTINCT reloptions AS options FROM pg_class WHERE relname LIKE 'executions\_p%' AND relkind = 'r'`;
    expect(options).toHaveLength(1);
  });

  it('begin and end at midnight, UTC, whatever the time zone of the session', async () => {
    await db.$executeRawUnsafe(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET timezone = 'Europe/Berlin'`);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(`SELECT create_run_partitions(now() + interval '360 days', interval '25 days')`);
      const { rows } = await client.query<{ time: string }>(`
        SELECT DISTINCT to_char(time_of_id(upper_id) AT TIME ZONE 'UTC', 'HH24:MI:SS') AS time FROM run_partitions`);
      expect(rows).toEqual([{ time: '00:00:00' }]);
    } finally {
      await client.end();
    }
  });

  it('are created after a pause of the instance that outlasted them and the retention', async () => {
    await endPartitions(db, 200);
    await expect(run({})).rejects.toThrow('no partition of relation');
    // The last one stays even if all of its runs expired.
    expect(await detachExpiredRunPartition(db, 1)).toBeNull();
    expect(await createRunPartitions(db, 1)).toBeLessThan(12);
    await run({});
    expect(await detachExpiredRunPartition(db, 1)).toBe('p0');
  });

  it.each([
    [null, 90],
    [1, 1],
    [30, 2],
    [90, 7],
    [3_650, 90],
  ])('with a retention time of %p days contain %p days', (retention, days) => {
    expect(partitionSpanDays(retention)).toBe(days);
  });

  it('refuse a run of a time without a partition, as something that may be stored later', async () => {
    const id = await seed.accept();
    const move = db.execution.update({ where: { id }, data: { id: uuidv7({ msecs: Date.now() + 800 * DAY_MS }) } });
    const error: unknown = await move.catch((reason: unknown) => reason);
    expect(String(error)).toContain('no partition of relation');
    expect(classifyStoreError(error)).toBe('transient');
  });
});

describe('an expired partition', () => {
  it('is detached once all of its runs finished long enough ago, the oldest first', async () => {
    await db.$queryRaw`SELECT create_run_partitions(now() + interval '30 days', interval '8 days')`;
    const open = await run({ inDays: SECOND });
    const old = await run({ inDays: SECOND, finishedDaysAgo: 60 });
    const suffix = await suffixOfRun(old);
    expect(suffix).not.toBe('p0');
    const detach = () => db.$queryRaw<{ suffix: string | null }[]>`
      SELECT detach_expired_run_partition(now() + interval '17 days') AS suffix`;
    // Its time is not over.
    expect(await detachExpiredRunPartition(db, 30)).toBeNull();
    // The first partition has no runs.
    expect(await detach()).toEqual([{ suffix: 'p0' }]);
    expect(await detach()).toEqual([{ suffix: null }]);
    await db.execution.update({
      where: { id: open },
      data: { status: 'failed', finishedAt: new Date(Date.now() + 400 * DAY_MS) },
    });
    expect(await detach()).toEqual([{ suffix: null }]);
    await db.execution.update({ where: { id: open }, data: { finishedAt: new Date() } });
    expect(await detach()).toEqual([{ suffix }]);
    expect(await db.execution.count()).toBe(0);
    expect(await findDetachedRunPartitions(db)).toEqual(['p0', suffix]);
  });

  it('is kept while one of its runs is being rerun', async () => {
    const source = await run({ finishedDaysAgo: 60 });
    const rerun = await run({ inDays: SECOND });
    await db.execution.update({ where: { id: rerun }, data: { rerunOf: source } });
    const detach = () => db.$queryRaw<{ suffix: string | null }[]>`
      SELECT detach_expired_run_partition(now() + interval '10 days') AS suffix`;
    expect(await detach()).toEqual([{ suffix: null }]);
    await db.execution.update({ where: { id: rerun }, data: { status: 'success', finishedAt: new Date() } });
    expect(await detach()).toEqual([{ suffix: 'p0' }]);
  });

  it('is left alone while its tables are in use, and does not keep others waiting', async () => {
    await run({ finishedDaysAgo: 60 });
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const detach = () => db.$queryRaw<{ suffix: string | null }[]>`
      SELECT detach_expired_run_partition(now() + interval '10 days') AS suffix`;
    try {
      await client.query('BEGIN; SELECT FROM node_runs');
      expect(await detach()).toEqual([{ suffix: null }]);
      expect(await db.execution.count()).toBe(1);
      await client.query('ROLLBACK');
    } finally {
      await client.end();
    }
    expect(await detach()).toEqual([{ suffix: 'p0' }]);
  });

  it('is dropped with everything that belongs to its runs, and its bytes are subtracted', async () => {
    const [first, second] = [await run({ finishedDaysAgo: 60 }), await run({ finishedDaysAgo: 60 })];
    const kept = await run({ inDays: SECOND });
    const details = { nodeId: 'a', kind: 'approval', details: '{}', createdAt: new Date() } as const;
    for (const executionId of [first, kept]) {
      await db.wait.create({ data: { ...details, executionId } });
      await db.largeOutput.create({ data: { id: uuidv7(), executionId, data: null } });
      await db.unindexedExecution.createMany({ data: [{ executionId }], skipDuplicates: true });
      await db.runFamily.create({ data: { rootExecutionId: executionId, started: 1 } });
      await db.stoppedParent.create({ data: { executionId } });
    }
    await db.storageChange.deleteMany();
    await db.$queryRaw`SELECT detach_expired_run_partition(now() + interval '10 days')`;
    expect(await db.execution.findMany({ select: { id: true } })).toEqual([{ id: kept }]);
    for (let batch = 0; await deleteLeftoversOfRunPartition(db, 'p0', 1); batch += 1) expect(batch).toBeLessThan(5);
    expect(await dropDetachedRunPartition(db, 'p0')).toBe(2);
    expect(await dropDetachedRunPartition(db, 'p0')).toBe(0);
    const rest = await Promise.all([
      db.wait.findMany(),
      db.largeOutput.findMany(),
      db.unindexedExecution.findMany(),
      db.stoppedParent.findMany(),
    ]);
    for (const rows of rest) expect(rows.map(({ executionId }) => executionId)).toEqual([kept]);
    expect(await db.runFamily.findMany()).toMatchObject([{ rootExecutionId: kept }]);
    expect(await db.deletedOutput.findMany()).toMatchObject([{ executionId: first }]);
    expect(await db.storageChange.findMany()).toMatchObject([{ workspaceId: seed.workspaceId, bytes: -2_000n }]);
    expect(await db.nodeRun.findMany({ where: { executionId: second } })).toEqual([]);
    const tables = await db.$queryRaw`SELECT relname FROM pg_class WHERE relname LIKE '%\_p0'`;
    expect(tables).toEqual([]);
  });

  it('has no drop for tables in use as partitions, or of other names', async () => {
    await run({});
    for (const suffix of ['p0', 'p1', 'p0"; DROP TABLE users; --']) {
      expect(await dropDetachedRunPartition(db, suffix)).toBe(0);
      expect(await deleteLeftoversOfRunPartition(db, suffix, 10)).toBe(false);
    }
    expect(await db.execution.count()).toBe(1);
  });
});

describe('an expired run', () => {
  it('waits for the end of its partition, unless that is the first or outlasts it', async () => {
    const inFirst = await run({ finishedDaysAgo: 31 });
    const waiting = await run({ inDays: SECOND, finishedDaysAgo: 31 });
    const late = await run({ inDays: SECOND, finishedDaysAgo: 35 });
    const expired = { kind: 'data', days: 30, limit: 10, except: [] } as const;
    const found = async (graceDays: number) =>
      (await findExpiredRuns(db, { ...expired, graceDays })).map(({ id }) => id);
    expect(await found(3)).toEqual([late, inFirst]);
    expect(await found(0)).toEqual([late, inFirst, waiting]);
    expect(await found(6)).toEqual([inFirst]);
  });
});
