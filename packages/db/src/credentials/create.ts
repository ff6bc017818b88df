import { v7 as uuidv7 } from 'uuid';
import type { CredentialEntry, CredentialLimits, CredentialType } from '@deckhand/contracts';
import { type Actor, requireRole } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { SHOWN, toCredentialEntry } from './entry.js';
import { toLimitColumns } from './limit-columns.js';

/** A credential to store. */
export interface NewCredential extends CredentialLimits {
  readonly workspaceId: string;
  readonly name: string;
  readonly type: CredentialType;
  /** Encrypted already. */
  readonly sealedSecret: string;
}

/**
 * Stores a credential of the actor. Without a visibility, it is shared with the workspace.
 * @throws DeckhandError FORBIDDEN below the role editor; VALIDATION_FAILED for a workflow of another workspace.
 */
export function createCredential(db: Database, actor: Actor, credential: NewCredential): Promise<CredentialEntry> {
  const { workspaceId, name, type, sealedSecret } = credential;
  return db.$transaction(async (tx) => {
    await requireRole(tx, actor, workspaceId, 'editor');
    const limits = await toLimitColumns(tx, workspaceId, credential);
    const data = { id: uuidv7(), workspaceId, name, type, secret: sealedSecret, ownerId: actor.userId, ...limits };
    const row = await tx.credential.create({ data, select: SHOWN });
    const details = { name, type, visibility: row.visibility };
    await recordChange(tx, actor, { action: 'credential.create', workspaceId, resourceId: row.id, details });
    return toCredentialEntry(row);
  });
}
