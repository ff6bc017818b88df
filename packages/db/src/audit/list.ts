import {
  type AuditLogEntry,
  isJsonObject,
  type ListAuditLogQuery,
  type ListInstanceAuditLogQuery,
  type PageOf,
} from '@deckhand/contracts';
import { type Actor, requirePermission } from '../access.ts';
import { requireAdministrator } from '../admin.ts';
import type { Database, Prisma } from '../client.ts';
import type { AuditEntry } from '../generated/client.ts';
import { pageRange, toPage } from '../paging.ts';
import { readPeople } from '../users.ts';

/**
 * Lists the changes in a workspace, the latest first. Every member may read them.
 * @throws DeckhandError FORBIDDEN unless the actor is a member; WORKSPACE_MISMATCH.
 */
export async function listChanges(
  db: Database,
  actor: Actor,
  query: ListAuditLogQuery,
): Promise<PageOf<AuditLogEntry>> {
  await requirePermission(db, actor, query.workspaceId, 'workspace.read');
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
    // A change that several workspaces list is one of the instance.
    ...(workspaceId === undefined ? { isCopy: false } : { workspaceId }),
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
  /** Names of the changed resources that still exist, by id. */
  readonly resources: ReadonlyMap<string, string>;
}

interface Named {
  readonly id: string;
  readonly name: string;
}
type NamesOf = (db: Database, ids: string[]) => Promise<Named[]>;

const select = { id: true, name: true } as const;

/** Reads the names of resources, by their type in the log. */
const NAMES: ReadonlyMap<string, NamesOf> = new Map<string, NamesOf>([
  ['apiKey', (db, ids) => db.apiKey.findMany({ where: { id: { in: ids } }, select })],
  ['credential', (db, ids) => db.credential.findMany({ where: { id: { in: ids } }, select })],
  ['folder', (db, ids) => db.folder.findMany({ where: { id: { in: ids } }, select })],
  ['variable', (db, ids) => db.variable.findMany({ where: { id: { in: ids } }, select })],
  ['workflow', (db, ids) => db.workflow.findMany({ where: { id: { in: ids } }, select })],
  ['workspace', (db, ids) => db.workspace.findMany({ where: { id: { in: ids } }, select })],
]);

async function readResourceNames(db: Database, rows: readonly AuditEntry[]): Promise<ReadonlyMap<string, string>> {
  const read = async ([type, namesOf]: [string, NamesOf]): Promise<Named[]> => {
    const ids = new Set(rows.flatMap((row) => (row.resourceType === type ? (row.resourceId ?? []) : [])));
    return ids.size === 0 ? [] : namesOf(db, [...ids]);
  };
  const found = await Promise.all([...NAMES].map(read));
  return new Map(found.flat().map(({ id, name }) => [id, name]));
}

async function readNames(db: Database, rows: readonly AuditEntry[]): Promise<Names> {
  const keyIds = [...new Set(rows.flatMap(({ apiKeyId }) => apiKeyId ?? []))];
  const [people, keys, resources] = await Promise.all([
    readPeople(
      db,
      rows.map(({ userId }) => userId),
    ),
    db.apiKey.findMany({ where: { id: { in: keyIds } }, select }),
    readResourceNames(db, rows),
  ]);
  return {
    people,
    resources,
    keys: new Map(keys.map(({ id, name }) => [id, name])),
  };
}

function toEntry(row: AuditEntry, { people, keys, resources }: Names): AuditLogEntry {
  const details = isJsonObject(row.details) ? row.details : {};
  const lastName = typeof details.name === 'string' ? details.name : null;
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
    resourceName: resources.get(row.resourceId ?? '') ?? lastName,
    details,
    address: row.address,
    requestId: row.requestId,
  };
}
