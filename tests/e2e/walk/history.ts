import { type ExecutionStatus, isFinished } from '@deckhand/contracts';
import type { Database } from '@deckhand/db';
import { groupBy } from './group-by.ts';

/** One status that a run had. Times are ms since the epoch, by PostgreSQL's clock, which is this machine's. */
export interface Period {
  readonly status: ExecutionStatus;
  /** When it was written: shortly before it could be seen. */
  readonly from: number;
  /** When the next one was written; Infinity for the last. */
  readonly to: number;
}

/** A start of a node that was written. */
export interface Start {
  /** The run, the node and, inside loops, the iteration: the key of the node's call. */
  readonly idempotencyKey: string;
  /** ms since the epoch, by the same clock. */
  readonly at: number;
  /** The status of the run when the start was written, or by the same write. */
  readonly runStatus: ExecutionStatus;
}

/** A wait of a run. Times are ms since the epoch. */
export interface WaitRecord {
  readonly executionId: string;
  readonly nodeId: string;
  readonly openedAt: number;
  /** Infinity while it is open. */
  readonly answeredAt: number;
}

const STATEMENTS = [
  `CREATE SEQUENCE walk_seq`,
  `CREATE TABLE walk_runs (seq bigint, xid xid8, at float8, id uuid, old jsonb, new jsonb)`,
  `CREATE INDEX ON walk_runs (id, seq)`,
  `CREATE TABLE walk_nodes (seq bigint, xid xid8, at float8, execution_id uuid, node_id text, new jsonb)`,
  `CREATE FUNCTION walk_run() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     INSERT INTO walk_runs VALUES (nextval('walk_seq'), pg_current_xact_id(),
       extract(epoch FROM clock_timestamp()) * 1000, coalesce(NEW.id, OLD.id), to_jsonb(OLD), to_jsonb(NEW));
     RETURN NULL; END $$`,
  `CREATE FUNCTION walk_node() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     INSERT INTO walk_nodes VALUES (nextval('walk_seq'), pg_current_xact_id(),
       extract(epoch FROM clock_timestamp()) * 1000, coalesce(NEW.execution_id, OLD.execution_id),
       coalesce(NEW.node_id, OLD.node_id), to_jsonb(NEW));
     RETURN NULL; END $$`,
  `CREATE TRIGGER walk AFTER INSERT OR UPDATE OR DELETE ON executions FOR EACH ROW EXECUTE FUNCTION walk_run()`,
  `CREATE TRIGGER walk AFTER INSERT OR UPDATE OR DELETE ON node_runs FOR EACH ROW EXECUTE FUNCTION walk_node()`,
  `CREATE TRIGGER walk AFTER INSERT OR UPDATE OR DELETE ON node_iterations FOR EACH ROW EXECUTE FUNCTION walk_node()`,
];

/**
 * Records every change of runs and node runs, by triggers in the test's own database. A run's row is locked by every
 * writer, so the numbers of its changes are in the order of their commits.
 */
export async function recordHistory(db: Database): Promise<void> {
  for (const statement of STATEMENTS) await db.$executeRawUnsafe(statement);
}

/** The statuses of every run, by its id. */
export async function readHistory(db: Database): Promise<Map<string, Period[]>> {
  const rows = await db.$queryRaw<{ id: string; status: ExecutionStatus; at: number }[]>`
    SELECT id, new->>'status' AS status, at FROM walk_runs WHERE old->>'status' IS DISTINCT FROM new->>'status' ORDER BY seq`;
  const byRun = groupBy(rows, (row) => row.id);
  return new Map(
    [...byRun].map(([id, changes]) => [
      id,
      changes.map(({ status, at }, index) => ({ status, from: at, to: changes[index + 1]?.at ?? Infinity })),
    ]),
  );
}

/** Every start of every node, by its run's id. */
export async function readStarts(db: Database): Promise<Map<string, Start[]>> {
  const starts = await db.$queryRaw<(Start & { executionId: string })[]>`
    SELECT n.execution_id AS "executionId", n.at,
      concat_ws(':', n.execution_id, n.node_id, n.new->>'iteration') AS "idempotencyKey",
      (SELECT r.new->>'status' FROM walk_runs r
        WHERE r.id = n.execution_id AND (r.seq < n.seq OR r.xid = n.xid) ORDER BY r.seq DESC LIMIT 1) AS "runStatus"
    FROM walk_nodes n WHERE n.new->>'status' = 'running' ORDER BY n.seq`;
  return groupBy(starts, (start) => start.executionId);
}

/** Every wait of every run. */
export async function readWaits(db: Database): Promise<WaitRecord[]> {
  const rows = await db.wait.findMany();
  return rows.map(({ executionId, nodeId, createdAt, answeredAt }) => ({
    executionId,
    nodeId,
    openedAt: createdAt.getTime(),
    answeredAt: answeredAt?.getTime() ?? Infinity,
  }));
}

/** Forbidden changes: of finished runs and nodes, or of a status without a new revision for followers. */
export async function readForbiddenChanges(db: Database): Promise<unknown[]> {
  return db.$queryRaw`
    WITH endings AS (
      SELECT * FROM walk_runs
      WHERE new->>'status' = ANY('{success,failed,timeout,stopped}') AND old->>'status' <> new->>'status'
    )
    SELECT 'a finished run changed' AS what, r.id, r.old, r.new FROM walk_runs r
      WHERE r.old->>'status' = ANY('{success,failed,timeout,stopped}') AND r.old IS DISTINCT FROM r.new
    UNION ALL
    SELECT 'a node of a finished run changed: ' || n.node_id, e.id, e.old, e.new
      FROM walk_nodes n JOIN endings e ON e.id = n.execution_id WHERE n.seq > e.seq AND n.xid <> e.xid
    UNION ALL
    SELECT 'a change without a revision', r.id, r.old, r.new FROM walk_runs r
      WHERE (r.old->>'revision')::int >= (r.new->>'revision')::int
        AND (r.old->'status', r.old->'error', r.old->'result', r.old->'finished_at', r.old->'current_node_id')
          IS DISTINCT FROM (r.new->'status', r.new->'error', r.new->'result', r.new->'finished_at', r.new->'current_node_id')
    UNION ALL
    SELECT 'a row was taken away', r.id, r.old, r.new FROM walk_runs r WHERE r.new IS NULL`;
}

/** Returns the statuses in which a run could be seen between two times. A commit may take up to `slackMs`. */
export function statusesBetween(
  periods: readonly Period[],
  from: number,
  to: number,
  slackMs: number,
): ExecutionStatus[] {
  return periods.filter((period) => period.from <= to + 1 && period.to + slackMs >= from).map(({ status }) => status);
}

/** Returns when a run finished; undefined while it has not. */
export function endOf(periods: readonly Period[]): Period | undefined {
  return periods.find(({ status }) => isFinished(status));
}
