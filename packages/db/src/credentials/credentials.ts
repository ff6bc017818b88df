import { v7 as uuidv7 } from 'uuid';
import {
  compileCheck,
  type CredentialEntry,
  type CredentialLimits,
  CredentialTest,
  type CredentialType,
  DeckhandError,
  type InWorkspaceQuery,
  roleMay,
  type OAuth2Grant,
  type PageOf,
  type Permission,
  validationFailed,
} from '@deckhand/contracts';
import {
  type Actor,
  type AllowedStates,
  changedMeanwhile,
  inState,
  requirePermission,
  visibleWorkspace,
} from '../access.ts';
import { recordChange } from '../audit/record.ts';
import { type Database, Prisma, type Queryable } from '../client.ts';
import type { Credential, OAuth2Connection } from '../generated/client.ts';
import { pageRange, toPage } from '../paging.ts';
import { applyEvent, SHOWN_CONNECTION, toConnection } from './connections.ts';
import { readCircuit, readRateLimit } from './sealed-credentials.ts';

/** The columns that people may see: all except the secret, which is not read. */
const COLUMNS = {
  id: true,
  workspaceId: true,
  name: true,
  type: true,
  ownerId: true,
  visibility: true,
  allowedHosts: true,
  allowedWorkflowIds: true,
  rateLimit: true,
  circuit: true,
  lastTest: true,
  createdAt: true,
  updatedAt: true,
} as const;

const SHOWN = { ...COLUMNS, connection: { select: SHOWN_CONNECTION } } as const;

/**
 * Lists the credentials of a workspace by name.
 * @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH.
 */
export async function listCredentials(
  db: Database,
  actor: Actor,
  query: InWorkspaceQuery,
): Promise<PageOf<CredentialEntry>> {
  await requirePermission(db, actor, query.workspaceId, 'workflows.read');
  const where = { workspace: { AND: [{ id: query.workspaceId }, visibleWorkspace(actor, 'workflows.read')] } };
  const orderBy = [{ name: 'asc' as const }, { id: 'asc' as const }];
  const rows = await db.credential.findMany({ where, select: SHOWN, orderBy, ...pageRange(query) });
  return toPage(query, rows, toCredentialEntry, () => db.credential.count({ where }));
}

/** Reads a credential, without its secret. @throws DeckhandError NOT_FOUND when the actor may not see it. */
export function readCredential(db: Database, actor: Actor, id: string): Promise<CredentialEntry> {
  return findCredential(db, actor, id, 'workflows.read');
}

/**
 * Finds a credential for an actor who needs a role in its workspace.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN when its role lacks the permission.
 */
async function findCredential(db: Queryable, actor: Actor, id: string, needed: Permission): Promise<CredentialEntry> {
  const row = await db.credential.findFirst({
    where: { id, workspace: visibleWorkspace(actor, 'workflows.read') },
    select: SHOWN,
  });
  if (!row) throw noSuchCredential();
  await requirePermission(db, actor, row.workspaceId, needed);
  return toCredentialEntry(row);
}

/** Returns the error for a credential that does not exist or is not visible. */
function noSuchCredential(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'No such credential' });
}

/**
 * Reads the encrypted secret of a credential that an editor is about to change, and when that was changed last.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission.
 */
export async function readSecretToChange(
  db: Database,
  actor: Actor,
  id: string,
): Promise<{ readonly sealedSecret: string; readonly updatedAt: Date }> {
  await findCredential(db, actor, id, 'credentials.change');
  const row = await db.credential.findUnique({ where: { id }, select: { secret: true, updatedAt: true } });
  if (!row) throw noSuchCredential();
  return { sealedSecret: row.secret, updatedAt: row.updatedAt };
}

/** A credential to store. */
export interface NewCredential extends CredentialLimits {
  readonly workspaceId: string;
  readonly name: string;
  readonly type: CredentialType;
  /** Encrypted already. */
  readonly sealedSecret: string;
  /** Of an OAuth 2.0 credential. */
  readonly grant?: OAuth2Grant | undefined;
}

/**
 * Stores a credential of the actor. Without a visibility, it is shared with the workspace.
 * @throws DeckhandError FORBIDDEN without the permission; VALIDATION_FAILED for a workflow of another workspace.
 */
export function createCredential(db: Database, actor: Actor, credential: NewCredential): Promise<CredentialEntry> {
  const { workspaceId, name, type, sealedSecret, grant } = credential;
  return db.$transaction(async (tx) => {
    await requirePermission(tx, actor, workspaceId, 'credentials.change');
    const limits = await toLimitColumns(tx, workspaceId, credential);
    const connection = grant === undefined ? {} : { connection: { create: { grant } } };
    const id = uuidv7();
    const data = { id, workspaceId, name, type, secret: sealedSecret, ownerId: actor.userId, ...limits, ...connection };
    const row = await tx.credential.create({ data, select: SHOWN });
    const details = { name, type, visibility: row.visibility };
    await recordChange(tx, actor, { action: 'credential.create', workspaceId, resourceId: row.id, details });
    return toCredentialEntry(row);
  });
}

/** The parts of a credential that may change. Its type may not, because nodes that use it rely on that. */
export interface CredentialChanges extends CredentialLimits {
  readonly name?: string;
  /** Encrypted already. */
  readonly sealedSecret?: string;
  /** Of the new secret of an OAuth 2.0 credential. */
  readonly grant?: OAuth2Grant | undefined;
}

/**
 * Renames a credential, replaces its secret, or changes who may use it and where. Only its owner may change a private
 * one. Its owner and admins of the workspace may change who uses a shared one, and where.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN; VALIDATION_FAILED for an API key that would
 * be shared, and for workflows of other workspaces; PRECONDITION_FAILED when it is in none of `states`.
 */
export function updateCredential(
  db: Database,
  actor: Actor,
  id: string,
  changes: CredentialChanges,
  states?: AllowedStates,
): Promise<CredentialEntry> {
  const { name, sealedSecret, visibility, grant } = changes;
  return db.$transaction(async (tx) => {
    const current = await findCredential(tx, actor, id, 'credentials.change');
    const { workspaceId } = current;
    await requireMayChange(tx, actor, current, changes);
    if (visibility === 'shared' && (await tx.apiKey.count({ where: { credentialId: id } })) > 0) {
      throw validationFailed([{ path: 'visibility', message: 'an API key is private to its owner' }]);
    }
    const data = {
      ...(name === undefined ? {} : { name }),
      ...(sealedSecret === undefined ? {} : { secret: sealedSecret, lastTest: Prisma.DbNull }),
      ...(await toLimitColumns(tx, workspaceId, changes)),
    };
    // If somebody changed its visibility in the meantime, the checks above no longer hold.
    const workspace = visibleWorkspace(actor, 'credentials.change');
    const where = { id, visibility: current.visibility, workspace, ...inState(states) };
    const { count } = await tx.credential.updateMany({ where, data });
    if (count === 0) throw changedMeanwhile(states, noSuchCredential());
    if (grant !== undefined) {
      // Tokens of the old provider must not reach the new one.
      await applyEvent(tx, actor, id, { kind: 'reset' });
      await tx.oAuth2Connection.update({ where: { id }, data: { grant } });
    }
    const row = await tx.credential.findUniqueOrThrow({ where: { id }, select: SHOWN });
    const details = { changed: Object.keys(data).filter((column) => column !== 'lastTest'), name: row.name };
    await recordChange(tx, actor, { action: 'credential.update', workspaceId, resourceId: id, details });
    return toCredentialEntry(row);
  });
}

async function requireMayChange(
  tx: Queryable,
  actor: Actor,
  { workspaceId, ownerId, visibility }: CredentialEntry,
  changes: CredentialLimits,
): Promise<void> {
  if (ownerId === actor.userId) return;
  const message = 'Only its owner may change a private credential, or make one private';
  if (visibility === 'private' || changes.visibility === 'private') throw new DeckhandError('FORBIDDEN', { message });
  const { allowedHosts, allowedWorkflowIds, rateLimit, circuit } = changes;
  if ([allowedHosts, allowedWorkflowIds, rateLimit, circuit].every((limit) => limit === undefined)) return;
  if (roleMay(await requirePermission(tx, actor, workspaceId, 'credentials.change'), 'credentials.manage')) return;
  throw new DeckhandError('FORBIDDEN', {
    message: 'Its owner and admins say where and how often a credential may be used',
  });
}

/**
 * Deletes a credential. Its owner and admins of the workspace may delete a private one.
 * @returns the encrypted tokens of its connection and what they were requested with, to be revoked.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN.
 */
export function deleteCredential(
  db: Database,
  actor: Actor,
  id: string,
): Promise<{ readonly sealedSecret: string; readonly sealedTokens: string | null }> {
  return db.$transaction(async (tx) => {
    const { workspaceId, name, visibility, ownerId } = await findCredential(tx, actor, id, 'credentials.change');
    if (visibility === 'private' && ownerId !== actor.userId)
      await requirePermission(tx, actor, workspaceId, 'credentials.manage');
    // Waits for a refresh in progress, which brings the tokens to revoke.
    await tx.$queryRaw`SELECT 1 FROM credentials WHERE id = ${id}::uuid FOR UPDATE`;
    await tx.$queryRaw`SELECT 1 FROM oauth2_connections WHERE id = ${id}::uuid FOR UPDATE`;
    const where = { id, workspace: visibleWorkspace(actor, 'credentials.change') };
    const found = await tx.credential.findFirst({
      where,
      select: { secret: true, connection: { select: { secret: true } } },
    });
    const { count } = await tx.credential.deleteMany({ where });
    if (!found || count === 0) throw noSuchCredential();
    const details = { name };
    await recordChange(tx, actor, { action: 'credential.delete', workspaceId, resourceId: id, details });
    return { sealedSecret: found.secret, sealedTokens: found.connection?.secret ?? null };
  });
}

/**
 * Returns the columns that limit the use of a credential. Members that are left out keep their values.
 * @throws DeckhandError VALIDATION_FAILED for a workflow that is not in the workspace.
 */
async function toLimitColumns(
  db: Queryable,
  workspaceId: string,
  { visibility, allowedHosts, allowedWorkflowIds, rateLimit, circuit }: CredentialLimits,
) {
  const ids = allowedWorkflowIds?.map((id) => id.toLowerCase());
  if (ids !== undefined) {
    const found = await db.workflow.findMany({ where: { id: { in: ids }, workspaceId }, select: { id: true } });
    const known = new Set(found.map(({ id }) => id));
    const issues = ids.flatMap((id, index) =>
      known.has(id) ? [] : [{ path: `allowedWorkflowIds[${index}]`, message: 'is not a workflow of this workspace' }],
    );
    if (issues.length > 0) throw validationFailed(issues);
  }
  return {
    ...(visibility === undefined ? {} : { visibility }),
    ...(allowedHosts === undefined ? {} : { allowedHosts: [...(allowedHosts ?? [])] }),
    ...(allowedWorkflowIds === undefined ? {} : { allowedWorkflowIds: ids ?? [] }),
    ...(rateLimit === undefined ? {} : { rateLimit: rateLimit ?? Prisma.DbNull }),
    ...(circuit === undefined ? {} : { circuit: circuit ?? Prisma.DbNull }),
  };
}

const checkTest = compileCheck(CredentialTest);

function readTest(stored: unknown): CredentialTest | null {
  const result = checkTest(stored);
  return 'issues' in result ? null : result.value;
}

/** Converts a credential to its entry in lists. */
function toCredentialEntry(
  row: Pick<Credential, keyof typeof COLUMNS> & {
    readonly connection: Pick<OAuth2Connection, keyof typeof SHOWN_CONNECTION> | null;
  },
): CredentialEntry {
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    name: row.name,
    type: row.type,
    ownerId: row.ownerId,
    visibility: row.visibility,
    allowedHosts: row.allowedHosts.length === 0 ? null : row.allowedHosts,
    allowedWorkflowIds: row.allowedWorkflowIds.length === 0 ? null : row.allowedWorkflowIds,
    rateLimit: readRateLimit(row.rateLimit),
    circuit: readCircuit(row.circuit),
    connection: row.connection && toConnection(row.connection),
    lastTest: readTest(row.lastTest),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
