import type { Insights, InsightsFigures } from '@deckhand/contracts';
import { type Actor, memberMay, requirePermission } from '../access.ts';
import { type Database, Prisma } from '../client.ts';
import { addCounts, percentileOf } from './durations.ts';
import { ALL_WORKFLOWS } from './run-days.ts';

/** Workflows that are listed at most: those with the most runs. */
const MAX_WORKFLOWS = 25;
const DAY_MS = 86_400_000;

/** A period in whole days of UTC, both included, of a workspace or a workflow. */
export interface InsightsPeriod {
  readonly workspaceId: string;
  readonly workflowId: string | undefined;
  readonly from: string;
  readonly to: string;
}

interface Counted {
  readonly succeeded: number;
  readonly failed: number;
  readonly timedOut: number;
  readonly stopped: number;
  /** Runs by bucket of their durations. */
  readonly durations: readonly number[];
}

interface WorkflowRow extends Counted {
  readonly workflowId: string;
  readonly workflowName: string | null;
  readonly succeededBefore: number;
  readonly failedBefore: number;
  readonly stoppedBefore: number;
}

/**
 * Reads how runs ended in a period and in the one before it, which has as many days. Counts come from `run_days`: what
 * retention deletes stays counted.
 * @param source the database that is read: a replica, or `db`, which decides what the actor may see.
 * @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH.
 */
export async function readInsights(db: Database, actor: Actor, period: InsightsPeriod, source = db): Promise<Insights> {
  const { workspaceId, workflowId, from, to } = period;
  await requirePermission(db, actor, workspaceId, 'runs.read');
  const days = daysOf(from, to);
  const previousFrom = addDays(from, -days.length);
  const [counted, workflows] = await Promise.all([
    readDays(source, actor, { ...period, from: previousFrom }),
    workflowId === undefined ? readWorkflows(source, actor, { ...period, previousFrom }) : [],
  ]);
  const within = (first: string, end: string): Counted[] =>
    [...counted].flatMap(([day, counts]) => (day >= first && day < end ? [counts] : []));
  return {
    workspaceId,
    workflowId: workflowId ?? null,
    from,
    to,
    ...toFigures(sumOf(within(from, addDays(to, 1)))),
    previous: { from: previousFrom, to: addDays(from, -1), ...toFigures(sumOf(within(previousFrom, from))) },
    days: days.map((day) => ({ day, ...toFigures(counted.get(day) ?? NOTHING) })),
    workflows: workflows.map((row) => ({
      workflowId: row.workflowId,
      workflowName: row.workflowName,
      ...toFigures(row),
      previous: {
        runs: row.succeededBefore + row.failedBefore + row.stoppedBefore,
        failureRate: rateOf(row.failedBefore, row.succeededBefore),
      },
    })),
  };
}

const COUNTS = Prisma.sql`d.succeeded, d.failed, d.timed_out AS "timedOut", d.stopped, d.durations`;

/** Returns the condition that the row `d` is of a workspace that the actor is a member of. */
function isVisible(actor: Actor, workspaceId: string): Prisma.Sql {
  return Prisma.sql`d.workspace_id = ${workspaceId}::uuid AND EXISTS (
    SELECT 1 FROM memberships m WHERE m.workspace_id = d.workspace_id AND m.user_id = ${actor.userId}::uuid AND ${memberMay('runs.read')})`;
}

/** Served by the primary key, once for each day. @returns the days that have runs, in their order. */
async function readDays(
  db: Database,
  actor: Actor,
  { workspaceId, workflowId = ALL_WORKFLOWS, from, to }: InsightsPeriod,
): Promise<Map<string, Counted>> {
  const rows = await db.$queryRaw<(Counted & { day: string })[]>(Prisma.sql`
    SELECT to_char(g.day, 'YYYY-MM-DD') AS day, ${COUNTS}
    FROM (SELECT ${from}::date + n AS day FROM generate_series(0, ${to}::date - ${from}::date) AS n) AS g
    JOIN run_days d ON d.day = g.day AND d.workflow_id = ${workflowId}::uuid
    WHERE ${isVisible(actor, workspaceId)}
    ORDER BY g.day`);
  return new Map(rows.map((row) => [row.day, row]));
}

/** Served by the primary key: the days are read once for the counts, and once for the durations of listed workflows. */
function readWorkflows(
  db: Database,
  actor: Actor,
  { workspaceId, from, to, previousFrom }: InsightsPeriod & { readonly previousFrom: string },
): Promise<WorkflowRow[]> {
  const isNow = Prisma.sql`d.day >= ${from}::date`;
  const sum = (column: string, condition: Prisma.Sql): Prisma.Sql =>
    Prisma.sql`coalesce(sum(${Prisma.raw(column)}) FILTER (WHERE ${condition}), 0)::float8`;
  const before = Prisma.sql`NOT (${isNow})`;
  return db.$queryRaw<WorkflowRow[]>(Prisma.sql`
    WITH listed AS (
      SELECT d.workflow_id, ${sum('d.succeeded', isNow)} AS succeeded, ${sum('d.failed', isNow)} AS failed,
        ${sum('d.timed_out', isNow)} AS "timedOut", ${sum('d.stopped', isNow)} AS stopped,
        ${sum('d.succeeded', before)} AS "succeededBefore", ${sum('d.failed + d.timed_out', before)} AS "failedBefore",
        ${sum('d.stopped', before)} AS "stoppedBefore"
      FROM run_days d
      WHERE ${isVisible(actor, workspaceId)} AND d.day BETWEEN ${previousFrom}::date AND ${to}::date
        AND d.workflow_id <> ${ALL_WORKFLOWS}::uuid
      GROUP BY d.workflow_id HAVING bool_or(${isNow})
      ORDER BY ${sum('d.succeeded + d.failed + d.timed_out + d.stopped', isNow)} DESC, d.workflow_id
      LIMIT ${MAX_WORKFLOWS}
    ), buckets AS (
      SELECT d.workflow_id, u.bucket, sum(u.count)::float8 AS count
      FROM listed l JOIN run_days d ON d.workflow_id = l.workflow_id
      CROSS JOIN LATERAL unnest(d.durations) WITH ORDINALITY AS u (count, bucket)
      WHERE d.workspace_id = ${workspaceId}::uuid AND d.day BETWEEN ${from}::date AND ${to}::date
      GROUP BY d.workflow_id, u.bucket
    ), timed AS (
      SELECT workflow_id, array_agg(count ORDER BY bucket) AS durations FROM buckets GROUP BY workflow_id
    )
    SELECT l.workflow_id AS "workflowId", w.name AS "workflowName", l.succeeded, l.failed, l."timedOut", l.stopped,
      l."succeededBefore", l."failedBefore", l."stoppedBefore", coalesce(t.durations, '{}') AS durations
    FROM listed l LEFT JOIN timed t ON t.workflow_id = l.workflow_id
    LEFT JOIN workflows w ON w.id = l.workflow_id AND w.workspace_id = ${workspaceId}::uuid
    ORDER BY l.succeeded + l.failed + l."timedOut" + l.stopped DESC, l.workflow_id`);
}

const NOTHING: Counted = { succeeded: 0, failed: 0, timedOut: 0, stopped: 0, durations: [] };

function sumOf(all: readonly Counted[]): Counted {
  const sum = (count: (one: Counted) => number): number => all.reduce((total, one) => total + count(one), 0);
  return {
    succeeded: sum(({ succeeded }) => succeeded),
    failed: sum(({ failed }) => failed),
    timedOut: sum(({ timedOut }) => timedOut),
    stopped: sum(({ stopped }) => stopped),
    durations: addCounts(all.map(({ durations }) => durations)),
  };
}

function toFigures({ succeeded, failed, timedOut, stopped, durations }: Counted): InsightsFigures {
  const [p50, p95] = [percentileOf(durations, 0.5), percentileOf(durations, 0.95)];
  return {
    runs: succeeded + failed + timedOut + stopped,
    success: succeeded,
    failed,
    timeout: timedOut,
    stopped,
    failureRate: rateOf(failed + timedOut, succeeded),
    durationMs: p50 === null || p95 === null ? null : { p50, p95 },
  };
}

function rateOf(failed: number, succeeded: number): number | null {
  return failed + succeeded === 0 ? null : failed / (failed + succeeded);
}

/** Returns the days of a period, both included. */
function daysOf(from: string, to: string): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, index) => addDays(from, index));
}

/** Returns the day, of UTC, that comes so many days later. */
function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}
