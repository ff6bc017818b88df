import {
  type AuditLogEntry,
  isJsonObject,
  type ListAuditLogQuery,
  type ListInstanceAuditLogQuery,
  type PageOf,
} from '@deckhand/contracts';
import { type Actor, requireRole } from '../access.js';
import { requireAdministrator } from '../admin.js';
import type { Database, Prisma } from '../client.js';
import type { AuditEntry } from '../generated/client.js';
import { pageRange, toPage } from '../paging.js';
import { readPeople } from '../users.js';

/**
 * Lists the changes in a workspace, the latest first. Every member may read them.
 * @throws DeckhandError FORBIDDEN unless the actor is a member; WORKSPACE_MISMATCH.
 */
export async function listChanges(
  db: Database,
  actor: Actor,
  query: ListAuditLogQuery,
): Promise<PageOf<AuditLogEntry>> {
  await requireRole(db, actor, query.workspaceId, 'viewer');
  return list(db, query);
}

/**
 * Lists the changes in the whole instance, including deleted workspaces and changes that belong to no workspace.
 * @throws DeckhandError FORBIDDEN unless the actor is an instance administrator.
 */
export async function listInstanceChanges(
  db: Database,
  actor: Actor,
  query: ListInstanceAuditLogQuery,
): Promise<PageOf<AuditLogEntry>> {
  await requireAdministrator(db, actor);
  return list(db, query);
}

async function list(db: Database, query: ListInstanceAuditLogQuery): Promise<PageOf<AuditLogEntry>> {
  const { workspaceId, action, resourceType, resourceId, userId } = query;
  const where: Prisma.AuditEntryWhereInput = {
    ...(workspaceId === undefined ? {} : { workspaceId }),
    ...(action === undefined ? {} : { action }),
    ...(resourceType === undefined ? {} : { resourceType }),
    ...(resourceId === undefined ? {} : { resourceId }),
    ...(userId === undefined ? {} : { userId }),
  };
  const rows = await db.auditEntry.findMany({
    where,
    orderBy: [{ at: 'desc' }, { id: 'desc' }],
    ...pageRange(query),
  });
  const names = await readNames(db, rows);
  return toPage(
    query,
    rows,
    (row) => toEntry(row, names),
    () => db.auditEntry.count({ where }),
  );
}

interface Names {
  readonly people: Awaited<ReturnType<typeof readPeople>>;
  readonly keys: ReadonlyMap<string, string>;
}

async function readNames(db: Database, rows: readonly AuditEntry[]): Promise<Names> {
  const keyIds = [...new Set(rows.flatMap(({ apiKeyId }) => apiKeyId ?? []))];
  const [people, keys] = await Promise.all([
    readPeople(
      db,
      rows.map(({ userId }) => userId),
    ),
    db.apiKey.findMany({ where: { id: { in: keyIds } }, select: { id: true, name: true } }),
  ]);
  return {
    people,
    keys: new Map(keys.map(({ id, name }) => [id, name])),
  };
}

function toEntry(row: AuditEntry, { people, keys }: Names): AuditLogEntry {
  const person = people.get(row.userId);
  return {
    id: row.id,
    at: row.at.toISOString(),
    workspaceId: row.workspaceId,
    userId: row.userId,
    userName: person?.name ?? null,
    userEmail: person?.email ?? null,
    apiKeyId: row.apiKeyId,
    apiKeyName: keys.get(row.apiKeyId ?? '') ?? null,
    action: row.action,
    resourceType: row.resourceType,
    resourceId: row.resourceId,
    details: isJsonObject(row.details) ? row.details : {},
    address: row.address,
    requestId: row.requestId,
  };
}
