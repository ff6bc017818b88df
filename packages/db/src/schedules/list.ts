import type { ListSchedulesQuery, PageOf, ScheduleEntry } from '@deckhand/contracts';
import { type Actor, requireRole } from '../access.js';
import type { Database, Prisma } from '../client.js';
import type { Schedule } from '../generated/client.js';
import { pageRange, toPage } from '../paging.js';
import { toWorkflowSchedule } from '../workflows/read.js';

type Row = Schedule & { readonly workflow: { readonly name: string } };
type People = ReadonlyMap<string, { readonly id: string; readonly name: string; readonly email: string }>;

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
  const people = await readPeople(db, rows);
  return toPage(
    query,
    rows,
    (row) => toEntry(row, people),
    () => db.schedule.count({ where }),
  );
}

async function readPeople(db: Database, rows: readonly Schedule[]): Promise<People> {
  const ids = [...new Set(rows.flatMap(({ pausedBy }) => pausedBy ?? []))];
  if (ids.length === 0) return new Map();
  const users = await db.user.findMany({
    where: { id: { in: ids } },
    select: { id: true, name: true, email: true },
  });
  return new Map(users.map((user) => [user.id, user]));
}

function toEntry(row: Row, people: People): ScheduleEntry {
  const { workflowId, workflow, maxOverlap, pausedBy } = row;
  return {
    workflowId,
    workflowName: workflow.name,
    ...toWorkflowSchedule(row),
    maxOverlap,
    pausedBy,
    pausedByUser: people.get(pausedBy ?? '') ?? null,
  };
}
