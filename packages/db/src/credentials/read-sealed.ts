import type { CredentialType } from '@deckhand/contracts';
import type { Database } from '../client.js';

/** A version that uses a credential: it decides whether it may. */
export interface CredentialUser {
  readonly workspaceId: string;
  readonly workflowVersionId: string;
}

/** A credential as it is kept, for a version that names it. */
export interface SealedCredential {
  readonly type: CredentialType;
  /** A JWE of the secret as JSON. */
  readonly sealedSecret: string;
  /** Whether it holds an API key, which is for this instance's own API alone. */
  readonly isApiKey: boolean;
  /** Hosts that it may be sent to, as `isAllowedHost` reads them; empty for any. */
  readonly allowedHosts: readonly string[];
  /**
   * Why the version may not use it: it holds an API key that was revoked or has expired (`ended`), is private to
   * somebody else than who saved the version (`private`), or is for other workflows (`otherWorkflow`). Null when it
   * may.
   */
  readonly refusal: 'ended' | 'private' | 'otherWorkflow' | null;
}

/**
 * Reads a credential of a workspace for a version of a workflow; undefined when the workspace has none of this id. An
 * API key is private to its owner whatever its credential says: whoever else saves a version could send it to a server
 * of his own.
 */
export async function readSealedCredential(
  db: Database,
  { workspaceId, workflowVersionId }: CredentialUser,
  id: string,
): Promise<SealedCredential | undefined> {
  // A comparison with null is not true: nobody's credential is nobody's to use.
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
