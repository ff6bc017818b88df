import { DeckhandError, type WorkflowSchedule } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { readDatabaseTime } from '../database-time.js';
import { lockWorkflow } from '../workflows/lock.js';
import { toWorkflowSchedule } from '../workflows/read.js';
import type { FirstDue } from './sync.js';

interface ScheduleKey {
  readonly workflowId: string;
  readonly nodeId: string;
}

/**
 * Pauses a schedule, and returns it. Pausing a paused one changes nothing.
 *
 * The race it excludes: a time that is being fired. Both write the schedule's row, so its run either exists before this
 * commits, or never starts.
 * @throws DeckhandError NOT_FOUND; FORBIDDEN below the role editor.
 */
export function pauseSchedule(
  db: Database,
  actor: Actor,
  { workflowId, nodeId }: ScheduleKey,
): Promise<WorkflowSchedule> {
  return db.$transaction(async (tx) => {
    const { workspaceId } = await lockWorkflow(tx, actor, workflowId, 'editor');
    const schedule = await tx.schedule.findUnique({ where: { workflowId_nodeId: { workflowId, nodeId } } });
    if (!schedule) throw noSuchSchedule();
    if (schedule.pausedAt !== null) return toWorkflowSchedule(schedule);
    const pausedAt = new Date(await readDatabaseTime(tx));
    const changed = await tx.schedule.update({
      where: { workflowId_nodeId: { workflowId, nodeId } },
      data: { pausedAt, pausedBy: actor.userId, nextFireAt: null, nextCheckAt: null, blockedBy: null },
    });
    await recordChange(tx, actor, {
      action: 'schedule.pause',
      workspaceId,
      resourceId: workflowId,
      details: { nodeId },
    });
    return toWorkflowSchedule(changed);
  });
}

/**
 * Resumes a schedule, and returns it. Its next time is after now, by the database's clock; times during the pause are
 * not caught up. Resuming one that is not paused changes nothing.
 * @throws DeckhandError NOT_FOUND; FORBIDDEN below the role editor.
 */
export function resumeSchedule(
  db: Database,
  actor: Actor,
  { workflowId, nodeId }: ScheduleKey,
  firstDue: FirstDue,
): Promise<WorkflowSchedule> {
  return db.$transaction(async (tx) => {
    const { workspaceId, status } = await lockWorkflow(tx, actor, workflowId, 'editor');
    const schedule = await tx.schedule.findUnique({ where: { workflowId_nodeId: { workflowId, nodeId } } });
    if (!schedule) throw noSuchSchedule();
    if (schedule.pausedAt === null) return toWorkflowSchedule(schedule);
    const nextFireAt = status === 'active' ? firstDue(schedule, await readDatabaseTime(tx)) : null;
    const changed = await tx.schedule.update({
      where: { workflowId_nodeId: { workflowId, nodeId } },
      data: { pausedAt: null, pausedBy: null, nextFireAt, nextCheckAt: nextFireAt },
    });
    await recordChange(tx, actor, {
      action: 'schedule.resume',
      workspaceId,
      resourceId: workflowId,
      details: { nodeId },
    });
    return toWorkflowSchedule(changed);
  });
}

function noSuchSchedule(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'The active version has no such schedule' });
}
