import type pg from 'pg';

/** A name, quoted or not, with its schema or without. */
const NAME = String.raw`((?:"(?:[^"]|"")+"|[\w$]+)(?:\.(?:"(?:[^"]|"")+"|[\w$]+))?)`;

const CREATE_INDEX = /^CREATE\s+(UNIQUE\s+)?INDEX\b/i;
const DROP_INDEX = /^DROP\s+INDEX\b/i;
const DETACH_PARTITION = /^ALTER\s+TABLE\b.*\bDETACH\s+PARTITION\b/is;

const REPEATABLE_CREATE = new RegExp(
  `^CREATE\\s+(?:UNIQUE\\s+)?INDEX\\s+CONCURRENTLY\\s+IF\\s+NOT\\s+EXISTS\\s+${NAME}\\s`,
  'i',
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
    throw notRepeatable(statement, 'CREATE INDEX CONCURRENTLY IF NOT EXISTS <name> ...');
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
 * finished, and a detached one is not changed.
 */
export async function runRepeatable(client: pg.Client, statement: string): Promise<void> {
  const index = REPEATABLE_CREATE.exec(statement)?.[1];
  if (index !== undefined && (await isInvalid(client, index))) {
    await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
  }
  const [, parent, partition] = REPEATABLE_DETACH.exec(statement) ?? [];
  if (parent === undefined || partition === undefined) {
    await client.query(statement);
    return;
  }
  const state = await attachment(client, parent, partition);
  if (state === 'attached') await client.query(statement);
  if (state === 'detaching') await client.query(`ALTER TABLE ${parent} DETACH PARTITION ${partition} FINALIZE`);
}

async function isInvalid(client: pg.Client, index: string): Promise<boolean> {
  const { rows } = await client.query('SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid', [
    index,
  ]);
  return rows.length > 0;
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
