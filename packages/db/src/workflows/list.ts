import type { ListWorkflowsQuery, PageOf, WorkflowEntry } from '@deckhand/contracts';
import { type Actor, requireRole, visibleWorkspace } from '../access.js';
import type { Database, Prisma } from '../client.js';
import { pageRange, toPage } from '../paging.js';
import { toWorkflowEntry } from './entry.js';
import { inFolder } from './in-folder.js';

/**
 * Lists the workflows of a workspace, the one that changed last first. @throws DeckhandError FORBIDDEN for no member;
 * WORKSPACE_MISMATCH.
 */
export async function listWorkflows(
  db: Database,
  actor: Actor,
  query: ListWorkflowsQuery,
): Promise<PageOf<WorkflowEntry>> {
  await requireRole(db, actor, query.workspaceId, 'viewer');
  const where: Prisma.WorkflowWhereInput = {
    workspace: { AND: [{ id: query.workspaceId }, visibleWorkspace(actor)] },
    ...(query.status === undefined ? {} : { status: query.status }),
    ...(await inFolder(db, query)),
    ...(query.search === undefined ? {} : { OR: [{ name: like(query.search) }, { description: like(query.search) }] }),
  };
  const rows = await db.workflow.findMany({
    where,
    orderBy: [{ updatedAt: 'desc' }, { id: 'desc' }],
    ...pageRange(query),
  });
  return toPage(query, rows, toWorkflowEntry, () => db.workflow.count({ where }));
}

/** Prisma does not escape the pattern characters of LIKE in a person's input. */
function like(text: string) {
  return { contains: text.replaceAll(/[\\%_]/g, '\\$&'), mode: 'insensitive' } as const;
}
