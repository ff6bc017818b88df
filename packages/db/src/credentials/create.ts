import { v7 as uuidv7 } from 'uuid';
import type { CredentialEntry, CredentialType } from '@deckhand/contracts';
import { type Actor, requireRole } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { SHOWN, toCredentialEntry } from './entry.js';

/** A credential to keep. */
export interface NewCredential {
  readonly workspaceId: string;
  readonly name: string;
  readonly type: CredentialType;
  /** Encrypted already. */
  readonly sealedSecret: string;
}

/** Keeps a credential. @throws DeckhandError FORBIDDEN below the role editor. */
export function createCredential(db: Database, actor: Actor, credential: NewCredential): Promise<CredentialEntry> {
  const { workspaceId, name, type, sealedSecret } = credential;
  return db.$transaction(async (tx) => {
    await requireRole(tx, actor, workspaceId, 'editor');
    const data = { id: uuidv7(), workspaceId, name, type, secret: sealedSecret };
    const row = await tx.credential.create({ data, select: SHOWN });
    const details = { name, type };
    await recordChange(tx, actor, { action: 'credential.create', workspaceId, resourceId: row.id, details });
    return toCredentialEntry(row);
  });
}
