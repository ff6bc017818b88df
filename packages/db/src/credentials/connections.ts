import {
  type ConnectionEvent,
  type CredentialConnection,
  type CredentialUse,
  DeckhandError,
  type IssuedTokens,
  nextConnectionStatus,
  type StoredConnection,
} from '@deckhand/contracts';
import { type Actor, requirePermission, type System, visibleWorkspace } from '../access.ts';
import { recordChange } from '../audit/record.ts';
import { type Database, Prisma, type Queryable } from '../client.ts';
import type { OAuth2Connection } from '../generated/client.ts';
import { limitSession } from '../session-limits.ts';

/*
 * The connection of an OAuth 2.0 credential: its tokens, and what became of them. Whoever asks the provider for tokens
 * holds the lock of the row meanwhile, so that one process does so at a time, and a refresh token is never used twice.
 * The lock is lost with the process: the next one then finds the tokens of before.
 */

/** The columns that people may see: all except the tokens, which are not read. */
export const SHOWN_CONNECTION = {
  grant: true,
  status: true,
  scopes: true,
  expiresAt: true,
  connectedAt: true,
  refreshedAt: true,
  lastUsedAt: true,
  errorCode: true,
  errorMessage: true,
  failedAt: true,
} as const;

/** Converts a connection to how people see it. */
export function toConnection(row: Pick<OAuth2Connection, keyof typeof SHOWN_CONNECTION>): CredentialConnection {
  const { errorCode, failedAt } = row;
  return {
    grant: row.grant,
    status: row.status,
    scopes: row.scopes,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    connectedAt: row.connectedAt?.toISOString() ?? null,
    refreshedAt: row.refreshedAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    lastError:
      errorCode === null || failedAt === null
        ? null
        : { code: errorCode, message: row.errorMessage ?? '', at: failedAt.toISOString() },
  };
}

/** The columns of a `StoredConnection`, from `oauth2_connections o` and its `credentials c`. */
const STORED_CONNECTION = Prisma.sql`c.workspace_id AS "workspaceId", o."grant", o.status, o.secret AS "sealedTokens",
  coalesce(clock_timestamp() >= o.expires_at - least(interval '60 s', (o.expires_at - o.refreshed_at) / 4), false)
    AS "isDue",
  coalesce(clock_timestamp() >= o.expires_at, false) AS "isExpired",
  (extract(epoch FROM clock_timestamp() - o.refreshed_at) * 1000)::float8 AS "ageMs",
  greatest(coalesce(extract(epoch FROM o.retry_at - clock_timestamp()) * 1000, 0), 0)::float8 AS "pauseMs",
  round(coalesce(extract(epoch FROM o.retry_at - o.failed_at) * 1000, 0))::float8 AS "lastPauseMs",
  CASE WHEN o.error_code IS NOT NULL
    THEN json_build_object('code', o.error_code, 'message', coalesce(o.error_message, '')) END AS error,
  coalesce(o.last_used_at > clock_timestamp() - interval '5 minutes', false) AS "isUseRecorded"`;

/** Reads the connection of a credential; undefined if it was deleted. */
export async function readConnection(db: Queryable, id: string): Promise<StoredConnection | undefined> {
  const [row] = await db.$queryRaw<StoredConnection[]>`
    SELECT ${STORED_CONNECTION} FROM oauth2_connections o JOIN credentials c ON c.id = o.id WHERE o.id = ${id}::uuid`;
  return row;
}

/** A connection whose row is locked, with the configuration of its credential. */
export interface LockedConnection extends StoredConnection {
  /** A JWE of the `OAuth2Secret`. */
  readonly sealedSecret: string;
}

/**
 * How long the provider may take to respond while a row is locked, in ms. Who deletes the credential waits for as long,
 * and PostgreSQL ends waits for a lock after ten seconds.
 */
export const PROVIDER_LIMIT_MS = 8_000;
const LOCK_LIMITS = { idle_in_transaction_session_timeout: PROVIDER_LIMIT_MS + 4_000 };
const TRANSACTION_LIMIT_MS = PROVIDER_LIMIT_MS + 6_000;

/** What became of an attempt to change a connection: `busy` if another process has its lock. */
export type ConnectionChange =
  | { readonly kind: 'done'; readonly connection: StoredConnection }
  | { readonly kind: 'busy' }
  | { readonly kind: 'gone' };

/**
 * Locks the row of a connection, lets `decide` ask the provider, and writes what happened. Does not wait for the lock:
 * a hundred callers at the moment of expiry would each hold a database connection meanwhile.
 * @param decide gets the row as it is under the lock. It takes at most `PROVIDER_LIMIT_MS`, and returns undefined to
 * change nothing.
 */
export function changeConnection(
  db: Database,
  id: string,
  decide: (current: LockedConnection) => Promise<ConnectionEvent | undefined>,
): Promise<ConnectionChange> {
  return db.$transaction(
    async (tx) => {
      await limitSession(tx, LOCK_LIMITS);
      const locked = await tx.$queryRaw<unknown[]>`
        SELECT 1 FROM oauth2_connections WHERE id = ${id}::uuid FOR NO KEY UPDATE SKIP LOCKED`;
      // A statement of its own: its snapshot has what the last holder of the lock has written.
      const current = await readWithSecret(tx, id);
      if (!current) return { kind: 'gone' };
      if (locked.length === 0) return { kind: 'busy' };
      const event = await decide(current);
      if (event) await applyEvent(tx, { userId: null }, id, event);
      return { kind: 'done', connection: (event && (await readConnection(tx, id))) ?? current };
    },
    { timeout: TRANSACTION_LIMIT_MS },
  );
}

async function readWithSecret(tx: Queryable, id: string): Promise<LockedConnection | undefined> {
  const [row] = await tx.$queryRaw<LockedConnection[]>`
    SELECT ${STORED_CONNECTION}, c.secret AS "sealedSecret"
    FROM oauth2_connections o JOIN credentials c ON c.id = o.id WHERE o.id = ${id}::uuid`;
  return row;
}

/** Writes an event and its record in the audit log. The caller has locked the row, or the credential's. */
export async function applyEvent(
  tx: Queryable,
  actor: Actor | System,
  id: string,
  event: ConnectionEvent,
): Promise<void> {
  const found = await tx.oAuth2Connection.findUnique({
    where: { id },
    select: { status: true, credential: { select: { name: true, workspaceId: true } } },
  });
  if (!found) return;
  const { status, action } = nextConnectionStatus(found.status, event.kind);
  await tx.$executeRaw`
    UPDATE oauth2_connections SET status = ${status}::connection_status, ${columnsOf(event)} WHERE id = ${id}::uuid`;
  if (action === undefined) return;
  const { name, workspaceId } = found.credential;
  const error = event.kind === 'refused' ? event.error.code : null;
  await recordChange(tx, actor, {
    action,
    workspaceId,
    resourceId: id,
    details: { name, ...(error !== null && { error }) },
  });
}

function columnsOf(event: ConnectionEvent): Prisma.Sql {
  switch (event.kind) {
    case 'connected':
    case 'refreshed': {
      const { sealedTokens, lifetimeMs, scopes } = event;
      const isNew = event.kind === 'connected' ? Prisma.sql`true` : Prisma.sql`status <> 'connected'`;
      return Prisma.sql`secret = ${sealedTokens}, scopes = ${scopes},
        refreshed_at = clock_timestamp(), expires_at = clock_timestamp() + ${lifetimeMs}::float8 * interval '1 ms',
        connected_at = CASE WHEN ${isNew} THEN clock_timestamp() ELSE connected_at END,
        error_code = NULL, error_message = NULL, failed_at = NULL, retry_at = NULL`;
    }
    case 'refused':
    case 'failed': {
      const pauseMs = event.kind === 'failed' ? event.pauseMs : 0;
      return Prisma.sql`error_code = ${event.error.code}, error_message = ${event.error.message},
        failed_at = clock_timestamp(), retry_at = clock_timestamp() + ${pauseMs}::float8 * interval '1 ms'`;
    }
    case 'reset':
      return Prisma.sql`secret = NULL, scopes = '{}', expires_at = NULL, connected_at = NULL, refreshed_at = NULL,
        error_code = NULL, error_message = NULL, failed_at = NULL, retry_at = NULL`;
  }
}

/** Records that a connection was used, unless that was done within five minutes. */
export async function touchConnection(db: Database, id: string): Promise<void> {
  await db.$executeRaw`
    UPDATE oauth2_connections SET last_used_at = clock_timestamp() WHERE id = (
      SELECT id FROM oauth2_connections WHERE id = ${id}::uuid
        AND (last_used_at IS NULL OR last_used_at < clock_timestamp() - interval '5 minutes')
      FOR NO KEY UPDATE SKIP LOCKED)`;
}

/**
 * Lists workflows whose active or latest version names a credential, at most 100, by name.
 * @throws DeckhandError NOT_FOUND when the actor may not see the credential.
 */
export async function listCredentialUses(db: Database, actor: Actor, id: string): Promise<CredentialUse[]> {
  const credential = await db.credential.findFirst({
    where: { id, workspace: visibleWorkspace(actor, 'workflows.read') },
    select: { workspaceId: true },
  });
  if (!credential) throw new DeckhandError('NOT_FOUND', { message: 'No such credential' });
  // Definitions are text in their tables: each of the workspace's current versions is read once.
  return db.$queryRaw<CredentialUse[]>`
    SELECT w.id AS "workflowId", w.name FROM workflows w
    WHERE w.workspace_id = ${credential.workspaceId}::uuid AND EXISTS (
      SELECT 1 FROM workflow_versions v WHERE v.id IN (w.latest_version_id, w.active_version_id)
        AND position(${id.toLowerCase()} IN lower(v.definition::text)) > 0)
    ORDER BY w.name, w.id LIMIT 100`;
}

/** A credential that a person is about to connect. */
export interface ConnectableCredential {
  readonly workspaceId: string;
  readonly name: string;
  /** A JWE of the `OAuth2Secret`. */
  readonly sealedSecret: string;
}

/**
 * Finds an OAuth 2.0 credential that the actor may connect: whoever may replace its secret.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN; INVALID_STATE for one of another type.
 */
export async function findConnectable(db: Queryable, actor: Actor, id: string): Promise<ConnectableCredential> {
  const row = await db.credential.findFirst({
    where: { id, workspace: visibleWorkspace(actor, 'workflows.read') },
    select: { workspaceId: true, name: true, secret: true, type: true, visibility: true, ownerId: true },
  });
  if (!row) throw new DeckhandError('NOT_FOUND', { message: 'No such credential' });
  await requirePermission(db, actor, row.workspaceId, 'credentials.change');
  if (row.visibility === 'private' && row.ownerId !== actor.userId)
    throw new DeckhandError('FORBIDDEN', { message: 'Only its owner may connect a private credential' });
  if (row.type !== 'oauth2')
    throw new DeckhandError('INVALID_STATE', { message: 'Only credentials of the type oauth2 are connected' });
  return { workspaceId: row.workspaceId, name: row.name, sealedSecret: row.secret };
}

/**
 * Stores the tokens that a person obtained for a credential. Waits while a refresh is in progress.
 * @param sealedSecret the configuration that they were requested with.
 * @throws DeckhandError as `findConnectable` does; CONFLICT if the credential was configured anew meanwhile.
 */
export function storeConnection(
  db: Database,
  actor: Actor,
  id: string,
  { sealedSecret, tokens }: { readonly sealedSecret: string; readonly tokens: IssuedTokens },
): Promise<void> {
  return db.$transaction(async (tx) => {
    // First, as changes of the credential lock the two. The test was that of other tokens.
    await tx.$executeRaw`UPDATE credentials SET last_test = NULL WHERE id = ${id}::uuid`;
    await tx.$queryRaw`SELECT 1 FROM oauth2_connections WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
    const current = await findConnectable(tx, actor, id);
    if (current.sealedSecret !== sealedSecret)
      throw new DeckhandError('CONFLICT', { message: 'The credential was changed meanwhile: connect it again' });
    await applyEvent(tx, actor, id, { kind: 'connected', ...tokens });
  });
}
