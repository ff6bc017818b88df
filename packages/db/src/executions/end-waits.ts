import { type Database, Prisma } from '../client.js';

/** A wait that has ended. */
export interface EndedWait {
  readonly nodeId: string;
  /** "" outside loops. */
  readonly iteration: string;
  /** Serialised JSON; null when its time was up. */
  readonly answer: string | null;
}

/** The waits of a run that have ended, and how many answers that took into account. */
export interface EndedWaits {
  readonly waits: readonly EndedWait[];
  readonly answers: number;
}

/**
 * Ends the waits of a run whose time is up, then reads all that have ended.
 *
 * The race it excludes: an answer and the time at once. Both are conditional on the wait being open, so one of them finds
 * it ended, and whoever reads sees the same end.
 */
export async function endDueWaits(db: Database, executionId: string): Promise<EndedWaits> {
  // Read before the waits: an answer that comes in between is in them too, and makes the run look once more at most.
  const { answers } = await db.execution.findUniqueOrThrow({ where: { id: executionId }, select: { answers: true } });
  await db.$executeRaw(Prisma.sql`/* executions.end-due-waits */
    UPDATE waits SET answered_at = now()
    WHERE execution_id = ${executionId}::uuid AND answered_at IS NULL AND due_at <= now()`);
  const waits = await db.wait.findMany({
    where: { executionId, answeredAt: { not: null } },
    select: { nodeId: true, iteration: true, answer: true },
  });
  return { waits, answers };
}
