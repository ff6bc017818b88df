import { DeckhandError, type ExecutionMode, type ExecutionStatus, isFinished, type Role } from '@deckhand/contracts';
import { type Actor, requireRoleOf } from '../access.js';
import { type Database, Prisma } from '../client.js';

/** What a rerun takes over from its original. */
export interface RerunOrigin {
  readonly workflowId: string;
  readonly triggerNodeId: string;
  readonly executionMode: ExecutionMode;
  /** Serialised JSON. */
  readonly triggerData: string;
}

/**
 * Reads what is needed to run a finished run again.
 * @throws DeckhandError NOT_FOUND when the actor may not see it, FORBIDDEN for a viewer, EXECUTION_NOT_FINISHED,
 * TRIGGER_DATA_GONE.
 */
export async function readForRerun(db: Database, actor: Actor, executionId: string): Promise<RerunOrigin> {
  const [run] = await db.$queryRaw<
    (Omit<RerunOrigin, 'triggerData'> & { triggerData: string | null; status: ExecutionStatus; role: Role })[]
  >(Prisma.sql`
    SELECT e.workflow_id AS "workflowId", e.trigger_node_id AS "triggerNodeId",
      e.execution_mode::text AS "executionMode", e.trigger_data AS "triggerData", e.status::text, m.role::text
    FROM executions e
    JOIN memberships m ON m.workspace_id = e.workspace_id AND m.user_id = ${actor.userId}::uuid
    WHERE e.id = ${executionId}::uuid
      AND (${actor.boundTo}::uuid IS NULL OR e.workspace_id = ${actor.boundTo}::uuid)`);
  if (!run) throw new DeckhandError('NOT_FOUND', { message: 'There is no such run' });
  requireRoleOf(run.role, 'editor');
  if (!isFinished(run.status)) throw new DeckhandError('EXECUTION_NOT_FINISHED');
  const { workflowId, triggerNodeId, executionMode, triggerData } = run;
  if (triggerData === null) throw new DeckhandError('TRIGGER_DATA_GONE');
  return { workflowId, triggerNodeId, executionMode, triggerData };
}
