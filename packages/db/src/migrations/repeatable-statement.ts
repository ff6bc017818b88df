import pg from 'pg';

/**
 * How long one attempt waits for a lock, in ms: later requests for the lock wait as long. A statement that locks the
 * four tables of runs one after another blocks nobody for more than a second. It ends a deadlock with a writer, which
 * locks them in the order of its plan, before PostgreSQL looks for it (`deadlock_timeout`).
 */
export const LOCK_TIMEOUT_MS = 250;

/** A name, quoted or not, with its schema or without. */
const NAME = String.raw`((?:"(?:[^"]|"")+"|[\w$]+)(?:\.(?:"(?:[^"]|"")+"|[\w$]+))?)`;

const CREATE_INDEX = /^CREATE\s+(UNIQUE\s+)?INDEX\b/i;
const DROP_INDEX = /^DROP\s+INDEX\b/i;
const DETACH_PARTITION = /^ALTER\s+TABLE\b.*\bDETACH\s+PARTITION\b/is;

const REPEATABLE_CREATE = new RegExp(
  `^(CREATE\\s+(?:UNIQUE\\s+)?INDEX)\\s+CONCURRENTLY\\s+IF\\s+NOT\\s+EXISTS\\s+${NAME}\\s+ON\\s+${NAME}\\s+(.*)$`,
  'is',
);
const REPEATABLE_DROP = /^DROP\s+INDEX\s+CONCURRENTLY\s+IF\s+EXISTS\s/i;
const REPEATABLE_DETACH = new RegExp(
  `^ALTER\\s+TABLE\\s+${NAME}\\s+DETACH\\s+PARTITION\\s+${NAME}\\s+CONCURRENTLY$`,
  'i',
);

/**
 * Refuses statements that fail, or do harm, when they run a second time.
 * @throws an error that says which form can be repeated.
 */
export function assertRepeatable(statement: string): void {
  if (CREATE_INDEX.test(statement) && !REPEATABLE_CREATE.test(statement)) {
    throw notRepeatable(statement, 'CREATE INDEX CONCURRENTLY IF NOT EXISTS <name> ON <table> ...');
  }
  if (DROP_INDEX.test(statement) && !REPEATABLE_DROP.test(statement)) {
    throw notRepeatable(statement, 'DROP INDEX CONCURRENTLY IF EXISTS <name>');
  }
  if (DETACH_PARTITION.test(statement) && !REPEATABLE_DETACH.test(statement)) {
    throw notRepeatable(statement, 'ALTER TABLE <name> DETACH PARTITION <name> CONCURRENTLY');
  }
}

/**
 * Runs a statement outside a transaction, after cleaning up what an earlier attempt left behind: - an unfinished index
 * is invalid, and `IF NOT EXISTS` would keep it, so it is dropped first; - a partition whose detaching was started is
 * finished, and a detached one is not changed. An index of a partitioned table is built on one partition after another.
 */
export async function runRepeatable(client: pg.Client, statement: string): Promise<void> {
  const [, create = '', index, table = '', rest = ''] = REPEATABLE_CREATE.exec(statement) ?? [];
  if (index !== undefined && (await isPartitioned(client, table))) {
    await createOnPartitions(client, { create, index, table, rest });
    return;
  }
  if (index !== undefined) await dropIfInvalid(client, index);
  const [, parent, partition] = REPEATABLE_DETACH.exec(statement) ?? [];
  if (parent === undefined || partition === undefined) {
    await client.query(statement);
    return;
  }
  const state = await attachment(client, parent, partition);
  if (state === 'attached') await client.query(statement);
  if (state === 'detaching') await client.query(`ALTER TABLE ${parent} DETACH PARTITION ${partition} FINALIZE`);
}

async function dropIfInvalid(client: pg.Client, index: string): Promise<void> {
  const { rows } = await client.query('SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid', [
    index,
  ]);
  if (rows.length > 0) await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
}

async function isPartitioned(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query("SELECT FROM pg_class WHERE oid = to_regclass($1) AND relkind = 'p'", [table]);
  return rows.length > 0;
}

/**
 * Builds an index of a partitioned table without blocking writers, which PostgreSQL cannot do in one statement. The
 * index of the table itself comes first and is invalid until the last partition has its own, so a partition that is
 * created meanwhile gets one.
 */
async function createOnPartitions(
  client: pg.Client,
  { create, index, table, rest }: { create: string; index: string; table: string; rest: string },
): Promise<void> {
  await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await client.query(`${create} IF NOT EXISTS ${index} ON ONLY ${table} ${rest}`);
  const { rows } = await client.query<{ partition: string }>(
    `SELECT p.inhrelid::regclass::text AS partition FROM pg_inherits p
     WHERE p.inhparent = to_regclass($1) AND NOT EXISTS (
       SELECT FROM pg_index i JOIN pg_inherits o ON o.inhrelid = i.indexrelid
       WHERE i.indrelid = p.inhrelid AND o.inhparent = to_regclass($2))
     ORDER BY p.inhrelid::regclass::text`,
    [table, index],
  );
  for (const { partition } of rows) {
    const own = pg.escapeIdentifier(
      `${unquoted(index)}_${/p\d+$/.exec(unquoted(partition))?.[0] ?? unquoted(partition)}`,
    );
    await client.query('SET lock_timeout = 0');
    await dropIfInvalid(client, own);
    await client.query(`${create} CONCURRENTLY IF NOT EXISTS ${own} ON ${partition} ${rest}`);
    await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query(`ALTER INDEX ${index} ATTACH PARTITION ${own}`);
  }
}

function unquoted(name: string): string {
  return name.replaceAll('"', '');
}

async function attachment(
  client: pg.Client,
  parent: string,
  partition: string,
): Promise<'attached' | 'detaching' | 'detached'> {
  const { rows } = await client.query<{ is_detaching: boolean }>(
    `SELECT inhdetachpending AS is_detaching FROM pg_inherits
     WHERE inhparent = to_regclass($1) AND inhrelid = to_regclass($2)`,
    [parent, partition],
  );
  const [row] = rows;
  if (row === undefined) return 'detached';
  return row.is_detaching ? 'detaching' : 'attached';
}

function notRepeatable(statement: string, form: string): Error {
  return new Error(`"${statement}" cannot be repeated after a failure: write ${form}`);
}
