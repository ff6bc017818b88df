import { createDatabase, type Database, listExecutionIds, Prisma } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  addPartitions,
  chain,
  createTestDatabase,
  endPartitions,
  runIdAt,
  type Seed,
  seedWorkflow,
  stopAll,
  stopLater,
} from '../../harness/index.ts';

/** More runs than are read one by one before the index is used. */
const NEW_RUNS = 30_000;
const FOUND_IN_EACH = 60;

let db: Database;
let seed: Seed;
let oldest: string;

/** Writes searchable runs with a text, created so many days ago. */
async function addRuns(amount: number, { text, daysAgo }: { text: string; daysAgo: number }): Promise<void> {
  await db.$executeRaw`
    WITH given AS (
      SELECT ${runIdAt(Prisma.sql`at`)} AS id, at
      FROM (SELECT now() - ${daysAgo}::int * interval '1 day' - i * interval '1 s' AS at FROM generate_series(1, ${amount}::int) i)
    ), texts AS (
      INSERT INTO execution_texts (execution_id, workspace_id, text)
      SELECT id, ${seed.workspaceId}::uuid, ${text} FROM given
    )
    INSERT INTO executions (id, workspace_id, workflow_id, workflow_version_id, status, source, trigger_node_id,
      created_at, dispatched_at, started_at, finished_at, deadline_at)
    SELECT id, ${seed.workspaceId}::uuid, ${seed.workflowId}::uuid, ${uuidv7()}::uuid, 'success', 'api', 'start', at, at, at, at, at
    FROM given`;
}

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 1 });
  stopLater({ stop: () => db.$disconnect() });
  seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
  await endPartitions(db, 60);
  await addPartitions(db, { count: 3, days: 30 });
  const [first] = await db.$queryRaw<{ name: string }[]>`
    SELECT partition_name AS name FROM run_partitions WHERE table_name = 'execution_texts' AND lower_id IS NULL`;
  oldest = first?.name ?? '';
  await addRuns(NEW_RUNS, { text: 'basalt', daysAgo: 0 });
  await addRuns(FOUND_IN_EACH, { text: 'amber', daysAgo: 45 });
  await addRuns(FOUND_IN_EACH, { text: 'amber', daysAgo: 90 });
  await db.$executeRaw`ANALYZE executions, execution_texts`;
});
afterAll(stopAll);

/** Returns how often the texts of the oldest partition have been read. */
async function countReads(): Promise<bigint> {
  await db.$executeRaw`SELECT pg_stat_force_next_flush()`;
  const [row] = await db.$queryRaw<{ reads: bigint }[]>`
    SELECT seq_scan + idx_scan AS reads FROM pg_stat_user_tables WHERE relname = ${oldest}`;
  return row?.reads ?? -1n;
}

async function search(sortOrder: 'asc' | 'desc', limit: number, offset = 0): Promise<number> {
  const { ids } = await listExecutionIds(
    db,
    { userId: seed.userId, boundTo: null },
    {
      workspaceId: seed.workspaceId,
      search: 'amber',
      sortBy: 'startedAt',
      sortOrder,
      limit,
      offset,
      includeTotal: false,
    },
  );
  return ids.length;
}

describe('a search for a text that only old runs contain', () => {
  it('reads the partitions in the order of the list, until the page is full', async () => {
    const before = await countReads();
    expect(await search('desc', 20)).toBe(20);
    expect(await countReads()).toBe(before);
    expect(await search('desc', 20, 50)).toBe(20);
    expect(await countReads()).toBeGreaterThan(before);
  });

  it('finds all of them', async () => {
    expect(await search('desc', 500)).toBe(2 * FOUND_IN_EACH);
    expect(await search('asc', 500)).toBe(2 * FOUND_IN_EACH);
  });
});
