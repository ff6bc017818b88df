import type { CredentialType } from '@deckhand/contracts';
import type { Database } from '../client.js';

/** A credential as it is kept. */
export interface SealedCredential {
  readonly type: CredentialType;
  /** A JWE of the secret as JSON. */
  readonly sealedSecret: string;
}

/** Reads a credential of a workspace with its encrypted secret; undefined when the workspace has none of this id. */
export async function readSealedCredential(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<SealedCredential | undefined> {
  const row = await db.credential.findFirst({ where: { id, workspaceId }, select: { type: true, secret: true } });
  return row ? { type: row.type, sealedSecret: row.secret } : undefined;
}

/** A credential for a node. */
export interface NodeCredential extends SealedCredential {
  /**
   * Why the node may not use it: it holds an API key that was revoked or has expired (`ended`), or one of somebody else
   * than who saved the version (`private`). Null when it may.
   */
  readonly refusal: 'ended' | 'private' | null;
}

/**
 * Reads a credential of a workspace for a node of a version; undefined when the workspace has none of this id. An API
 * key acts as the person whose it is: whoever else saves a version could send it to a server of his own.
 */
export async function readNodeCredential(
  db: Database,
  { workspaceId, workflowVersionId }: { readonly workspaceId: string; readonly workflowVersionId: string },
  id: string,
): Promise<NodeCredential | undefined> {
  const [row] = await db.$queryRaw<NodeCredential[]>`
    SELECT c.type, c.secret AS "sealedSecret",
      CASE WHEN k.revoked_at IS NOT NULL OR k.expires_at <= now() THEN 'ended'
        WHEN k.id IS NOT NULL AND k.user_id IS DISTINCT FROM v.created_by THEN 'private' END AS refusal
    FROM credentials c
    LEFT JOIN api_keys k ON k.credential_id = c.id
    LEFT JOIN workflow_versions v ON v.id = ${workflowVersionId}::uuid
    WHERE c.id = ${id}::uuid AND c.workspace_id = ${workspaceId}::uuid`;
  return row;
}
