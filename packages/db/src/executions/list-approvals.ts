import {
  type ApprovalEntry,
  parseOwnJson,
  type Page,
  type PageOf,
  shownIteration,
  waitIdOf,
} from '@deckhand/contracts';
import { type Actor, requireRole } from '../access.js';
import { type Database, Prisma } from '../client.js';
import { toPage } from '../paging.js';
import { isTimeUp } from './end-waits.js';

interface Row {
  readonly id: string;
  readonly nodeId: string;
  readonly iteration: string;
  readonly workflowId: string;
  readonly workflowName: string | null;
  readonly details: string;
  readonly createdAt: Date;
}

/**
 * The approvals of a workspace that can still be decided, the oldest first.
 * @throws DeckhandError FORBIDDEN for no member.
 */
export async function listApprovals(
  db: Database,
  actor: Actor,
  query: Page & { readonly workspaceId: string },
): Promise<PageOf<ApprovalEntry>> {
  await requireRole(db, actor, query.workspaceId, 'viewer');
  // Served by waits_open, which holds open waits only; runs are joined by primary key.
  const open = Prisma.sql`
    FROM waits w
    JOIN executions e ON e.id = w.execution_id
    JOIN memberships m ON m.workspace_id = e.workspace_id AND m.user_id = ${actor.userId}::uuid
    LEFT JOIN workflows f ON f.id = e.workflow_id
    WHERE w.kind = 'approval' AND w.answered_at IS NULL AND NOT ${isTimeUp}
      AND e.workspace_id = ${query.workspaceId}::uuid
      AND e.status IN ('running', 'waiting_for_input', 'waiting_for_human')`;
  const rows = await db.$queryRaw<Row[]>(Prisma.sql`
    SELECT e.id, w.node_id AS "nodeId", w.iteration, e.workflow_id AS "workflowId", f.name AS "workflowName", w.details,
      w.created_at AS "createdAt"
    ${open}
    ORDER BY w.created_at, w.execution_id, w.node_id, w.iteration
    LIMIT ${query.limit + 1} OFFSET ${query.offset}`);
  return toPage(query, rows, toEntry, async () => {
    const [counted] = await db.$queryRaw<{ total: number }[]>(Prisma.sql`SELECT count(*)::int AS total ${open}`);
    return counted?.total ?? 0;
  });
}

function toEntry(row: Row): ApprovalEntry {
  const { message, choices } = parseOwnJson<{ message: string; choices: string[] }>(row.details);
  return {
    id: row.id,
    currentNodeId: row.nodeId,
    iteration: shownIteration(row.iteration),
    waitId: waitIdOf({ executionId: row.id, nodeId: row.nodeId, iteration: row.iteration }),
    workflowId: row.workflowId,
    workflowName: row.workflowName,
    message,
    choices,
    waitingSince: row.createdAt.toISOString(),
  };
}
