import { type Database, findUnindexedRuns, indexExecutions, Prisma } from '@deckhand/db';

/** Where generated runs belong. */
export interface RunOwner {
  readonly workspaceId: string;
  readonly workflows: readonly { readonly id: string; readonly latestVersionId: string }[];
}

/** Runs written by one statement. */
const CHUNK = 50_000;
/** Runs made searchable by one statement. */
const INDEX_BATCH = 20_000;

/**
 * Fills the tables with finished runs of four nodes, one every two seconds up to now, or as often as `spacingSeconds`
 * says: of a thousand, 60 failed with one of about a hundred messages, 10 timed out, 10 were stopped; customers, orders
 * and amounts vary realistically. @param onProgress called with the number of written runs.
 */
export async function generateRuns(
  db: Database,
  owners: readonly RunOwner[],
  { count, spacingSeconds = 2 }: { readonly count: number; readonly spacingSeconds?: number },
  onProgress: (written: number) => void,
): Promise<void> {
  const homes = owners.flatMap(({ workspaceId, workflows }) =>
    workflows.map(({ id, latestVersionId }) => ({ workspaceId, id, latestVersionId })),
  );
  const asked = Prisma.sql`
    SELECT i, md5(i::text) AS hash, h.workspace_id, h.workflow_id, h.version_id,
      now() - (${count}::int - i) * ${spacingSeconds}::float8 * interval '1 second' AS at,
      (CASE WHEN i % 1000 < 60 THEN 'failed' WHEN i % 1000 < 70 THEN 'timeout' WHEN i % 1000 < 80 THEN 'stopped'
        ELSE 'success' END)::execution_status AS status
    FROM generate_series(from_i, to_i) i
    JOIN unnest(
      ${homes.map(({ workspaceId }) => workspaceId)}::uuid[],
      ${homes.map(({ id }) => id)}::uuid[],
      ${homes.map(({ latestVersionId }) => latestVersionId)}::uuid[]
    ) WITH ORDINALITY AS h (workspace_id, workflow_id, version_id, n) ON h.n = 1 + (i::bigint * 7919 % ${homes.length})`;
  for (let from = 1; from <= count; from += CHUNK) {
    const to = Math.min(from + CHUNK - 1, count);
    await db.$executeRaw(Prisma.sql`
      WITH given AS MATERIALIZED (
        SELECT asked.*, uuidv7(asked.at - now()) AS id
        FROM (SELECT ${from}::int AS from_i, ${to}::int AS to_i) bounds, LATERAL (${asked}) asked
      ), nodes AS (
        INSERT INTO node_runs (execution_id, node_id, status, started_at, finished_at, attempts, output, output_bytes)
        SELECT id, n, 'success', at, at + interval '10 ms', 1, CASE n
          WHEN 'total' THEN '{"total":' || i % 3000 || '}'
          WHEN 'mark' THEN '{"route":"big","order":"A-' || i % 90000 || '","token":"' || left(md5(hash), 16) || '"}'
          END, 60
        FROM given, unnest(ARRAY['start', 'total', 'check', 'mark']) n
      ), queued AS (
        INSERT INTO unindexed_executions SELECT id FROM given
      )
      INSERT INTO executions (id, workspace_id, workflow_id, workflow_version_id, status, source, trigger_node_id,
        trigger_data, created_at, dispatched_at, started_at, finished_at, deadline_at, stored_bytes, claimed_dispatch,
        error)
      SELECT id, workspace_id, workflow_id, version_id, status, 'api', 'start',
        '{"customer":{"name":"' || (ARRAY['Ada', 'Grace', 'Linus', 'Edsger', 'Barbara', 'Alan', 'Donald', 'Frances'])[1 + i % 8]
          || ' ' || (ARRAY['Lovelace', 'Hopper', 'Torvalds', 'Dijkstra', 'Liskov', 'Turing', 'Knuth', 'Allen'])[1 + i / 8 % 8]
          || '","email":"user' || (i::bigint * 31 % 50000) || '@example.com"},"order":"' || hash || '","amount":' || i % 1000 || '}',
        at, at, at + interval '5 ms', at + interval '40 ms', at + interval '1 hour', 300, 1,
        CASE status
          WHEN 'failed' THEN '{"message":"the service answered 50' || i % 4 || ' to GET https://api' || i % 100
            || '.example.com/orders/' || hash || '","nodeId":"total","code":"HTTP_STATUS"}'
          WHEN 'timeout' THEN '{"message":"the run took longer than its time limit","nodeId":"total","code":"EXECUTION_TIMEOUT"}'
        END
      FROM given`);
    onProgress(to);
  }
}

/** Makes all finished runs searchable, as the workers would in time. */
export async function makeSearchable(db: Database): Promise<void> {
  for (;;) {
    const runs = await findUnindexedRuns(db, { limit: INDEX_BATCH, except: [] });
    if (runs.length === 0) return;
    await indexExecutions(
      db,
      runs.map(({ id }) => id),
    );
  }
}

/** Does the background work for runs that were written to the tables, and updates the statistics. */
export async function indexAll(db: Database): Promise<void> {
  await makeSearchable(db);
  for (const table of ['executions', 'node_runs', 'execution_texts', 'unindexed_executions']) {
    await db.$executeRaw(Prisma.sql`VACUUM ANALYZE ${Prisma.raw(table)}`);
  }
}
