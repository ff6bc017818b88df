import { withExplicitSslMode } from '@deckhand/contracts';
import pg from 'pg';
import { type Database, Prisma, type Queryable } from './client.ts';

/**
 * Limits of PostgreSQL for the sessions of the apps, in ms. They free the locks of a process that froze or was cut off
 * from the network within seconds, and cancel a statement whose client no longer waits for it.
 *
 * They are defaults of the role in the database, which migrations set. Parameters of the connection would be refused by
 * PgBouncer, and a `SET` of a session would reach other clients of a pooler in transaction mode.
 */
export const SESSION_LIMITS = {
  /** Shorter than our clients wait for a response. */
  statement_timeout: 14_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 5_000,
  /**
   * How often a running statement checks that its client is still connected. From PostgreSQL 14 on, and not on every
   * platform.
   */
  client_connection_check_interval: 2_000,
} as const;

/**
 * How long the apps wait for the response to a statement, in ms. After that the network must have dropped it, or the
 * server is gone, because PostgreSQL would have cancelled the statement before. The connection is then replaced.
 */
export const SILENT_AFTER_MS = SESSION_LIMITS.statement_timeout + 1_000;

type LimitName = keyof typeof SESSION_LIMITS;

/** Key of the advisory lock under which the limits are set. */
const LOCK_KEY = 3_325_005;

/** SQLSTATEs of a setting that this server or platform does not have. */
const NOT_AVAILABLE = new Set(['42704', '22023']);

/** The limits of one transaction, in ms; 0 means no limit. */
export async function limitSession(tx: Queryable, limits: Partial<Record<LimitName, number>>): Promise<void> {
  const set = Object.entries(limits).map(([name, ms]) => Prisma.sql`set_config(${name}, ${String(ms)}, true)`);
  await tx.$queryRaw(Prisma.sql`SELECT ${Prisma.join(set)}`);
}

/**
 * Sets the limits as defaults of the URL's role in its database, unless an operator has set others for the role, the
 * database or the server. They apply to later sessions.
 */
export async function applySessionLimits(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: withExplicitSslMode(databaseUrl) });
  // If the connection breaks between two statements, the next one reports it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: LimitName; database: string }>(
      `SELECT name, current_database() AS database FROM pg_settings WHERE name = ANY ($1) AND setting = '0'`,
      [Object.keys(SESSION_LIMITS)],
    );
    for (const { name, database } of rows) {
      try {
        // Two concurrent calls would update the same row of the catalogue, which PostgreSQL refuses.
        await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${LOCK_KEY});
          ${statementToSet(name, 'CURRENT_USER', database)}; COMMIT`);
      } catch (error) {
        const isMissing = error instanceof pg.DatabaseError && NOT_AVAILABLE.has(error.code ?? '');
        if (!isMissing) throw error;
        await client.query('ROLLBACK');
      }
    }
  } finally {
    await client.end();
  }
}

/**
 * Returns the URL for connections without these limits, for work without a time limit, such as migrations. They must
 * bypass poolers.
 */
export function withoutSessionLimits(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const none = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'].map(
    (name) => `-c ${name}=0`,
  );
  url.searchParams.set('options', [url.searchParams.get('options') ?? '', ...none].join(' ').trim());
  return url.href;
}

/** The logger that missing limits are reported to. */
interface Reporter {
  warn(details: object, message: string): void;
}

/**
 * Reports, when a process starts, limits that its sessions do not have, or that are longer than it relies on. The
 * process works without them.
 */
export async function reportMissingSessionLimits(db: Database, reporter: Reporter): Promise<void> {
  try {
    const statements = await findMissingSessionLimits(db);
    if (statements.length === 0) return;
    reporter.warn(
      { fix: statements.join(' ') },
      'PostgreSQL limits the sessions of this role too little: a process that is cut off could hold locks for long',
    );
  } catch (err) {
    reporter.warn({ err }, 'the limits of sessions could not be read from PostgreSQL');
  }
}

/** Returns a statement for each missing limit that sets it, to be run by a superuser or the role itself. */
export async function findMissingSessionLimits(db: Database): Promise<string[]> {
  const rows = await db.$queryRaw<{ name: LimitName; setting: string; role: string; database: string }[]>`
    SELECT name, setting, current_user::text AS role, current_database()::text AS database
    FROM pg_settings WHERE name = ANY (${Object.keys(SESSION_LIMITS)}) ORDER BY name`;
  return rows.flatMap(({ name, setting, role, database }) => {
    const ms = Number(setting);
    const isLimited = ms > 0 && ms <= SESSION_LIMITS[name];
    return isLimited ? [] : [`${statementToSet(name, pg.escapeIdentifier(role), database)};`];
  });
}

function statementToSet(name: LimitName, role: string, database: string): string {
  return `ALTER ROLE ${role} IN DATABASE ${pg.escapeIdentifier(database)} SET ${name} = ${SESSION_LIMITS[name]}`;
}
