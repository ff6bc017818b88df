import { type Database, Prisma, type Queryable } from '../../client.ts';
import { LOCK_RUNS } from '../../lock-order.ts';
import type { ReleasedExecution } from '../claim/release.ts';
import { dispatchAgainIf, dispatchedIf, IS_RESTING, isFinished, isUnfinished } from '../run-status.ts';

/** A wait that has ended. */
export interface EndedWait {
  readonly nodeId: string;
  /** "" outside loops. */
  readonly iteration: string;
  /** Serialised JSON; null when its time was up. */
  readonly answer: string | null;
}

/** The ended waits of a run, and the number of answers that were counted when they were read. */
export interface EndedWaits {
  readonly waits: readonly EndedWait[];
  readonly answerCount: number;
  /** Time until the next open wait is due, in ms, by the database's clock; null if there is none. */
  readonly nextDueInMs: number | null;
}

/**
 * Whether the time of an open wait is up, by the database's clock at the start of the statement. Nothing else decides
 * it.
 */
export const isTimeUp = Prisma.sql`coalesce(due_at <= statement_timestamp(), false)`;

/** Names a wait of a run. */
export type WaitPlace = Pick<EndedWait, 'nodeId' | 'iteration'>;

/**
 * Ends those of the given waits of a run whose time is up, then reads those that have ended. A run may have thousands
 * of waits behind it, so only the given ones are looked at.
 *
 * Race: an answer and the time at once. Both require the wait to be open, so the second finds it ended,
 * and every reader sees the same end. An answer that comes after the time ends the wait as this does (`answerWait`).
 */
export async function endDueWaits(
  db: Database,
  executionId: string,
  places: readonly WaitPlace[],
): Promise<EndedWaits> {
  // Read before the waits: an answer that comes in between is included in them, and only makes the run check once more.
  const { answerCount } = await db.execution.findUniqueOrThrow({
    where: { id: executionId },
    select: { answerCount: true },
  });
  // Conditions on the whole primary key, so that other waits of the run are not read.
  const isWanted = Prisma.sql`w.execution_id = ${executionId}::uuid
      AND w.node_id = ANY (${places.map(({ nodeId }) => nodeId)}::text[])
      AND w.iteration = ANY (${places.map(({ iteration }) => iteration)}::text[])`;
  await db.$executeRaw(Prisma.sql`/* executions.end-due-waits */
    UPDATE waits w SET answered_at = statement_timestamp()
    FROM (
      SELECT node_id, iteration FROM waits w
      WHERE ${isWanted} AND answered_at IS NULL AND ${isTimeUp}
      ORDER BY node_id, iteration FOR UPDATE
    ) due
    WHERE w.execution_id = ${executionId}::uuid AND w.node_id = due.node_id AND w.iteration = due.iteration`);
  // Served by the primary key.
  const rows = await db.$queryRaw<(EndedWait & { dueInMs: number | null })[]>(Prisma.sql`/* executions.read-waits */
    SELECT node_id AS "nodeId", iteration, answer,
      CASE WHEN answered_at IS NULL THEN extract(epoch FROM due_at - statement_timestamp())::float8 * 1000 END AS "dueInMs"
    FROM waits w WHERE ${isWanted} AND (answered_at IS NOT NULL OR due_at IS NOT NULL)`);
  const waits = rows.filter(({ dueInMs }) => dueInMs === null);
  const due = rows.flatMap(({ dueInMs }) => (dueInMs === null ? [] : [dueInMs]));
  return { waits, answerCount, nextDueInMs: due.length === 0 ? null : Math.max(0, Math.min(...due)) };
}

/**
 * Counts the answers of runs, which the transaction has locked, and dispatches those that no worker holds.
 * @param executionIds one for each answer.
 */
export function continueAnswered(tx: Queryable, executionIds: readonly string[]): Promise<ReleasedExecution[]> {
  return tx.$queryRaw<ReleasedExecution[]>(Prisma.sql`/* executions.continue-answered */
    UPDATE executions e
    SET answers = e.answers + ended.count, revision = e.revision + 1,
        ${dispatchAgainIf(IS_RESTING)}
    FROM (
      SELECT id, count(*)::int AS count FROM unnest(${[...executionIds]}::uuid[]) AS id GROUP BY id
    ) ended
    WHERE e.id = ended.id AND ${isUnfinished()}
    RETURNING ${dispatchedIf(IS_RESTING)}`);
}

/** Maximum number of waits that one transaction ends: a run may have waited for any number of others. */
const MAX_ENDED_WAITS = 1_000;

/** An open wait for a run that is finished. */
interface DueWait {
  readonly parentId: string;
  readonly nodeId: string;
  readonly iteration: string;
}

/**
 * Ends the waits of parents whose children are finished, and dispatches the parents that no worker holds.
 * @param finished the children, or the parents, to check; or `limit`, by which maintenance checks all, up to so many
 * waits. A later call handles the rest.
 * @returns the parents with the dispatch to be queued; null for a parent whose worker has to be notified.
 */
export async function endWaitsOfParents(
  db: Database,
  finished:
    { readonly childIds: readonly string[] } | { readonly parentIds: readonly string[] } | { readonly limit: number },
): Promise<ReleasedExecution[]> {
  // Served by waits_child, the primary key of waits, or waits_open.
  const condition =
    'childIds' in finished
      ? Prisma.sql`w.child_execution_id = ANY(${[...finished.childIds]}::uuid[])`
      : 'parentIds' in finished
        ? Prisma.sql`w.execution_id = ANY(${[...finished.parentIds]}::uuid[])`
        : Prisma.sql`w.kind = 'workflow'`;
  return db.$transaction(async (tx) => {
    const due = await tx.$queryRaw<DueWait[]>(Prisma.sql`/* executions.find-answered */
      SELECT w.execution_id AS "parentId", w.node_id AS "nodeId", w.iteration
      FROM waits w JOIN executions c ON c.id = w.child_execution_id
      WHERE ${condition} AND w.answered_at IS NULL AND w.cancelled_at IS NULL AND ${isFinished(Prisma.sql`c`)}
      LIMIT ${'limit' in finished ? finished.limit : MAX_ENDED_WAITS}`);
    if (due.length === 0) return [];
    const parentIds = due.map(({ parentId }) => parentId);
    // The parents' rows first, as in every statement that changes a run: a worker that is about to let one rest sees
    // the increased count.
    await tx.$executeRaw(Prisma.sql`/* executions.lock-parents */
      SELECT 1 FROM executions e WHERE e.id = ANY(${parentIds}::uuid[]) ${LOCK_RUNS}`);
    const ended = await tx.$queryRaw<{ parentId: string }[]>(Prisma.sql`/* executions.answer-parents */
      UPDATE waits w
      SET answered_at = now(),
          answer = json_build_object('status', c.status, 'result', c.result::json, 'error', c.error::json)::text
      FROM (
        SELECT o.execution_id, o.node_id, o.iteration, o.child_execution_id
        FROM waits o JOIN unnest(${parentIds}::uuid[], ${due.map(({ nodeId }) => nodeId)}::text[],
          ${due.map(({ iteration }) => iteration)}::text[]) AS d(execution_id, node_id, iteration)
          USING (execution_id, node_id, iteration)
        WHERE o.answered_at IS NULL AND o.cancelled_at IS NULL
        ORDER BY o.execution_id, o.node_id, o.iteration FOR UPDATE OF o
      ) open JOIN executions c ON c.id = open.child_execution_id
      WHERE w.execution_id = open.execution_id AND w.node_id = open.node_id AND w.iteration = open.iteration
      RETURNING w.execution_id AS "parentId"`);
    return continueAnswered(
      tx,
      ended.map((row) => row.parentId),
    );
  });
}
