import type { Database } from '@deckhand/db';
import type { ReceivedCall } from './receiver.ts';

/** The results of runs, by their moves in the database and their effects at a receiver. */
export interface Tally {
  /** Runs that did not end well, or without one of their effects. */
  readonly lost: number;
  /**
   * Runs that ended more than once, were written to by a worker that did not hold them any more, or had an effect under
   * two keys.
   */
  readonly doubled: number;
  /** Effects that were called again, each time with the same `Idempotency-Key`. */
  readonly repeated: number;
  readonly effects: number;
}

/**
 * Makes the database record every checkpoint and every end of a run, with its time, its epoch and its writer; no writer
 * if one checkpoint claims the run and ends it.
 */
export async function logMoves(db: Database): Promise<void> {
  for (const statement of [
    `CREATE TABLE moves (
       id bigserial, execution_id uuid, is_end boolean, epoch int, worker_id uuid, at timestamptz)`,
    `CREATE FUNCTION log_move() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF NEW.checkpoint > 0 AND (NEW.checkpoint, NEW.epoch) <> (OLD.checkpoint, OLD.epoch) THEN
         INSERT INTO moves (execution_id, is_end, epoch, worker_id, at)
         VALUES (NEW.id, NEW.finished_at IS NOT NULL, NEW.epoch, coalesce(OLD.worker_id, NEW.worker_id), clock_timestamp());
       END IF;
       RETURN NULL;
     END $$`,
    'CREATE TRIGGER log_move AFTER UPDATE ON executions FOR EACH ROW EXECUTE FUNCTION log_move()',
  ]) {
    await db.$executeRawUnsafe(statement);
  }
}

/**
 * Compares runs with their expected effects; the database must record their moves (`logMoves`). @param expected.effects
 * calls with an `Idempotency-Key` that each run makes.
 */
export async function tally(
  db: Database,
  runs: Iterable<string>,
  calls: readonly ReceivedCall[],
  expected: { readonly effects: number },
): Promise<Tally> {
  const ids = [...new Set(runs)];
  const successes = new Set(
    (
      await db.$queryRaw<{ id: string }[]>`
        SELECT id FROM executions WHERE id = ANY (${ids}::uuid[]) AND status = 'success'`
    ).map(({ id }) => id),
  );
  const offenders = await db.$queryRaw<{ id: string }[]>`
    SELECT execution_id AS id FROM moves WHERE is_end GROUP BY execution_id HAVING count(*) > 1
    UNION
    SELECT m.execution_id FROM moves m
    JOIN moves earlier ON earlier.execution_id = m.execution_id AND earlier.id < m.id AND earlier.epoch > m.epoch`;
  const wanted = new Set(ids);
  const doubled = new Set(offenders.map(({ id }) => id).filter((id) => wanted.has(id)));

  const keysByRun = new Map<string, Set<string>>();
  const keysByPath = new Map<string, Set<string>>();
  let repeated = 0;
  for (const { path, idempotencyKey } of calls) {
    const run = idempotencyKey.slice(0, idempotencyKey.indexOf(':'));
    if (!wanted.has(run)) continue;
    const keys = setOf(keysByRun, run);
    if (keys.has(idempotencyKey)) repeated += 1;
    keys.add(idempotencyKey);
    const sameEffect = setOf(keysByPath, `${run} ${path}`);
    sameEffect.add(idempotencyKey);
    if (sameEffect.size > 1) doubled.add(run);
  }
  const isWhole = (id: string): boolean => successes.has(id) && keysByRun.get(id)?.size === expected.effects;
  return {
    lost: ids.filter((id) => !isWhole(id)).length,
    doubled: doubled.size,
    repeated,
    effects: [...keysByRun.values()].reduce((sum, keys) => sum + keys.size, 0),
  };
}

function setOf(map: Map<string, Set<string>>, key: string): Set<string> {
  const known = map.get(key);
  if (known) return known;
  const created = new Set<string>();
  map.set(key, created);
  return created;
}
