import { withExplicitSslMode } from '@deckhand/contracts';
import pg from 'pg';

/** Key of the advisory lock under which rights are granted: two at once would update the same rows of the catalogue. */
const LOCK_KEY = 3_325_006;
/** From this version on, a role that does not own a table may be granted the right to analyse it. */
const HAS_MAINTAIN = 170_000;

/**
 * Grants the role of the apps the rights that they need, and no more: they read and write rows of all tables, can only
 * add to the audit log, can only read the record of migrations, and cannot create,
 * change or drop anything but partitions of runs, by functions that check what they drop.
 * @param databaseUrl of the role that owns the tables.
 * @param role must exist, own nothing and be no superuser.
 */
export async function grantRuntimeRole(databaseUrl: string, role: string): Promise<void> {
  const client = new pg.Client({ connectionString: withExplicitSslMode(databaseUrl) });
  // If the connection breaks between two statements, the next one reports it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const name = pg.escapeIdentifier(role);
    const { rows } = await client.query<{ schema: string; version: number }>(
      `SELECT quote_ident(current_schema()) AS schema, current_setting('server_version_num')::int AS version`,
    );
    const [{ schema, version } = { schema: 'public', version: 0 }] = rows;
    const maintain = version >= HAS_MAINTAIN ? ', MAINTAIN' : '';
    // Those that create and drop partitions of runs with the owner's rights.
    const functions = await client.query<{ signature: string }>(
      `SELECT oid::regprocedure::text AS signature FROM pg_proc
       WHERE prosecdef AND pronamespace = current_schema()::regnamespace AND proowner = current_user::regrole`,
    );
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${LOCK_KEY});
      REVOKE CREATE ON SCHEMA ${schema} FROM PUBLIC, ${name};
      GRANT USAGE ON SCHEMA ${schema} TO ${name};
      GRANT SELECT, INSERT, UPDATE, DELETE${maintain} ON ALL TABLES IN SCHEMA ${schema} TO ${name};
      GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${name};
      ${functions.rows.map(({ signature }) => `GRANT EXECUTE ON FUNCTION ${signature} TO ${name};`).join('\n')}
      REVOKE UPDATE, DELETE ON audit_log FROM ${name};
      REVOKE INSERT, UPDATE, DELETE ON _prisma_migrations FROM ${name};
      COMMIT`);
  } finally {
    await client.end();
  }
}
