import { type Database, Prisma } from '../client.js';
import { isUnfinishedChildOf, type OnStopped, stopRunsById } from './stop.js';

/** Runs of one transaction at most, so that nobody waits long for a row. */
const BATCH = 500;

/** How far `stopDescendants` goes. */
export interface StopDescendantsOptions {
  /** Only the descendants of these stopped runs; those of all stopped runs without it. */
  readonly of?: readonly string[];
  /** Begins no batch later than this, in ms of `performance.now()`. */
  readonly until: number;
  readonly onStopped: OnStopped;
}

/**
 * Stops the unfinished runs that stopped runs have started, and what those have started in turn, batch by batch. What
 * is left when its time is up, or when the process dies, stands in `stopped_parents` for maintenance to go on with. May
 * be repeated, and by two at once.
 * @returns how many were stopped.
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

/** Children that were stopped, and the parents that need not be asked for again. */
interface StoppedChildren {
  readonly stopped: readonly string[];
  readonly done: readonly string[];
}

/**
 * Stops a batch of children.
 *
 * The lock order: rows of `stopped_parents` are skipped where another holds them, so nobody waits for them; then the
 * children in the order of their ids.
 * @returns undefined when there is nothing to do, or when others are doing it.
 */
function stopChildren(db: Database, among: readonly string[] | undefined): Promise<StoppedChildren | undefined> {
  if (among?.length === 0) return Promise.resolve(undefined);
  const isAmong = among === undefined ? Prisma.sql`true` : Prisma.sql`execution_id = ANY(${[...among]}::uuid[])`;
  return db.$transaction(async (tx) => {
    const rows = await tx.$queryRaw<{ id: string }[]>(Prisma.sql`/* executions.take-stopped-parents */
      SELECT execution_id AS id FROM stopped_parents WHERE ${isAmong}
      ORDER BY execution_id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`);
    const parentIds = rows.map(({ id }) => id);
    // Those without a row have no children to stop, or somebody else is stopping them.
    const held = new Set(parentIds);
    const others = (among ?? []).filter((id) => !held.has(id));
    if (parentIds.length === 0) return others.length > 0 ? { stopped: [], done: others } : undefined;
    // Served by executions_unfinished_children, from which no more entries are read than are stopped.
    const children = await tx.$queryRaw<{ id: string }[]>(Prisma.sql`/* executions.find-children */
      SELECT child.id FROM unnest(${parentIds}::uuid[]) AS p(id) CROSS JOIN LATERAL (
        SELECT e.id FROM executions e WHERE ${isUnfinishedChildOf(Prisma.sql`p.id`)} ORDER BY e.id LIMIT ${BATCH}
      ) child LIMIT ${BATCH}`);
    const stopped = await stopRunsById(
      tx,
      children.map(({ id }) => id),
    );
    // A stopped parent starts no other run, so one without unfinished children is done with.
    const done = await tx.$queryRaw<{ id: string }[]>(Prisma.sql`/* executions.forget-stopped-parents */
      DELETE FROM stopped_parents s WHERE s.execution_id = ANY(${parentIds}::uuid[])
        AND NOT EXISTS (SELECT 1 FROM executions e WHERE ${isUnfinishedChildOf(Prisma.sql`s.execution_id`)})
      RETURNING s.execution_id AS id`);
    return { stopped, done: [...others, ...done.map(({ id }) => id)] };
  });
}
