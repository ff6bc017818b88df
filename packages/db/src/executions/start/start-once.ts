import { type Actor, memberMay } from '../../access.ts';
import { queryWithRawParameters } from '../../connection.ts';
import { namingFilesOf } from '../../files.ts';
import { type Database, Prisma, type Queryable } from '../../client.ts';
import { admitted, insertion, toVerdict, verdictColumns, type VerdictRow, type OnceVerdict } from './admission.ts';
import type { Counted } from './settle-starts.ts';
import { type IdempotencyKey, type Repeated, SENDER_KEYS, type StartRequest } from './start-request.ts';

type Request = Counted<StartRequest>;

interface Row extends VerdictRow {
  readonly id: string;
  readonly isTaken: boolean;
  readonly knownId: string | null;
  readonly knownHash: string | null;
  readonly isKnownDelayed: boolean | null;
}

/** How long a key refers to its run. */
const LIFETIME = Prisma.sql`interval '24 hours'`;

/**
 * Returns the condition, as SQL, that a key is still valid: young enough, and its run did not fail to be queued.
 *
 * The id of a webhook's sender is free again, too, once its run has failed or timed out without a response, unless the
 * trigger keeps it: the sender repeats the request because it was told so, and a forged request, which fails the check
 * of its signature in the run, does not use up the id of the genuine one. A run that somebody stopped keeps the id.
 */
function isAlive(key: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(${key}.created_at > now() - ${LIFETIME} AND NOT EXISTS (
    SELECT 1 FROM executions e
    WHERE e.id = ${key}.execution_id AND (
      (e.status = 'failed' AND e.error LIKE '%"code":"QUEUE_UNAVAILABLE"}')
      OR (${key}.body_hash = ${SENDER_KEYS.freed} AND e.status IN ('failed', 'timeout') AND e.response IS NULL))))`;
}

/** Whether the run of the key `k` still waits for its start time, as SQL. */
const IS_DELAYED = Prisma.sql`
  (SELECT e.status = 'pending' AND e.start_at > now() FROM executions e WHERE e.id = k.execution_id)`;

/**
 * Returns the run that was started for a key and a body, of a workflow that the actor may start; undefined without one.
 */
export async function findEarlierStart(
  db: Database,
  { userId, boundTo }: Actor,
  workflowId: string,
  { key, bodyHash }: IdempotencyKey,
): Promise<Omit<Repeated, 'kind'> | undefined> {
  const [row] = await db.$queryRaw<
    { executionId: string; isDelayed: boolean }[]
  >(Prisma.sql`/* executions.find-earlier-start */
    SELECT k.execution_id AS "executionId", coalesce(${IS_DELAYED}, false) AS "isDelayed"
    FROM idempotency_keys k
    JOIN workflows w ON w.id = k.workflow_id
    JOIN memberships m ON m.workspace_id = w.workspace_id AND m.user_id = ${userId}::uuid AND ${memberMay('runs.start')}
    WHERE k.workflow_id = ${workflowId}::uuid AND k.key = ${key} AND k.body_hash = ${bodyHash}
      AND (${boundTo}::uuid IS NULL OR w.workspace_id = ${boundTo}::uuid) AND ${isAlive(Prisma.sql`k`)}`);
  return row;
}

/**
 * Writes runs unless they were started for the same idempotency keys. Key and run are written together, so either both
 * exist or neither. If several requests with a key arrive at the same time, here or in other processes, one writes and
 * the others find its run.
 * @param into the run that the requests are joined with: their keys name it, and nothing else is written.
 * @returns a verdict for each request, in their order.
 */
export async function writeOnce(db: Queryable, requests: readonly Request[], into?: string): Promise<OnceVerdict[]> {
  const verdicts = new Map<string, OnceVerdict>();
  const left = (): Request[] => requests.filter(({ executionId }) => !verdicts.has(executionId));
  for (let asked = left(); asked.length > 0; asked = left()) {
    const rows = new Map((await write(db, asked, into)).map((row) => [row.id, row]));
    for (const request of asked) {
      const verdict = verdictOf(rows.get(request.executionId), request);
      if (verdict) verdicts.set(request.executionId, verdict);
    }
  }
  return requests.map(({ executionId }) => verdicts.get(executionId) ?? { kind: 'notFound' });
}

/** Returns undefined if another request took the key while the statement ran: the next one reads what it wrote. */
function verdictOf(row: Row | undefined, { executionId, idempotencyKey }: Request): OnceVerdict | undefined {
  if (!row) return { kind: 'notFound' };
  const { knownId, knownHash, isKnownDelayed } = row;
  if (knownId === executionId) return { kind: 'accepted', workspaceId: row.workspaceId ?? '', run: null };
  if (knownId !== null) {
    return isSameRequest(knownHash, idempotencyKey?.bodyHash)
      ? { kind: 'repeated', executionId: knownId, isDelayed: isKnownDelayed ?? false }
      : { kind: 'otherBody' };
  }
  const verdict = toVerdict(row);
  return verdict.kind !== 'accepted' || row.isTaken ? verdict : undefined;
}

/** The id of a sender stands for a request whatever its trigger said about failed runs when the first one came. */
function isSameRequest(known: string | null, asked: string | undefined): boolean {
  const senderKeys: readonly unknown[] = Object.values(SENDER_KEYS);
  return known === asked || (senderKeys.includes(known) && senderKeys.includes(asked));
}

/**
 * Races: requests that take the same key wait for each other at its row. All statements take keys in the same order, so
 * they cannot wait for each other in a circle. Of requests with the same key in one statement, the first takes it.
 */
function write(db: Queryable, asked: readonly Request[], into?: string): Promise<Row[]> {
  const id = into === undefined ? Prisma.sql`a.id` : Prisma.sql`${into}::uuid`;
  return queryWithRawParameters<Row[]>(
    db,
    Prisma.sql`/* executions.accept-once */
      WITH admitted AS (${admitted(asked)}), keyed AS (
        SELECT a.id, a.workflow_id, a.verdict, g.key, g.body_hash
        FROM admitted a JOIN unnest(
          ${asked.map(({ executionId }) => executionId)}::uuid[],
          ${asked.map(({ idempotencyKey }) => idempotencyKey?.key ?? null)}::text[],
          ${asked.map(({ idempotencyKey }) => idempotencyKey?.bodyHash ?? null)}::text[]
        ) AS g (id, key, body_hash) ON g.id = a.id
      ), known AS (
        SELECT a.id, k.execution_id, k.body_hash, ${IS_DELAYED} AS is_delayed
        FROM keyed a JOIN idempotency_keys k ON k.workflow_id = a.workflow_id AND k.key = a.key
        WHERE a.verdict NOT IN ('notFound', 'forbidden', 'webhookMoved') AND ${isAlive(Prisma.sql`k`)}
      ), taken AS (
        INSERT INTO idempotency_keys (workflow_id, key, body_hash, execution_id, created_at)
        SELECT DISTINCT ON (workflow_id, key) workflow_id, key, body_hash, ${id}, now()
        FROM keyed a WHERE verdict = 'accepted' AND NOT EXISTS (SELECT 1 FROM known WHERE known.id = a.id)
        ORDER BY workflow_id, key, a.id
        ON CONFLICT (workflow_id, key) DO UPDATE
        SET body_hash = EXCLUDED.body_hash, execution_id = EXCLUDED.execution_id, created_at = EXCLUDED.created_at
        WHERE NOT ${isAlive(Prisma.sql`idempotency_keys`)}
        RETURNING execution_id
      ), ${insertion(Prisma.sql`id IN (SELECT execution_id FROM taken)`)}${namingFilesOf(asked)}
      SELECT a.id, ${verdictColumns}, ${id} IN (SELECT execution_id FROM taken) AS "isTaken",
        known.execution_id AS "knownId", known.body_hash AS "knownHash", known.is_delayed AS "isKnownDelayed"
      FROM admitted a LEFT JOIN known ON known.id = a.id`,
  );
}

/** Deletes expired keys. @returns how many. */
export function pruneIdempotencyKeys(db: Database, limit: number): Promise<number> {
  return db.$executeRaw(Prisma.sql`/* executions.prune-keys */
    DELETE FROM idempotency_keys WHERE (workflow_id, key) IN (
      SELECT workflow_id, key FROM idempotency_keys WHERE created_at < now() - ${LIFETIME}
      ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`);
}
