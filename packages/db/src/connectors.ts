import { v7 as uuidv7 } from 'uuid';
import { DeckhandError, type Page, type PageOf } from '@deckhand/contracts';
import { type Actor, requirePermission, visibleWorkspace } from './access.ts';
import { lockNames } from './advisory-locks.ts';
import { recordChange } from './audit/record.ts';
import type { Database } from './client.ts';
import { pageRange, toPage } from './paging.ts';
import { conflictWhenTaken } from './unique.ts';
import { type Place, workspaceOf } from './workflows/lock.ts';

/** Maximum number of connectors of a workspace, each version by itself, and of bytes of all of them. */
const MAX_CONNECTORS = 200;
const MAX_BYTES = 67_108_864;

/** What definitions name a connector by. */
export interface ConnectorName {
  readonly name: string;
  readonly version: string;
}

/** A connector to store. Texts are JSON, and never change. */
export interface NewConnector extends ConnectorName {
  readonly head: string;
  readonly summary: string;
  readonly operations: readonly { readonly id: string; readonly summary: string; readonly action: string }[];
}

/** A connector as lists show it. */
export interface StoredConnector extends ConnectorName {
  readonly summary: string;
  readonly createdAt: Date;
}

/**
 * Stores a connector.
 * @throws DeckhandError FORBIDDEN without the permission; CONFLICT for a version that the workspace has; LIMIT_REACHED.
 */
export function createConnector(
  db: Database,
  actor: Actor,
  workspaceId: string,
  { name, version, head, summary, operations }: NewConnector,
): Promise<StoredConnector> {
  const bytes = [head, summary, ...operations.flatMap((each) => [each.summary, each.action])]
    .map((text) => Buffer.byteLength(text))
    .reduce((sum, length) => sum + length, 0);
  return db
    .$transaction(async (tx) => {
      await requirePermission(tx, actor, workspaceId, 'connectors.change');
      // Two at the same time would both find room for one.
      await lockNames(tx, [`connectors ${workspaceId}`]);
      const stored = await tx.connector.aggregate({ where: { workspaceId }, _count: true, _sum: { bytes: true } });
      if (stored._count >= MAX_CONNECTORS || (stored._sum.bytes ?? 0) + bytes > MAX_BYTES) {
        const message = `A workspace has at most ${MAX_CONNECTORS} versions of connectors, and ${MAX_BYTES.toLocaleString('en')} bytes of them: delete some first`;
        throw new DeckhandError('LIMIT_REACHED', { message });
      }
      const row = await tx.connector.create({
        data: { id: uuidv7(), workspaceId, name, version, head, summary, bytes, createdBy: actor.userId },
      });
      await tx.$executeRaw`/* connectors.insert-operations */
        INSERT INTO connector_operations (connector_id, operation, position, summary, action)
        SELECT ${row.id}::uuid, o.operation, o.position, o.summary, o.action FROM unnest(
          ${operations.map(({ id }) => id)}::text[], ${operations.map((_each, index) => index)}::int[],
          ${operations.map((each) => each.summary)}::text[], ${operations.map((each) => each.action)}::text[]
        ) AS o (operation, position, summary, action)`;
      await recordChange(tx, actor, {
        action: 'connector.create',
        workspaceId,
        resourceId: row.id,
        details: { name, version },
      });
      return { name, version, summary, createdAt: row.createdAt };
    })
    .catch(
      conflictWhenTaken('The workspace has this version of the connector, which never changes: choose another one'),
    );
}

/**
 * Lists a page of the connectors of a workspace by name, the newest of each first.
 * @param name lists the versions of this one only.
 * @returns the rows of the page, and how many there are on all pages: those that are built in follow them.
 * @throws DeckhandError FORBIDDEN.
 */
export async function listConnectors(
  db: Database,
  actor: Actor,
  workspaceId: string,
  { limit, offset, name }: Pick<Page, 'limit' | 'offset'> & { readonly name?: string },
): Promise<{ readonly rows: StoredConnector[]; readonly count: number }> {
  await requirePermission(db, actor, workspaceId, 'workflows.read');
  const where = {
    workspace: { AND: [{ id: workspaceId }, visibleWorkspace(actor, 'workflows.read')] },
    ...(name !== undefined && { name }),
  };
  const rows = await db.connector.findMany({
    where,
    orderBy: [{ name: 'asc' }, { createdAt: 'desc' }, { id: 'desc' }],
    select: { name: true, version: true, summary: true, createdAt: true },
    ...{ take: limit, skip: offset },
  });
  return { rows, count: await db.connector.count({ where }) };
}

/**
 * Lists a page of the summaries of the operations of a connector, in their order; undefined if the workspace has none
 * of this name and version. @throws DeckhandError FORBIDDEN.
 */
export async function listConnectorOperations<T>(
  db: Database,
  actor: Actor,
  workspaceId: string,
  { name, version }: ConnectorName,
  { page, toEntry }: { readonly page: Page; readonly toEntry: (summary: string) => T },
): Promise<PageOf<T> | undefined> {
  await requirePermission(db, actor, workspaceId, 'workflows.read');
  const connector = await db.connector.findFirst({
    where: { name, version, workspace: { AND: [{ id: workspaceId }, visibleWorkspace(actor, 'workflows.read')] } },
    select: { id: true },
  });
  if (!connector) return undefined;
  const where = { connectorId: connector.id };
  const rows = await db.connectorOperation.findMany({
    where,
    orderBy: { position: 'asc' },
    select: { summary: true },
    ...pageRange(page),
  });
  return toPage(
    page,
    rows,
    ({ summary }) => toEntry(summary),
    () => db.connectorOperation.count({ where }),
  );
}

/**
 * Deletes a connector with its operations. Nodes that call one of them fail from then on.
 * @throws DeckhandError NOT_FOUND; FORBIDDEN without the permission.
 */
export function deleteConnector(
  db: Database,
  actor: Actor,
  workspaceId: string,
  { name, version }: ConnectorName,
): Promise<void> {
  return db.$transaction(async (tx) => {
    await requirePermission(tx, actor, workspaceId, 'connectors.change');
    const where = {
      name,
      version,
      workspace: { AND: [{ id: workspaceId }, visibleWorkspace(actor, 'connectors.change')] },
    };
    const row = await tx.connector.findFirst({ where, select: { id: true } });
    const { count } = row ? await tx.connector.deleteMany({ where: { ...where, id: row.id } }) : { count: 0 };
    if (!row || count === 0) throw new DeckhandError('NOT_FOUND', { message: 'No such connector' });
    const details = { name, version };
    await recordChange(tx, actor, { action: 'connector.delete', workspaceId, resourceId: row.id, details });
  });
}

/** Reads the connector of a workspace without its operations, as JSON; undefined without one. */
export async function readConnectorHead(
  db: Database,
  workspaceId: string,
  { name, version }: ConnectorName,
): Promise<string | undefined> {
  const row = await db.connector.findFirst({ where: { workspaceId, name, version }, select: { head: true } });
  return row?.head;
}

/** Creates the reader of operations for nodes. */
export function createConnectorStore(db: Database) {
  return {
    findId: (
      workspaceId: string,
      { connector: name, version, operation }: { connector: string; version: string; operation: string },
    ) => findConnectorId(db, workspaceId, { name, version }, operation),
    read: (id: string, operation: string) => readConnectorOperation(db, id, operation),
  };
}

/** Returns the workspace of a definition; undefined if the actor may not see it. */
export async function findPlace(db: Database, actor: Actor, place: Place): Promise<string | undefined> {
  const found = await db.workspace.findFirst({ where: workspaceOf(place, actor), select: { id: true } });
  return found?.id;
}

/** Returns the id of the connector of a workspace that has an operation. An id is not used again. */
export async function findConnectorId(
  db: Database,
  workspaceId: string,
  { name, version }: ConnectorName,
  operation: string,
): Promise<string | undefined> {
  // Served by the unique index on workspace, name and version, and by the primary key of operations.
  const [row] = await db.$queryRaw<{ id: string }[]>`/* connectors.find */
    SELECT c.id FROM connectors c JOIN connector_operations o ON o.connector_id = c.id AND o.operation = ${operation}
    WHERE c.workspace_id = ${workspaceId}::uuid AND c.name = ${name} AND c.version = ${version}`;
  return row?.id;
}

/** Reads an operation of a connector; undefined if that was deleted. */
export async function readConnectorOperation(
  db: Database,
  id: string,
  operation: string,
): Promise<{ readonly head: string; readonly action: string } | undefined> {
  const row = await db.connectorOperation.findUnique({
    where: { connectorId_operation: { connectorId: id, operation } },
    select: { action: true, connector: { select: { head: true } } },
  });
  return row ? { head: row.connector.head, action: row.action } : undefined;
}
