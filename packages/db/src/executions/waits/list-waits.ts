import {
  type ApprovalEntry,
  type HumanTaskEntry,
  type JsonValue,
  parseOwnJson,
  type Page,
  type PageOf,
  roleMay,
  shownIteration,
  waitIdOf,
} from '@deckhand/contracts';
import { type Actor, memberMay, requirePermission } from '../../access.ts';
import { type Database, Prisma } from '../../client.ts';
import { toPage } from '../../paging.ts';
import { isApprover, isInvolved } from './approvers.ts';
import { isTimeUp } from './end-waits.ts';

interface Row {
  readonly id: string;
  readonly nodeId: string;
  readonly iteration: string;
  readonly workflowId: string;
  readonly workflowName: string | null;
  readonly details: string;
  readonly createdAt: Date;
  readonly canAnswer: boolean;
}

type ListRequest = Page & {
  readonly workspaceId: string;
  readonly executionId?: string;
  /** True leaves out what the actor may not answer. */
  readonly canAnswer?: boolean;
};

/** Lists the open approvals of a workspace, the oldest first. @throws DeckhandError FORBIDDEN for no member. */
export function listApprovals(db: Database, actor: Actor, query: ListRequest): Promise<PageOf<ApprovalEntry>> {
  return listWaits(db, actor, { query, kind: 'approval' }, toApproval);
}

/** Lists the open forms of a workspace, the oldest first. @throws DeckhandError FORBIDDEN for no member. */
export function listHumanTasks(db: Database, actor: Actor, query: ListRequest): Promise<PageOf<HumanTaskEntry>> {
  return listWaits(db, actor, { query, kind: 'human' }, toHumanTask);
}

async function listWaits<T>(
  db: Database,
  actor: Actor,
  { query, kind }: { query: ListRequest; kind: 'approval' | 'human' },
  toEntry: (row: Row) => T,
): Promise<PageOf<T>> {
  const role = await requirePermission(db, actor, query.workspaceId, 'approvals.read');
  const canAnswer = Prisma.sql`(${isApprover()} AND NOT ${isInvolved()})`;
  // Who reads no runs sees only what is to answer.
  const isShown = roleMay(role, 'runs.read') && query.canAnswer !== true ? Prisma.empty : Prisma.sql`AND ${canAnswer}`;
  // Served by waits_open, which contains only open waits; runs are joined by primary key.
  const open = Prisma.sql`
    FROM waits w
    JOIN executions e ON e.id = w.execution_id
    JOIN memberships m ON m.workspace_id = e.workspace_id AND m.user_id = ${actor.userId}::uuid AND ${memberMay('approvals.read')}
    JOIN users me ON me.id = m.user_id
    LEFT JOIN workflow_versions v ON v.id = e.workflow_version_id
    LEFT JOIN workflows f ON f.id = e.workflow_id
    WHERE w.kind = ${kind}::wait_kind AND w.answered_at IS NULL AND NOT ${isTimeUp}
      AND e.workspace_id = ${query.workspaceId}::uuid ${ofRun(query)} ${isShown}
      AND e.status IN ('running', 'waiting_for_input', 'waiting_for_human')`;
  const rows = await db.$queryRaw<Row[]>(Prisma.sql`
    SELECT e.id, w.node_id AS "nodeId", w.iteration, e.workflow_id AS "workflowId", f.name AS "workflowName", w.details,
      w.created_at AS "createdAt", ${canAnswer} AS "canAnswer"
    ${open}
    ORDER BY w.created_at, w.execution_id, w.node_id, w.iteration
    LIMIT ${query.limit + 1} OFFSET ${query.offset}`);
  return toPage(query, rows, toEntry, async () => {
    const [counted] = await db.$queryRaw<{ total: number }[]>(Prisma.sql`SELECT count(*)::int AS total ${open}`);
    return counted?.total ?? 0;
  });
}

/** Limits a list to the waits of one run, which the primary key serves. */
function ofRun({ executionId }: ListRequest): Prisma.Sql {
  return executionId === undefined ? Prisma.empty : Prisma.sql`AND w.execution_id = ${executionId}::uuid`;
}

function toApproval(row: Row): ApprovalEntry {
  const { message, choices } = parseOwnJson<{ message: string; choices: string[] }>(row.details);
  return { id: row.id, currentNodeId: row.nodeId, ...common(row), message, choices };
}

function toHumanTask(row: Row): HumanTaskEntry {
  const { title, schema } = parseOwnJson<{ title: string; schema: JsonValue }>(row.details);
  return { executionId: row.id, nodeId: row.nodeId, ...common(row), title, schema };
}

function common({ id: executionId, nodeId, iteration, workflowId, workflowName, createdAt, canAnswer }: Row) {
  return {
    iteration: shownIteration(iteration),
    waitId: waitIdOf({ executionId, nodeId, iteration }),
    workflowId,
    workflowName,
    waitingSince: createdAt.toISOString(),
    canAnswer,
  };
}
