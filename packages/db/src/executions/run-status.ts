import {
  EXECUTION_TRANSITIONS,
  type ExecutionStatus,
  type ExecutionEvent,
  FINISHED_STATUSES,
  UNFINISHED_STATUSES,
} from '@deckhand/contracts';
import { Prisma, type Queryable } from '../client.ts';
import { emitEvents, endEventOf, hasEvents, OF_NO_NODE, reportFailures } from '../events/emit.ts';
import { LOCK_RUNS } from '../lock-order.ts';

// The meaning of a run's statuses in SQL, defined once: every statement that reads or changes them is composed of these
// fragments, and the transition table in packages/contracts is their only source. A fragment without a parameter refers
// to the run `e`.

const RUN = Prisma.raw('e');

/** A list of statuses for `IN`, as literals: the planner compares them with the predicates of partial indexes. */
function listOf(statuses: readonly ExecutionStatus[]): Prisma.Sql {
  return Prisma.raw(`(${statuses.map((status) => `'${status}'`).join(', ')})`);
}

/** Whether the run has not ended. */
export function isUnfinished(run: Prisma.Sql = RUN): Prisma.Sql {
  return Prisma.sql`${run}.status IN ${listOf(UNFINISHED_STATUSES)}`;
}

/** Whether the run has ended. */
export function isFinished(run: Prisma.Sql = RUN): Prisma.Sql {
  return Prisma.sql`${run}.status IN ${listOf(FINISHED_STATUSES)}`;
}

/** Whether the event may change the run's status. */
export function mayMove(event: ExecutionEvent, run: Prisma.Sql = RUN): Prisma.Sql {
  return Prisma.sql`${run}.status IN ${listOf(EXECUTION_TRANSITIONS[event].from)}`;
}

/** Whether a worker holds the run: a paused one too, until the nodes in progress are finished. */
export const IS_HELD = Prisma.sql`e.worker_id IS NOT NULL AND e.status IN ('running', 'paused')`;

/** Whether the run rests until a wait ends: no worker holds it, and no person paused it. */
export const IS_RESTING = Prisma.sql`e.worker_id IS NULL AND ${mayMove('claim')}`;

/** Whether the run has a limit by a key, and no slot of that key yet: it is not dispatched before it has one. */
export const LACKS_KEY = Prisma.sql`coalesce(NOT e.holds_key, false)`;

/** Whether the run waits for a worker to claim its current dispatch. Served by the index executions_unclaimed. */
export const IS_UNCLAIMED = Prisma.sql`e.worker_id IS NULL AND e.claimed_dispatch < e.dispatch AND ${mayMove('claim')}`;

/** Assignments that dispatch the run again. The new number invalidates the earlier job. */
export const DISPATCH_AGAIN = Prisma.sql`dispatch = e.dispatch + 1, dispatched_at = now()`;

/** The same under a condition on the run as it was. */
export function dispatchAgainIf(condition: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`dispatch = CASE WHEN ${condition} THEN e.dispatch + 1 ELSE e.dispatch END,
    dispatched_at = CASE WHEN ${condition} THEN now() ELSE e.dispatched_at END`;
}

/** Whether the run expired before any worker began it. */
export function isExpired(run: Prisma.Sql = RUN): Prisma.Sql {
  return Prisma.sql`${run}.expires_at <= now() AND ${run}.started_at IS NULL`;
}

/** Whether the run has not expired, or a worker began it before. */
export function mayBegin(run: Prisma.Sql = RUN): Prisma.Sql {
  return Prisma.sql`(${run}.expires_at IS NULL OR ${run}.expires_at > now() OR ${run}.started_at IS NOT NULL)`;
}

/** Columns of a DispatchedExecution, for `RETURNING` after `DISPATCH_AGAIN`. */
export const DISPATCHED = Prisma.sql`e.workspace_id AS "workspaceId", e.id AS "executionId", e.dispatch, e.priority::int AS priority`;

/**
 * Columns of a ReleasedExecution, for `RETURNING`: `dispatch` is null unless the condition holds for the run as it is
 * now.
 */
export function dispatchedIf(condition: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`e.workspace_id AS "workspaceId", e.id AS "executionId",
    CASE WHEN ${condition} THEN e.dispatch END AS dispatch, e.priority::int AS priority`;
}

const IS_RUNNING = Prisma.sql`e.status = 'running'`;

/** The deadline of a run without a time limit of its own. The time that workers hold it is limited instead. */
export const NO_DEADLINE_AT = '9999-12-31T00:00:00.000Z';
export const NO_DEADLINE = Prisma.raw(`'${NO_DEADLINE_AT}'::timestamptz(3)`);

/**
 * When the time for which workers may hold the run `e` is used up, if one holds it from `since` on; null without such a
 * limit.
 */
export function heldUntil(since: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`${since} + e.time_left_ms * interval '1 millisecond'`;
}

/** How much of that time is left after a worker has released the run, in ms. */
export const TIME_LEFT = Prisma.sql`CASE WHEN e.held_until IS NULL THEN e.time_left_ms
    ELSE greatest(0, (extract(epoch FROM e.held_until - now()) * 1000)::bigint) END`;

/**
 * Assignments that take a run from its worker: a running one is dispatched again, a paused one rests. The next claim
 * fences the worker. Until then its late writes still count, which is harmless: they record what did happen.
 */
export const RELEASE = Prisma.sql`worker_id = NULL, time_left_ms = ${TIME_LEFT}, held_until = NULL,
    revision = e.revision + 1, ${dispatchAgainIf(IS_RUNNING)}`;

/** Columns of a ReleasedExecution, for `RETURNING` after `RELEASE`. */
export const RELEASED = dispatchedIf(IS_RUNNING);

/** How a run is ended by a process other than the worker that holds it. */
export interface RunEnding {
  readonly event: Extract<ExecutionEvent, 'fail' | 'queueFailed' | 'stop' | 'timeOut'>;
  /** The recorded error as serialised JSON, an expression on the run `e`; null for none. */
  readonly error: Prisma.Sql | null;
  /** A further condition on the run `e`. */
  readonly condition?: Prisma.Sql;
}

/**
 * Ends those of the given runs whose status allows it, with their unfinished nodes, emits their events, and reports
 * those that failed to their error workflows. Once this is committed, no node of theirs starts and no later write
 * changes them, because their epoch is raised. Repeating it is harmless.
 *
 * Race: a checkpoint that is written while this statement waits for the run's row. A second statement
 * stops the nodes: its snapshot includes what that checkpoint wrote, and that of the first does not.
 * @returns the ids of the runs that it ended.
 */
export async function endRuns(tx: Queryable, ids: readonly string[], ending: RunEnding): Promise<string[]> {
  const { event, error, condition = Prisma.sql`true` } = ending;
  const rows = await tx.$queryRaw<{ id: string }[]>(Prisma.sql`
    WITH locked AS (
      SELECT e.id FROM executions e WHERE e.id = ANY(${[...ids]}::uuid[]) AND ${mayMove(event)} AND ${condition}
      ${LOCK_RUNS}
    ), ended AS (
      UPDATE executions e
      SET status = ${EXECUTION_TRANSITIONS[event].to}::execution_status, error = ${error ?? Prisma.sql`e.error`},
          epoch = e.epoch + 1, revision = e.revision + 1, finished_at = now(), worker_id = NULL, wake_at = NULL, current_node_id = NULL
      FROM locked WHERE e.id = locked.id AND ${mayMove(event)}
      RETURNING e.id, e.workspace_id, e.workflow_id, e.execution_mode, e.revision, e.status, e.error_of, e.tags, e.callback_url
    ), reported AS (
      ${reportFailures(Prisma.sql`SELECT e.id AS execution_id, e.* FROM ended e`)}
    ), emitted AS (
      ${emitEvents(Prisma.sql`
        SELECT e.workspace_id, e.workflow_id, e.id AS execution_id, ${OF_NO_NODE},
          ${endEventOf(Prisma.raw('e.status'))} AS type, e.revision, e.tags, e.callback_url, 0 AS rank
        FROM ended e WHERE ${hasEvents(RUN)}`)}
    )
    INSERT INTO unindexed_executions (execution_id) SELECT id FROM ended RETURNING execution_id AS id`);
  const ended = rows.map(({ id }) => id);
  if (ended.length > 0 && event !== 'queueFailed') await stopUnfinishedNodes(tx, ended);
  return ended;
}

async function stopUnfinishedNodes(tx: Queryable, executionIds: readonly string[]): Promise<void> {
  await tx.$executeRaw(Prisma.sql`
    WITH iterations AS (
      UPDATE node_iterations SET status = 'stopped', finished_at = now()
      WHERE execution_id = ANY(${[...executionIds]}::uuid[]) AND status IN ('pending', 'running', 'waiting')
    )
    UPDATE node_runs SET status = 'stopped', finished_at = now()
    WHERE execution_id = ANY(${[...executionIds]}::uuid[]) AND status IN ('pending', 'running', 'waiting')`);
}
