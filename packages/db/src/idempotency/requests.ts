import { v7 as uuidv7 } from 'uuid';
import { type Database, Prisma, type Queryable } from '../client.ts';

/** Identifies a request, so that a repeated one is recognised. */
export interface RequestIdentity {
  /** The caller: it never gets the response to another caller's request. */
  readonly caller: string;
  readonly path: string;
  /** The caller's Idempotency-Key. */
  readonly key: string;
  /** SHA-256 of the body, hex: the same key with another body is an error. */
  readonly bodyHash: string;
}

/** A stored response. */
export interface KeptResponse {
  readonly status: number;
  readonly json: string;
  /** Its ETag; null without one. */
  readonly etag: string | null;
}

/**
 * Whether a request may be processed: `reserved` for this attempt, with its token; `done` before, with the response;
 * `lost`: done, but the process died before it stored the response; `inProgress` in another attempt; `otherBody`: the
 * key belongs to another request.
 */
export type Reservation =
  | { readonly kind: 'reserved'; readonly token: string }
  | { readonly kind: 'done'; readonly response: KeptResponse; readonly workspaceId: string | null }
  | { readonly kind: 'lost'; readonly workspaceId: string | null; readonly resourceId: string | null }
  | { readonly kind: 'inProgress' }
  | { readonly kind: 'otherBody' };

/** How long a response is stored. */
const LIFETIME = Prisma.sql`interval '24 hours'`;
/** After this time, the process of a request without a response counts as dead. */
const PATIENCE = Prisma.sql`interval '20 seconds'`;

interface Row {
  readonly bodyHash: string;
  readonly hasActed: boolean;
  readonly workspaceId: string | null;
  readonly resourceId: string | null;
  readonly status: number | null;
  readonly response: string | null;
  readonly etag: string | null;
  readonly isOld: boolean;
}

/** Reserves a request for one attempt, unless it was made before. */
export async function reserveRequest(db: Database, identity: RequestIdentity): Promise<Reservation> {
  const { caller, path, key, bodyHash } = identity;
  const token = uuidv7();
  for (;;) {
    const reserved = await db.$executeRaw`/* idempotency.reserve */
      INSERT INTO idempotent_requests AS r (caller, path, key, body_hash, token, started_at)
      VALUES (${caller}, ${path}, ${key}, ${bodyHash}, ${token}::uuid, now())
      ON CONFLICT (caller, path, key) DO UPDATE SET body_hash = EXCLUDED.body_hash, token = EXCLUDED.token,
        started_at = EXCLUDED.started_at, has_acted = false, workspace_id = NULL, resource_id = NULL, status = NULL,
        response = NULL, etag = NULL
      WHERE r.started_at < now() - ${LIFETIME}
        OR (NOT r.has_acted AND r.status IS NULL AND r.started_at < now() - ${PATIENCE})`;
    if (reserved > 0) return { kind: 'reserved', token };
    const [row] = await db.$queryRaw<Row[]>`/* idempotency.find */
      SELECT body_hash AS "bodyHash", has_acted AS "hasActed", workspace_id AS "workspaceId",
        resource_id AS "resourceId", status, response, etag, started_at < now() - ${PATIENCE} AS "isOld"
      FROM idempotent_requests WHERE caller = ${caller} AND path = ${path} AND key = ${key}`;
    // It was released in between.
    if (!row) continue;
    if (row.bodyHash !== bodyHash) return { kind: 'otherBody' };
    const { status, response, etag, workspaceId, resourceId } = row;
    if (status !== null) return { kind: 'done', response: { status, json: response ?? 'null', etag }, workspaceId };
    return row.hasActed && row.isOld ? { kind: 'lost', workspaceId, resourceId } : { kind: 'inProgress' };
  }
}

/**
 * Marks a request as carried out, in the transaction that makes its changes, so that neither exists without the other.
 * @throws Error when another attempt has taken over, so that nothing is done twice.
 */
export async function markRequest(
  tx: Queryable,
  token: string,
  { workspaceId, resourceId }: { readonly workspaceId: string | null; readonly resourceId: string },
): Promise<void> {
  const marked = await tx.$executeRaw`/* idempotency.mark */
    UPDATE idempotent_requests SET has_acted = true, workspace_id = ${workspaceId}::uuid, resource_id = ${resourceId}
    WHERE token = ${token}::uuid`;
  if (marked === 0) throw new Error('another attempt has taken the request over');
}

/** Stores the response of a request that was carried out. */
export async function finishRequest(db: Database, token: string, { status, json, etag }: KeptResponse): Promise<void> {
  await db.$executeRaw`/* idempotency.finish */
    UPDATE idempotent_requests SET status = ${status}, response = ${json}, etag = ${etag} WHERE token = ${token}::uuid`;
}

/** Releases the key of a refused request. The key of a request that was carried out stays. */
export async function releaseRequest(db: Database, token: string): Promise<void> {
  await db.$executeRaw`/* idempotency.release */
    DELETE FROM idempotent_requests WHERE token = ${token}::uuid AND NOT has_acted`;
}

/** Deletes expired requests. @returns how many. */
export function pruneRequests(db: Database, limit: number): Promise<number> {
  return db.$executeRaw`/* idempotency.prune */
    DELETE FROM idempotent_requests WHERE token IN (
      SELECT token FROM idempotent_requests WHERE started_at < now() - ${LIFETIME}
      ORDER BY started_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
}
