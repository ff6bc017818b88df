import { Socket } from 'node:net';
import { constants } from 'node:os';
import { PrismaPg } from '@prisma/adapter-pg';
import { Pool, type PoolClient } from 'pg';
import { meetCarriedValues } from './carried-values.js';
import { Prisma, PrismaClient } from './generated/client.js';

export { Prisma };

/** The database: Prisma's client over a pool of connections. */
export type Database = PrismaClient;

/** A database or a transaction on it. */
export type Queryable = Prisma.TransactionClient;

/** How to reach the database. */
export interface DatabaseOptions {
  readonly url: string;
  /** Connections at most. */
  readonly poolSize: number;
  /**
   * A connection over which nothing came for this long is given up, in ms, and with it what was asked over it: longer than any statement
   * may take, for a network that swallows bytes never says so. Waits for ever without.
   */
  readonly silentAfterMs?: number;
  /** Called when an idle connection breaks; the pool replaces it by itself. */
  readonly onConnectionError?: (error: Error) => void;
}

/** How long a caller waits for a connection before the database counts as unavailable, in ms. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Opens the database. Connections are made as they are needed; `$disconnect()` closes them. */
export function createDatabase(options: DatabaseOptions): Database {
  const onError = options.onConnectionError ?? (() => undefined);
  const pool = new Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  pool.on('connect', meetCarriedValues);
  const { silentAfterMs } = options;
  if (silentAfterMs !== undefined) pool.on('connect', (client) => giveUpWhenSilent(client, silentAfterMs));
  const adapter = new PrismaPg(pool, {
    onPoolError: onError,
    onConnectionError: onError,
    statementNameGenerator,
    disposeExternalPool: true,
  });
  const db = new PrismaClient({ adapter, transactionOptions: { maxWait: 10_000, timeout: 15_000 } });
  pools.set(db, pool);
  return db;
}

function giveUpWhenSilent(client: PoolClient, silentAfterMs: number): void {
  const { stream } = client.connection;
  if (!(stream instanceof Socket)) return;
  stream.setTimeout(silentAfterMs, () => {
    // Shaped as the system's own, which the driver adapter knows.
    const shape = { code: 'ETIMEDOUT', errno: -constants.errno.ETIMEDOUT, syscall: 'read' };
    stream.destroy(Object.assign(new Error(`PostgreSQL said nothing for ${silentAfterMs} ms`), shape));
  });
}

const pools = new WeakMap<Database, Pool>();

/** How the pool of a database is used at the moment: open connections, idle ones of them, callers that wait for one. */
export function readPoolUse(db: Database): { open: number; idle: number; waiting: number; max: number } {
  const pool = pools.get(db);
  if (!pool) throw new Error('this database was not opened by createDatabase');
  return { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount, max: pool.options.max };
}

/** A statement of a hot path begins with its name in a comment, such as `/* executions.accept *\/`. */
const NAMED_STATEMENT = /^\s*\/\* ([a-z-]+\.[a-z-]+) \*\//;

/**
 * Named statements are parsed once a connection instead of once a call, and planned once where PostgreSQL finds that as good. Others stay
 * unnamed: their text varies with their parameters, and each text would stay in the server's memory. The few forms that a named
 * statement has differ in length.
 */
function statementNameGenerator(query: { sql: string }): string {
  const name = NAMED_STATEMENT.exec(query.sql)?.[1];
  return name === undefined ? '' : `${name}:${query.sql.length}`;
}
