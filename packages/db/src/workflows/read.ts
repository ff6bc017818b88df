import type { WorkflowEntry, WorkflowSchedule } from '@deckhand/contracts';
import { type Actor, visibleWorkspace } from '../access.js';
import type { Database } from '../client.js';
import type { Schedule } from '../generated/client.js';
import { toWorkflowEntry } from './entry.js';
import { noSuchWorkflow } from './lock.js';

/** A workflow with its latest definition, its webhooks' URL suffixes and the schedules of its active version. */
export interface WorkflowRecord extends WorkflowEntry {
  /** Null without a saved version. */
  readonly definition: unknown;
  readonly webhooks: readonly { readonly nodeId: string; readonly suffix: string }[];
  readonly schedules: readonly WorkflowSchedule[];
}

/** Reads a workflow. @throws DeckhandError NOT_FOUND when the actor may not see it. */
export async function readWorkflow(db: Database, actor: Actor, id: string): Promise<WorkflowRecord> {
  const row = await db.workflow.findFirst({
    where: { id, workspace: visibleWorkspace(actor) },
    include: {
      latestVersion: { select: { definition: true } },
      webhooks: { select: { nodeId: true, suffix: true }, orderBy: { nodeId: 'asc' } },
      schedules: { orderBy: { nodeId: 'asc' } },
    },
  });
  if (!row) throw noSuchWorkflow();
  return {
    ...toWorkflowEntry(row),
    definition: row.latestVersion?.definition ?? null,
    webhooks: row.webhooks,
    schedules: row.schedules.map(toWorkflowSchedule),
  };
}

/** Returns a schedule as responses show it. */
export function toWorkflowSchedule(row: Schedule): WorkflowSchedule {
  const { nodeId, cron, timezone, catchUp, lastExecutionId, blockedBy } = row;
  return {
    nodeId,
    cron,
    timezone,
    catchUp,
    nextFireAt: row.nextFireAt?.toISOString() ?? null,
    lastFireAt: row.lastFireAt?.toISOString() ?? null,
    lastExecutionId,
    blockedBy,
    pausedAt: row.pausedAt?.toISOString() ?? null,
  };
}
