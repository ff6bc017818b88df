import { type Database, Prisma, type Queryable } from '../../client.ts';
import type { ReleasedExecution } from '../claim/release.ts';
import { dispatchAgainIf, dispatchedIf, IS_RESTING, isUnfinished } from '../run-status.ts';

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
