import type { ExecutionStatus } from '@deckhand/contracts';
import { type Database, Prisma } from '../client.js';

/** A run as it is shown to an operator. */
export interface RunSummary {
  readonly executionId: string;
  readonly workspaceName: string;
  readonly workflowName: string;
  readonly status: ExecutionStatus;
  readonly createdAt: Date;
}

/** Describes runs in the order of the given ids; deleted ones are left out. */
export async function describeRuns(db: Database, executionIds: readonly string[]): Promise<RunSummary[]> {
  return db.$queryRaw<RunSummary[]>(Prisma.sql`
    SELECT e.id AS "executionId", s.name AS "workspaceName", w.name AS "workflowName", e.status::text AS status,
      e.created_at AS "createdAt"
    FROM unnest(${[...executionIds]}::uuid[]) WITH ORDINALITY AS given(id, place)
    JOIN executions e ON e.id = given.id JOIN workflows w ON w.id = e.workflow_id JOIN workspaces s ON s.id = e.workspace_id
    ORDER BY given.place`);
}
