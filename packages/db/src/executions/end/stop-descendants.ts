import { type Database, Prisma } from '../../client.ts';
import { isUnfinishedChildOf, type OnStopped, stopRunsById } from './stop.ts';

/** Maximum number of runs per transaction, so that others wait only briefly for a row. */
const BATCH = 500;

/** How far `stopDescendants` goes. */
export interface StopDescendantsOptions {
  /** Only the descendants of these stopped runs; those of all stopped runs without it. */
  readonly of?: readonly string[];
  /** No batch starts later than this, in ms of `performance.now()`. */
  readonly until: number;
  readonly onStopped: OnStopped;
}

/**
 * Stops the unfinished runs that stopped runs have started, and their descendants, batch by batch. If its time is up,
 * or the process dies, the rest remains in `stopped_parents` for maintenance. It may be repeated, and run twice at the
 * same time. @returns how many were stopped.
 */
export async function stopDescendants(db: Database, options: StopDescendantsOptions): Promise<number> {
  const parents = options.of && new Set(options.of);
  let stopped = 0;
  while (performance.now() < options.until) {
    const batch = await stopChildren(db, parents && [...parents].slice(0, BATCH));
    if (batch === undefined) return stopped;
    for (const id of batch.done) parents?.delete(id);
    for (const id of batch.stopped) parents?.add(id);
    if (batch.stopped.length === 0) continue;
    stopped += batch.stopped.length;
    await options.onStopped(batch.stopped);
  }
  return stopped;
}

/** Children that were stopped, and parents without further children to stop. */
interface StoppedChildren {
  readonly stopped: readonly string[];
  readonly done: readonly string[];
}

/**
 * Stops a batch of children. Lock order: locked rows of `stopped_parents` are skipped, so this never waits for them;
 * then the children in the order of their ids. @returns undefined if there is nothing to do, or other processes are
 * doing it.
 */
function stopChildren(db: Database, among: readonly string[] | undefined): Promise<StoppedChildren | undefined> {
  if (among?.length === 0) return Promise.resolve(undefined);
  const isAmong = among === undefined ? Prisma.sql`true` : Prisma.sql`execution_id = ANY(${[...among]}::uuid[])`;
  return db.$transaction(async (tx) => {
    const rows = await tx.$queryRaw<{ id: string }[]>(Prisma.sql`/* executions.take-stopped-parents */
      SELECT execution_id AS id FROM stopped_parents WHERE ${isAmong}
      ORDER BY execution_id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`);
    const parentIds = rows.map(({ id }) => id);
    // Runs without a row have no children to stop, or another process is stopping them.
    const held = new Set(parentIds);
    const others = (among ?? []).filter((id) => !held.has(id));
    if (parentIds.length === 0) return others.length > 0 ? { stopped: [], done: others } : undefined;
    // Served by executions_unfinished_children. Reads no more entries than are stopped.
    const children = await tx.$queryRaw<{ id: string }[]>(Prisma.sql`/* executions.find-children */
      SELECT child.id FROM unnest(${parentIds}::uuid[]) AS p(id) CROSS JOIN LATERAL (
        SELECT e.id FROM executions e WHERE ${isUnfinishedChildOf(Prisma.sql`p.id`)} ORDER BY e.id LIMIT ${BATCH}
      ) child LIMIT ${BATCH}`);
    const stopped = await stopRunsById(
      tx,
      children.map(({ id }) => id),
    );
    // A stopped parent starts no further run, so it is done once it has no unfinished children.
    const done = await tx.$queryRaw<{ id: string }[]>(Prisma.sql`/* executions.forget-stopped-parents */
      DELETE FROM stopped_parents s WHERE s.execution_id = ANY(${parentIds}::uuid[])
        AND NOT EXISTS (SELECT 1 FROM executions e WHERE ${isUnfinishedChildOf(Prisma.sql`s.execution_id`)})
      RETURNING s.execution_id AS id`);
    return { stopped, done: [...others, ...done.map(({ id }) => id)] };
  });
}
