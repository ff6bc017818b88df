import { RUN_END_EVENTS, WAIT_EVENTS } from '@deckhand/contracts';
import { Prisma } from '../client.ts';

/*
 * Events are written by the statement that makes them happen, as one row per endpoint that wants them. So an event
 * exists if and only if its change is committed. Without matching endpoints, there is no row and no further statement.
 *
 * Races: an endpoint that is created, changed or disabled at the same time. The statement sees it as it was when the
 * statement began, and takes no lock of it: a row for an endpoint that is gone is deleted by maintenance.
 */

const END_EVENTS = Prisma.raw(
  Object.values(RUN_END_EVENTS)
    .map((type) => `'${type}'`)
    .join(', '),
);

/** Number of lanes by which a workspace sends callbacks. A receiver that fails slows those of its lane only. */
export const CALLBACK_LANES = 4;

/** The lane of the callback of `h`, which follows from the host; null without a callback. */
const LANE_OF_CALLBACK = Prisma.raw(
  `(hashtext(substring(h.callback_url FROM '^[^:]+://[^/?#]+')) & ${CALLBACK_LANES - 1})`,
);

/**
 * Returns an INSERT of events, for a common table expression or a statement of its own.
 * @param happened a query of what happened: workspace_id, workflow_id, execution_id, node_id, iteration, type, revision
 * (of the run afterwards), tags and callback_url (of the run), rank (the order of events of one run). For nullable
 * columns, cast nulls.
 */
export function emitEvents(happened: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`INSERT INTO event_deliveries
        (endpoint_id, workspace_id, workflow_id, execution_id, node_id, iteration, type, revision, url)
      SELECT p.id, h.workspace_id, h.workflow_id, h.execution_id, h.node_id, h.iteration, h.type, h.revision,
        CASE WHEN p.callback_lane IS NOT NULL THEN h.callback_url END
      FROM (${happened}) h JOIN event_endpoints p ON p.workspace_id = h.workspace_id AND p.disabled_at IS NULL
        AND CASE WHEN p.callback_lane IS NULL THEN
          (p.event_types = '{}' OR h.type = ANY (p.event_types))
          AND (p.workflow_ids = '{}' OR h.workflow_id = ANY (p.workflow_ids))
          AND (p.tags = '{}' OR h.tags && p.tags)
        ELSE h.type IN (${END_EVENTS}) AND p.callback_lane = ${LANE_OF_CALLBACK} END
      ORDER BY h.rank`;
}

/**
 * Returns an INSERT of failed runs whose workflow or workspace names an error workflow, for a common table expression.
 * Like events, a row exists if and only if the end of its run is committed.
 * @param ended a query of runs that ended: execution_id, workspace_id, workflow_id, execution_mode, status, error_of.
 */
export function reportFailures(ended: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`INSERT INTO error_starts (execution_id, workspace_id, error_workflow_id)
      SELECT f.execution_id, f.workspace_id, coalesce(w.error_workflow_id, s.error_workflow_id)
      FROM (${ended}) f JOIN workflows w ON w.id = f.workflow_id JOIN workspaces s ON s.id = f.workspace_id
      WHERE f.status IN ('failed', 'timeout') AND ${hasEvents(Prisma.raw('f'))} AND f.error_of IS NULL
        AND w.has_error_workflow AND coalesce(w.error_workflow_id, s.error_workflow_id) IS NOT NULL`;
}

/** Runs in other modes than normal are tries of their authors, and have no events. */
export function hasEvents(run: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`${run}.execution_mode = 'normal'`;
}

/** Returns the event of a run that ends with a status, as SQL. */
export function endEventOf(status: Prisma.Sql): Prisma.Sql {
  const cases = Object.entries(RUN_END_EVENTS).map(([end, type]) => `WHEN '${end}' THEN '${type}'`);
  return Prisma.sql`CASE ${status} ${Prisma.raw(cases.join(' '))} END`;
}

/** Returns the event of a wait for a person that begins or is answered, as SQL. */
export function waitEventOf(kind: Prisma.Sql, moment: 'begun' | 'answered'): Prisma.Sql {
  const cases = Object.entries(WAIT_EVENTS).map(([wait, types]) => `WHEN '${wait}' THEN '${types[moment]}'`);
  return Prisma.sql`CASE ${kind} ${Prisma.raw(cases.join(' '))} END`;
}

/** The columns of an event of a whole run, between its id and its type. */
export const OF_NO_NODE = Prisma.sql`NULL::text AS node_id, NULL::text AS iteration`;

/**
 * Emits the start of the runs `w`, which a claim has locked: id, workspace_id, workflow_id, execution_mode, revision,
 * isFirst, tags.
 */
export const EMIT_STARTED = emitEvents(Prisma.sql`
        SELECT w.workspace_id, w.workflow_id, w.id AS execution_id, ${OF_NO_NODE}, 'run.started' AS type,
          w.revision + 1 AS revision, w.tags, NULL::text AS callback_url, 0 AS rank
        FROM w WHERE w."isFirst" AND ${hasEvents(Prisma.raw('w'))}`);
