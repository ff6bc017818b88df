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
  const at = Prisma.sql`now() - (${count}::int - i) * ${spacingSeconds}::float8 * interval '1 second'`;
  for (let from = 1; from <= count; from += CHUNK) {
    const to = Math.min(from + CHUNK - 1, count);
    await db.$executeRaw(insertion(owners, { from, to, at, suffix: '' }));
    onProgress(to);
  }
}

/** Runs that one statement writes. */
interface Part {
  /** Their numbers, which determine what they contain. */
  readonly from: number;
  readonly to: number;
  /** When the run `i` was created, as SQL. */
  readonly at: Prisma.Sql;
  /** Of the tables. */
  readonly suffix: string;
}

/** Returns the statement that writes runs, their nodes and, in tables of a partition, their search texts. */
function insertion(owners: readonly RunOwner[], { from, to, at, suffix }: Part): Prisma.Sql {
  const homes = owners.flatMap(({ workspaceId, workflows }) =>
    workflows.map(({ id, latestVersionId }) => ({ workspaceId, id, latestVersionId })),
  );
  const table = (name: string): Prisma.Sql => Prisma.raw(`${name}${suffix}`);
  const searchable =
    suffix === ''
      ? Prisma.sql`INSERT INTO unindexed_executions SELECT id FROM given`
      : Prisma.sql`
        INSERT INTO ${table('execution_texts')} (execution_id, workspace_id, text, error)
        SELECT id, workspace_id, lower(concat_ws(E'\n', id, workflow_id, version_id, trigger_data, error, E'\\n' || total || E'\\n\\n' || mark)),
          lower(regexp_replace(error, '^\\{"message":"(.*)","nodeId":.*,"code":"(.*)"\\}$', E'\\\\1\n\\\\2'))
        FROM given`;
  return Prisma.sql`
    WITH numbered AS (
      SELECT i, md5(i::text) AS hash, h.workspace_id, h.workflow_id, h.version_id, ${at} AS at,
        (CASE WHEN i % 1000 < 60 THEN 'failed' WHEN i % 1000 < 70 THEN 'timeout' WHEN i % 1000 < 80 THEN 'stopped'
          ELSE 'success' END)::execution_status AS status
      FROM generate_series(${from}::int, ${to}::int) i
      JOIN unnest(
        ${homes.map(({ workspaceId }) => workspaceId)}::uuid[],
        ${homes.map(({ id }) => id)}::uuid[],
        ${homes.map(({ latestVersionId }) => latestVersionId)}::uuid[]
      ) WITH ORDINALITY AS h (workspace_id, workflow_id, version_id, n) ON h.n = 1 + (i::bigint * 7919 % ${homes.length})
    ), given AS MATERIALIZED (
      SELECT n.*,
        (left(first_id_of(at)::text, 14) || '7' || left(hash, 3) || '-8' || substr(hash, 4, 3) || '-' || right(hash, 12))::uuid AS id,
        '{"customer":{"name":"' || (ARRAY['Ada', 'Grace', 'Linus', 'Edsger', 'Barbara', 'Alan', 'Donald', 'Frances'])[1 + i % 8]
          || ' ' || (ARRAY['Lovelace', 'Hopper', 'Torvalds', 'Dijkstra', 'Liskov', 'Turing', 'Knuth', 'Allen'])[1 + i / 8 % 8]
          || '","email":"user' || (i::bigint * 31 % 50000) || '@example.com"},"order":"' || hash || '","amount":' || i % 1000 || '}' AS trigger_data,
        '{"total":' || i % 3000 || '}' AS total,
        '{"route":"big","order":"A-' || i % 90000 || '","token":"' || left(md5(hash), 16) || '"}' AS mark,
        CASE status
          WHEN 'failed' THEN '{"message":"the service answered 50' || i % 4 || ' to GET https://api' || i % 100
            || '.example.com/orders/' || hash || '","nodeId":"total","code":"HTTP_STATUS"}'
          WHEN 'timeout' THEN '{"message":"the run took longer than its time limit","nodeId":"total","code":"EXECUTION_TIMEOUT"}'
        END AS error
      FROM numbered n
    ), nodes AS (
      INSERT INTO ${table('node_runs')} (execution_id, node_id, status, started_at, finished_at, attempts, output, output_bytes)
      SELECT given.id, node.id, 'success', at + node.n * interval '1 ms', at + interval '10 ms', 1, node.output, 60
      FROM given, LATERAL (VALUES (0, 'start', NULL), (1, 'total', total), (2, 'check', NULL), (3, 'mark', mark)) node (n, id, output)
    ), searchable AS (${searchable})
    INSERT INTO ${table('executions')} (id, workspace_id, workflow_id, workflow_version_id, status, source, trigger_node_id,
      trigger_data, created_at, dispatched_at, started_at, finished_at, deadline_at, stored_bytes, claimed_dispatch, error)
    SELECT id, workspace_id, workflow_id, version_id, status, 'api', 'start', trigger_data, at, at, at + interval '5 ms',
      at + interval '40 ms', at + interval '1 hour', 300, 1, error
    FROM given`;
}

/** A partition to be created. */
export interface NewPartition {
  readonly from: Date;
  readonly to: Date;
  /** Its runs, spread evenly over its time. */
  readonly runs: number;
}

/** A part of the tables of runs. */
const TABLES = ['executions', 'node_runs', 'node_iterations', 'execution_texts'] as const;

/**
 * Creates a partition with finished runs that are searchable, as `generateRuns` writes them. Indexes are built after
 * the rows are written, which takes a fraction of the time. Rows are computed where they are stored: `COPY` would send
 * the same rows through a client.
 */
export async function createFilledPartition(
  db: Database,
  owners: readonly RunOwner[],
  { from, to, runs }: NewPartition,
): Promise<void> {
  const day = from.toISOString().slice(0, 10).replaceAll('-', '');
  // Of another name until it is attached: the workers drop detached partitions.
  const suffix = `_new${day}`;
  const execute = (statement: string): Promise<number> => db.$executeRawUnsafe(statement);
  for (const table of TABLES) {
    await execute(
      `CREATE TABLE ${table}${suffix} (LIKE ${table} INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING CONSTRAINTS)`,
    );
  }
  const spacingMs = (to.getTime() - from.getTime()) / Math.max(runs, 1);
  const at = Prisma.sql`${from}::timestamptz + (i - 1) * ${spacingMs}::float8 * interval '1 ms'`;
  for (let first = 1; first <= runs; first += CHUNK) {
    await db.$executeRaw(insertion(owners, { from: first, to: Math.min(first + CHUNK - 1, runs), at, suffix }));
  }
  const bounds = await db.$queryRaw<{ first: string; last: string }[]>`
    SELECT first_id_of(${from}::timestamptz)::text AS first, first_id_of(${to}::timestamptz)::text AS last`;
  for (const table of TABLES) {
    const indexes = await db.$queryRaw<{ definition: string; isKey: boolean }[]>`
      SELECT pg_get_indexdef(indexrelid) AS definition, indisprimary AS "isKey" FROM pg_index
      WHERE indrelid = ${table}::regclass`;
    for (const { definition, isKey } of indexes) {
      const columns = definition.replace(/^.*? USING /, '');
      await execute(
        isKey
          ? `ALTER TABLE ${table}${suffix} ADD PRIMARY KEY ${columns.replace(/^btree /, '')}`
          : `CREATE INDEX ON ${table}${suffix} USING ${columns}`,
      );
    }
    await execute(`VACUUM (ANALYZE) ${table}${suffix}`);
  }
  const attachments = bounds.flatMap(({ first, last }) =>
    TABLES.flatMap((table) => [
      `ALTER TABLE ${table}${suffix} RENAME TO ${table}_p${day}`,
      `ALTER TABLE ${table} ATTACH PARTITION ${table}_p${day} FOR VALUES FROM ('${first}') TO ('${last}')`,
    ]),
  );
  await db.$transaction(attachments.map((statement) => db.$executeRawUnsafe(statement)));
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
