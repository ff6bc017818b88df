import type { CredentialType } from '@deckhand/contracts';
import type { Database } from '../client.js';

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
  const [row] = await db.$queryRaw<SealedCredential[]>`
    SELECT c.type, c.secret AS "sealedSecret", k.id IS NOT NULL AS "isApiKey", 
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
  return row;
}
