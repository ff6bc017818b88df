import { withExplicitSslMode } from '@deckhand/contracts';
import { PrismaPg } from '@prisma/adapter-pg';
import { Pool } from 'pg';
import { Connection } from './connection.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import { createStatementNames } from './statement-names.ts';

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
   * How long a statement waits for its response, in ms; forever if undefined. After that the connection is closed,
   * because the network may have dropped it. Must be longer than `SESSION_LIMITS.statement_timeout`, so that PostgreSQL
   * cancels a slow statement first.
   */
  readonly silentAfterMs?: number;
  /**
   * False for a pooler that cannot keep prepared statements apart: hot statements are then parsed for each call. True
   * by default.
   */
  readonly preparesStatements?: boolean;
  /** Called when an idle connection breaks; the pool replaces it by itself. */
  readonly onConnectionError?: (error: Error) => void;
}

/**
 * Connections that stay open however long nothing happens; others are closed after 10 s. The first statements on a new
 * one take several times as long: PostgreSQL starts a process, which reads the catalogue.
 */
const KEPT_OPEN = 2;

/** After so many ms without traffic, TCP asks whether the other side is there: a firewall may forget who is silent. */
const KEEP_ALIVE_MS = 30_000;

/** How long a caller waits for a connection before the database counts as unavailable, in ms. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Opens the database. Connections are made as they are needed; `$disconnect()` closes them. */
export function createDatabase(options: DatabaseOptions): Database {
  const onError = options.onConnectionError ?? (() => undefined);
  const pool = new Pool({
    Client: Connection,
    connectionString: withExplicitSslMode(options.url),
    max: options.poolSize,
    min: Math.min(KEPT_OPEN, options.poolSize),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    ...(options.silentAfterMs === undefined ? {} : { query_timeout: options.silentAfterMs }),
  });
  const adapter = new PrismaPg(pool, {
    onPoolError: onError,
    onConnectionError: onError,
    ...(options.preparesStatements === false ? {} : { statementNameGenerator: createStatementNames() }),
    disposeExternalPool: true,
  });
  const db = new PrismaClient({ adapter, transactionOptions: { maxWait: 10_000, timeout: 15_000 } });
  pools.set(db, pool);
  return db;
}

const pools = new WeakMap<Database, Pool>();

/** Returns the numbers of open connections, of idle ones, and of callers that wait for one. */
export function readPoolUse(db: Database): { open: number; idle: number; waiting: number; max: number } {
  const pool = pools.get(db);
  if (!pool) throw new Error('this database was not opened by createDatabase');
  return { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount, max: pool.options.max };
}
