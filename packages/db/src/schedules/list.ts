import type { ListSchedulesQuery, PageOf, Person, ScheduleEntry } from '@deckhand/contracts';
import { type Actor, requireRole } from '../access.js';
import type { Database, Prisma } from '../client.js';
import type { Schedule } from '../generated/client.js';
import { pageRange, toPage } from '../paging.js';
import { readPeople } from '../users/person.js';
import { toWorkflowSchedule } from '../workflows/read.js';

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
  await requireRole(db, actor, workspaceId, 'viewer');
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
