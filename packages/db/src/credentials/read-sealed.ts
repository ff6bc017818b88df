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
