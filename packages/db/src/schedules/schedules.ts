import {
  DeckhandError,
  type ListSchedulesQuery,
  type PageOf,
  type Person,
  type ScheduleEntry,
  type WorkflowSchedule,
} from '@deckhand/contracts';
import { type Actor, requirePermission } from '../access.ts';
import { recordChange } from '../audit/record.ts';
import type { Database, Prisma } from '../client.ts';
import { readDatabaseTime } from '../database-time.ts';
import type { Schedule } from '../generated/client.ts';
import { pageRange, toPage } from '../paging.ts';
import { readPeople } from '../users.ts';
import { lockWorkflow } from '../workflows/lock.ts';
import { toWorkflowSchedule } from '../workflows/workflows.ts';
import type { FirstDue } from './sync.ts';

type Row = Schedule & { readonly workflow: { readonly name: string } };

/**
 * Lists the schedules of a workspace, the next one first and those without a next time last.
 * @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH.
 */
export async function listSchedules(
  db: Database,
  actor: Actor,
  query: ListSchedulesQuery,
): Promise<PageOf<ScheduleEntry>> {
  const { workspaceId, workflowId, paused } = query;
  await requirePermission(db, actor, workspaceId, 'workflows.read');
  const where: Prisma.ScheduleWhereInput = {
    workflow: { workspaceId },
    ...(workflowId === undefined ? {} : { workflowId }),
    ...(paused === undefined ? {} : { pausedAt: paused ? { not: null } : null }),
  };
  const rows = await db.schedule.findMany({
    where,
    include: { workflow: { select: { name: true } } },
    orderBy: [{ nextFireAt: { sort: 'asc', nulls: 'last' } }, { workflowId: 'asc' }, { nodeId: 'asc' }],
    ...pageRange(query),
  });
  const people = await readPeople(
    db,
    rows.map(({ pausedBy }) => pausedBy),
  );
  return toPage(
    query,
    rows,
    (row) => toEntry(row, people.get(row.pausedBy) ?? null),
    () => db.schedule.count({ where }),
  );
}

function toEntry(row: Row, pausedByUser: Person | null): ScheduleEntry {
  const { workflowId, workflow, maxOverlap, pausedBy } = row;
  return {
    workflowId,
    workflowName: workflow.name,
    ...toWorkflowSchedule(row),
    maxOverlap,
    pausedBy,
    pausedByUser,
  };
}

interface ScheduleKey {
  readonly workflowId: string;
  readonly nodeId: string;
}

/**
 * Pauses a schedule, and returns it. Pausing a paused one changes nothing.
 *
 * Race: a time that is being fired. Both write the schedule's row, so its run either exists before this
 * commits, or never starts.
 * @throws DeckhandError NOT_FOUND; FORBIDDEN without the permission.
 */
export function pauseSchedule(
  db: Database,
  actor: Actor,
  { workflowId, nodeId }: ScheduleKey,
): Promise<WorkflowSchedule> {
  return db.$transaction(async (tx) => {
    const { workspaceId } = await lockWorkflow(tx, actor, workflowId, 'runs.control');
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
 * @throws DeckhandError NOT_FOUND; FORBIDDEN without the permission.
 */
export function resumeSchedule(
  db: Database,
  actor: Actor,
  { workflowId, nodeId }: ScheduleKey,
  firstDue: FirstDue,
): Promise<WorkflowSchedule> {
  return db.$transaction(async (tx) => {
    const { workspaceId, status } = await lockWorkflow(tx, actor, workflowId, 'runs.control');
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
