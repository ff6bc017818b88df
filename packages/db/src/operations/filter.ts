import type { ExecutionStatus } from '@deckhand/contracts';
import { Prisma } from '../client.js';

/** An operator's filter for runs of the whole instance; a member that is left out does not limit it. */
export interface OperatorFilter {
  readonly executionIds?: readonly string[] | undefined;
  readonly workspaceId?: string | undefined;
  readonly workflowId?: string | undefined;
  readonly statuses?: readonly ExecutionStatus[] | undefined;
  /** Bounds of the time when the run was created, inclusive. */
  readonly createdFrom?: Date | undefined;
  readonly createdTo?: Date | undefined;
}

/** Returns an operator's filter as a condition on the run `e`. */
export function operatorConditions(filter: OperatorFilter): Prisma.Sql {
  const { executionIds, workspaceId, workflowId, statuses, createdFrom, createdTo } = filter;
  const parts = [Prisma.sql`TRUE`];
  if (executionIds !== undefined) parts.push(Prisma.sql`e.id = ANY(${[...executionIds]}::uuid[])`);
  if (workspaceId !== undefined) parts.push(Prisma.sql`e.workspace_id = ${workspaceId}::uuid`);
  if (workflowId !== undefined) parts.push(Prisma.sql`e.workflow_id = ${workflowId}::uuid`);
  if (statuses !== undefined) parts.push(Prisma.sql`e.status = ANY(${[...statuses]}::execution_status[])`);
  if (createdFrom !== undefined) parts.push(Prisma.sql`e.created_at >= ${createdFrom}::timestamptz`);
  if (createdTo !== undefined) parts.push(Prisma.sql`e.created_at <= ${createdTo}::timestamptz`);
  return Prisma.join(parts, ' AND ');
}
