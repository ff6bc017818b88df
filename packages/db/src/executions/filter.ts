import type { ExecutionFilter } from '@deckhand/contracts';
import { Prisma } from '../client.js';

/** Whose runs and which of them, the text searches apart, as a condition on the run `e`. */
export function filterConditions(filter: ExecutionFilter): Prisma.Sql {
  const { workspaceId, workflowId, status, startedAt } = filter;
  const parts = [Prisma.sql`e.workspace_id = ${workspaceId}::uuid`];
  if (workflowId !== undefined) parts.push(Prisma.sql`e.workflow_id = ${workflowId}::uuid`);
  if (status !== undefined) parts.push(Prisma.sql`e.status = ${status}::execution_status`);
  if (startedAt?.gte !== undefined) parts.push(Prisma.sql`e.started_at >= ${startedAt.gte}::timestamptz`);
  if (startedAt?.lte !== undefined) parts.push(Prisma.sql`e.started_at <= ${startedAt.lte}::timestamptz`);
  return Prisma.join(parts, ' AND ');
}

const SORT_COLUMNS = {
  startedAt: Prisma.sql`e.started_at`,
  createdAt: Prisma.sql`e.created_at`,
  finishedAt: Prisma.sql`e.finished_at`,
} as const;

/** How a list is ordered; each order has an index. Descending, runs without that time (yet) come first. */
export function sortOrder({ sortBy, sortOrder: order }: ExecutionOrder): Prisma.Sql {
  const column = SORT_COLUMNS[sortBy];
  return order === 'asc' ? Prisma.sql`${column}, e.id` : Prisma.sql`${column} DESC, e.id DESC`;
}

/** The order of a list of runs. */
export interface ExecutionOrder {
  readonly sortBy: keyof typeof SORT_COLUMNS;
  readonly sortOrder: 'asc' | 'desc';
}
