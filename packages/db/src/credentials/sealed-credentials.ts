import { compileCheck, CredentialCircuit, CredentialRateLimit, type CredentialType } from '@deckhand/contracts';
import type { Actor } from '../access.ts';
import type { Database } from '../client.ts';
import { type Place, workspaceOf } from '../workflows/lock.ts';

/** A version that uses a credential, which decides whether it may. */
export interface CredentialUser {
  readonly workspaceId: string;
  readonly workflowVersionId: string;
}

/** An encrypted credential, for a version that names it. */
export interface SealedCredential {
  readonly type: CredentialType;
  /** A JWE of the secret as JSON. */
  readonly sealedSecret: string;
  /** Whether it contains an API key, which may only be sent to this instance's API. */
  readonly isApiKey: boolean;
  /** Hosts that it may be sent to, as `isAllowedHost` parses them; empty allows any. */
  readonly allowedHosts: readonly string[];
  /** Limits of its requests to each host; null without. */
  readonly rateLimit: CredentialRateLimit | null;
  readonly circuit: CredentialCircuit | null;
  /**
   * Why the version may not use it: it contains an API key that was revoked or has expired (`ended`), it is private to
   * somebody other than the person who saved the version (`private`), or it is limited to other workflows
   * (`otherWorkflow`). Null if the version may use it.
   */
  readonly refusal: 'ended' | 'private' | 'otherWorkflow' | null;
}

/**
 * Reads a credential of a workspace for a version of a workflow. Returns undefined if the workspace has none with this
 * id. An API key is private to its owner whatever its credential says: another author could send it to a server of his
 * own.
 */
export async function readSealedCredential(
  db: Database,
  { workspaceId, workflowVersionId }: CredentialUser,
  id: string,
): Promise<SealedCredential | undefined> {
  // A comparison with null is not true, so a private credential without an owner is refused.
  const [row] = await db.$queryRaw<(SealedCredential & { rateLimit: unknown; circuit: unknown })[]>`
    SELECT c.type, c.rate_limit AS "rateLimit", c.circuit, c.secret AS "sealedSecret", k.id IS NOT NULL AS "isApiKey", 
      coalesce(c.allowed_hosts, '{}') AS "allowedHosts",
      CASE WHEN k.revoked_at IS NOT NULL OR k.expires_at <= now() THEN 'ended'
        WHEN (k.id IS NOT NULL OR c.visibility = 'private')
          AND (coalesce(k.user_id, c.owner_id) = v.created_by) IS NOT TRUE THEN 'private'
        WHEN c.allowed_workflow_ids <> '{}' AND (v.workflow_id = ANY(c.allowed_workflow_ids)) IS NOT TRUE
          THEN 'otherWorkflow' END AS refusal
    FROM credentials c
    LEFT JOIN api_keys k ON k.credential_id = c.id
    LEFT JOIN workflow_versions v ON v.id = ${workflowVersionId}::uuid
    WHERE c.id = ${id}::uuid AND c.workspace_id = ${workspaceId}::uuid`;
  return row && { ...row, rateLimit: readRateLimit(row.rateLimit), circuit: readCircuit(row.circuit) };
}

const checkRateLimit = compileCheck(CredentialRateLimit);
const checkCircuit = compileCheck(CredentialCircuit);

/** Returns the rate limit of a credential as it was stored; null without one. */
export function readRateLimit(stored: unknown): CredentialRateLimit | null {
  const result = checkRateLimit(stored);
  return 'issues' in result ? null : result.value;
}

/** Returns the circuit of a credential as it was stored; null without one. */
export function readCircuit(stored: unknown): CredentialCircuit | null {
  const result = checkCircuit(stored);
  return 'issues' in result ? null : result.value;
}

/** The facts about a credential that saving a definition needs. */
export interface UsableCredential {
  readonly type: CredentialType;
  /** Why a version that the actor saves could not use it; null if it could. */
  readonly refusal: 'private' | 'otherWorkflow' | null;
  readonly rateLimit: CredentialRateLimit | null;
}

/**
 * Reads the facts about the given credentials that exist in a workspace, by id. @param place if the actor may not see
 * it, nothing is found.
 */
export async function readUsableCredentials(
  db: Database,
  actor: Actor,
  place: Place,
  ids: readonly string[],
): Promise<ReadonlyMap<string, UsableCredential>> {
  if (ids.length === 0) return new Map();
  const workflowId = 'workflowId' in place ? place.workflowId : undefined;
  const rows = await db.credential.findMany({
    where: { id: { in: [...ids] }, workspace: workspaceOf(place, actor) },
    select: { id: true, type: true, visibility: true, ownerId: true, allowedWorkflowIds: true, rateLimit: true },
  });
  const keys = await db.apiKey.findMany({
    where: { credentialId: { in: rows.map(({ id }) => id) }, userId: { not: actor.userId } },
    select: { credentialId: true },
  });
  const keysOfOthers = new Set(keys.map(({ credentialId }) => credentialId));
  const refusalOf = (row: (typeof rows)[number]): UsableCredential['refusal'] => {
    if (keysOfOthers.has(row.id) || (row.visibility === 'private' && row.ownerId !== actor.userId)) return 'private';
    const isForAll = row.allowedWorkflowIds.length === 0;
    return isForAll || row.allowedWorkflowIds.some((id) => id === workflowId) ? null : 'otherWorkflow';
  };
  return new Map(
    rows.map((row) => [row.id, { type: row.type, refusal: refusalOf(row), rateLimit: readRateLimit(row.rateLimit) }]),
  );
}

/** The credentials that one key has encrypted. */
export interface CredentialsOfKey {
  /** An encrypted credential, as it is stored: its header names the key. */
  readonly jwe: string;
  readonly credentials: number;
}

/** Counts the credentials of all workspaces by the key that encrypted them. */
export function countCredentialsByKey(db: Database): Promise<CredentialsOfKey[]> {
  // The part of a JWE before its first dot is its header, which is the same for all credentials of a key.
  return db.$queryRaw<CredentialsOfKey[]>`
    SELECT min(secret) AS jwe, count(*)::int AS credentials FROM credentials GROUP BY split_part(secret, '.', 1)`;
}
