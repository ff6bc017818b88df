import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Migration } from './migration-files.ts';
import { recordFailed, recordFinished, recordStarted } from './migration-records.ts';
import { assertRepeatable, LOCK_TIMEOUT_MS, runRepeatable } from './repeatable-statement.ts';

/**
 * Tokens that may contain a semicolon which does not end a statement: comments, literals, quoted names and
 * dollar-quoted bodies. Nested comments and backslashes in E'...' are not supported.
 */
const PIECE = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|;|[^;]/g;

/** How a migration waits for locked tables. */
export interface LockPatience {
  /** Attempts to lock tables before a migration gives up. */
  readonly maxAttempts: number;
  /** Receives a line when an attempt failed. */
  readonly report: (line: string) => void;
}

/** Time between two attempts, in ms. */
const PAUSE_MS = 1_000;

/** PostgreSQL's codes lock_not_available and deadlock_detected. */
const LOCK_ERRORS = new Set(['55P03', '40P01']);

/**
 * Applies one migration and records it. A transactional one is a single transaction together with its record; any other
 * is recorded as begun, run statement by statement, and recorded as finished after its last.
 * @throws an error that names the migration.
 */
export async function applyMigration(client: pg.Client, migration: Migration, patience: LockPatience): Promise<void> {
  try {
    if (migration.isTransactional) await withLockAttempts(patience, () => applyInTransaction(client, migration));
    else await applyStatements(client, migration, patience);
  } catch (error) {
    throw new Error(`migration ${migration.name} failed: ${describe(error)}`, { cause: error });
  }
}

async function applyInTransaction(client: pg.Client, migration: Migration): Promise<void> {
  await client.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  try {
    const id = await recordStarted(client, migration);
    await client.query(migration.sql);
    await recordFinished(client, id);
    await client.query('COMMIT');
  } catch (error) {
    // Fails only if the connection is gone, and with it the transaction.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function applyStatements(client: pg.Client, migration: Migration, patience: LockPatience): Promise<void> {
  const statements = splitStatements(migration.sql);
  statements.forEach(assertRepeatable);
  const id = await recordStarted(client, migration);
  try {
    for (const statement of statements) {
      await client.query(`SET lock_timeout = ${lockTimeoutOf(statement)}`);
      await withLockAttempts(patience, () => runRepeatable(client, statement));
    }
  } catch (error) {
    // If the connection is gone, the record stays as it is: started, and not finished.
    await recordFailed(client, id, describe(error)).catch(() => undefined);
    throw error;
  }
  await recordFinished(client, id);
}

/** A concurrent statement waits for all earlier transactions, with a lock that blocks neither readers nor writers. */
function lockTimeoutOf(statement: string): number {
  return /\bCONCURRENTLY\b/i.test(statement) ? 0 : LOCK_TIMEOUT_MS;
}

/**
 * Calls `run` again while other transactions lock a table that it needs. A request for such a lock blocks all later
 * requests for the table, so it waits in short attempts. @throws PostgreSQL's error when the last attempt failed.
 */
async function withLockAttempts(patience: LockPatience, run: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await run();
      return;
    } catch (error) {
      if (!isLockError(error) || attempt >= patience.maxAttempts) throw error;
      patience.report(`attempt ${attempt} of ${patience.maxAttempts} failed, trying again: ${describe(error)}`);
      await sleep(PAUSE_MS);
    }
  }
}

function isLockError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && LOCK_ERRORS.has(error.code ?? '');
}

function describe(error: unknown): string {
  if (!(error instanceof pg.DatabaseError)) return error instanceof Error ? error.message : String(error);
  const { severity = 'ERROR', message, detail, hint } = error;
  return [`${severity}: ${message}`, detail, hint].filter((part) => part !== undefined).join('. ');
}

/** Returns the statements of an SQL script, each without comments, surrounding blanks and its semicolon. */
export function splitStatements(script: string): string[] {
  const statements = [''];
  for (const [piece] of script.matchAll(PIECE)) {
    if (piece === ';') statements.push('');
    else statements.push((statements.pop() ?? '') + (/^(--|\/\*)/.test(piece) ? ' ' : piece));
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '');
}
