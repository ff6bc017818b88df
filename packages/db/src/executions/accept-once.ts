import { queryWithRawParameters } from '../raw-parameters.js';
import { type Database, Prisma } from '../client.js';
import { retryOnce } from './accept.js';
import {
  type AcceptRequest,
  type AcceptVerdict,
  insertion,
  admitted,
  toVerdict,
  verdictColumns,
  type VerdictRow,
} from './admission.js';

/** Identifies a request to start a run, so that a repeated one starts no second run. */
export interface IdempotencyKey {
  /** The caller's Idempotency-Key. */
  readonly key: string;
  /** SHA-256 of the request's body, hex: the same key with another body is an error. */
  readonly bodyHash: string;
}

/** `repeated`: an earlier request with this key started the run. `otherBody`: the earlier request had another body. */
export type AcceptOnceVerdict =
  AcceptVerdict | { readonly kind: 'repeated'; readonly executionId: string } | { readonly kind: 'otherBody' };

interface Row extends VerdictRow {
  readonly knownId: string | null;
  readonly knownHash: string | null;
  readonly isTaken: boolean;
}

/** How long a key refers to its run. */
const LIFETIME = Prisma.sql`interval '24 hours'`;

/** Returns the condition, as SQL, that a key is still valid: young enough, and its run did not fail to be queued. */
function isAlive(key: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(${key}.created_at > now() - ${LIFETIME} AND NOT EXISTS (
    SELECT 1 FROM executions e
    WHERE e.id = ${key}.execution_id AND e.status = 'failed' AND e.error LIKE '%"code":"QUEUE_UNAVAILABLE"}'))`;
}

/**
 * Accepts a run unless one was started for the same key. Key and run are written together, so either both exist or
 * neither. If several requests arrive at the same time, one writes and the others find its run.
 */
export async function acceptOnce(
  db: Database,
  request: AcceptRequest,
  idempotencyKey: IdempotencyKey,
): Promise<AcceptOnceVerdict> {
  const tryAccept = (): Promise<AcceptOnceVerdict> => accept(db, request, idempotencyKey);
  // After an ambiguous error, the key refers to our own run if that was committed.
  return retryOnce(tryAccept, tryAccept);
}

async function accept(
  db: Database,
  request: AcceptRequest,
  idempotencyKey: IdempotencyKey,
): Promise<AcceptOnceVerdict> {
  for (;;) {
    const [row] = await queryWithRawParameters<Row[]>(
      db,
      Prisma.sql`/* executions.accept-once */
      WITH admitted AS (${admitted([request])}), known AS (
        SELECT k.execution_id, k.body_hash
        FROM admitted a JOIN idempotency_keys k ON k.workflow_id = a.workflow_id AND k.key = ${idempotencyKey.key}
        WHERE a.verdict NOT IN ('notFound', 'forbidden') AND ${isAlive(Prisma.sql`k`)}
      ), taken AS (
        INSERT INTO idempotency_keys (workflow_id, key, body_hash, execution_id, created_at)
        SELECT workflow_id, ${idempotencyKey.key}, ${idempotencyKey.bodyHash}, id, now()
        FROM admitted WHERE verdict = 'accepted' AND NOT EXISTS (SELECT 1 FROM known)
        ON CONFLICT (workflow_id, key) DO UPDATE
        SET body_hash = EXCLUDED.body_hash, execution_id = EXCLUDED.execution_id, created_at = EXCLUDED.created_at
        WHERE NOT ${isAlive(Prisma.sql`idempotency_keys`)}
        RETURNING execution_id
      ), ${insertion(Prisma.sql`id IN (SELECT execution_id FROM taken)`)}
      SELECT ${verdictColumns}, EXISTS (SELECT 1 FROM taken) AS "isTaken",
        (SELECT execution_id FROM known) AS "knownId", (SELECT body_hash FROM known) AS "knownHash"
      FROM admitted a`,
    );
    if (!row) return { kind: 'notFound' };
    if (row.knownId === request.executionId) return { kind: 'accepted', workspaceId: row.workspaceId ?? '', run: null };
    if (row.knownId !== null) {
      return row.knownHash === idempotencyKey.bodyHash
        ? { kind: 'repeated', executionId: row.knownId }
        : { kind: 'otherBody' };
    }
    const verdict = toVerdict(row);
    // Another request took the key while this statement ran: read what it wrote.
    if (verdict.kind !== 'accepted' || row.isTaken) return verdict;
  }
}

/** Deletes expired keys. @returns how many. */
export function pruneIdempotencyKeys(db: Database, limit: number): Promise<number> {
  return db.$executeRaw(Prisma.sql`/* executions.prune-keys */
    DELETE FROM idempotency_keys WHERE (workflow_id, key) IN (
      SELECT workflow_id, key FROM idempotency_keys WHERE created_at < now() - ${LIFETIME}
      ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`);
}
