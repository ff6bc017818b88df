import type { CredentialEntry } from '@deckhand/contracts';
import { type Actor, visibleWorkspace } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { SHOWN, toCredentialEntry } from './entry.js';
import { findCredential, noSuchCredential } from './read.js';

/** What may change of a credential: not its type, which the nodes that use it rely on. */
export interface CredentialChanges {
  readonly name?: string;
  /** Encrypted already. */
  readonly sealedSecret?: string;
}

/**
 * Renames a credential or replaces its secret.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN below the role editor.
 */
export function updateCredential(
  db: Database,
  actor: Actor,
  id: string,
  { name, sealedSecret }: CredentialChanges,
): Promise<CredentialEntry> {
  const data = {
    ...(name === undefined ? {} : { name }),
    ...(sealedSecret === undefined ? {} : { secret: sealedSecret }),
  };
  return db.$transaction(async (tx) => {
    const { workspaceId } = await findCredential(tx, actor, id, 'editor');
    const where = { id, workspace: visibleWorkspace(actor, 'editor') };
    const [row] = await tx.credential.updateManyAndReturn({ where, data, select: SHOWN });
    if (!row) throw noSuchCredential();
    const details = { changed: Object.keys(data), name: row.name };
    await recordChange(tx, actor, { action: 'credential.update', workspaceId, resourceId: id, details });
    return toCredentialEntry(row);
  });
}
