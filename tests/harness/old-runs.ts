import { createRunPartitions, type Database, Prisma } from '@deckhand/db';
import { v7 as uuidv7 } from 'uuid';
import { endPartitions } from './run-partitions.ts';
import { seedWorkflow, chain, type Seed } from './seed.ts';

const DAY_MS = 86_400_000;

/** Runs that ended 45 days ago, in a partition that has ended. */
export interface OldRuns {
  readonly seed: Seed;
  readonly ids: readonly string[];
}

/** Makes a database without runs look old, with so many finished runs in its first partition. */
export async function addOldRuns(db: Database, amount: number, triggerBytes = 32): Promise<OldRuns> {
  await endPartitions(db, 40);
  await createRunPartitions(db, 30);
  const seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } }));
  const from = Date.now() - 50 * DAY_MS;
  const ids = Array.from({ length: amount }, (_, n) => uuidv7({ msecs: from + n * 1_000 }));
  const finishedAt = new Date(Date.now() - 45 * DAY_MS);
  const first = await seed.accept();
  await db.$executeRaw(Prisma.sql`
    WITH template AS (SELECT * FROM executions WHERE id = ${first}::uuid)
    INSERT INTO executions (id, workspace_id, workflow_id, workflow_version_id, status, execution_mode, source,
      trigger_node_id, trigger_data, created_at, started_at, finished_at, deadline_at, dispatched_at, stored_bytes)
    SELECT i.id, t.workspace_id, t.workflow_id, t.workflow_version_id, 'success', t.execution_mode, t.source,
      t.trigger_node_id, json_build_object('text', (
        SELECT string_agg(md5(i.n || ' ' || k), '') FROM generate_series(1, ${Math.ceil(triggerBytes / 32)}::int) k))::text,
      to_timestamp(${from / 1_000}::float8 + i.n - 1), to_timestamp(${from / 1_000}::float8 + i.n - 1),
      ${finishedAt}::timestamptz, t.deadline_at, t.dispatched_at, 1000
    FROM template t CROSS JOIN unnest(${ids}::uuid[]) WITH ORDINALITY AS i (id, n)`);
  await db.$executeRaw(Prisma.sql`
    INSERT INTO node_runs (execution_id, node_id, status, started_at, finished_at, output)
    SELECT id, node, 'success', ${finishedAt}::timestamptz, ${finishedAt}::timestamptz, '{"ok":true}'
    FROM unnest(${ids}::uuid[]) AS id CROSS JOIN unnest(ARRAY['start', 'a']) AS node`);
  await db.execution.delete({ where: { id: first } });
  return { seed, ids };
}
