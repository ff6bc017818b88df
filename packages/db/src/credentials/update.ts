import {
  type CredentialEntry,
  type CredentialLimits,
  DeckhandError,
  hasRole,
  validationFailed,
} from '@deckhand/contracts';
import { type Actor, type AllowedStates, changedMeanwhile, inState, requireRole, visibleWorkspace } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database, Queryable } from '../client.js';
import { SHOWN, toCredentialEntry } from './entry.js';
import { toLimitColumns } from './limit-columns.js';
import { findCredential, noSuchCredential } from './read.js';

/** The parts of a credential that may change. Its type may not, because nodes that use it rely on that. */
export interface CredentialChanges extends CredentialLimits {
  readonly name?: string;
  /** Encrypted already. */
  readonly sealedSecret?: string;
}

/**
 * Renames a credential, replaces its secret, or changes who may use it and where. Only its owner may change a private
 * one. Its owner and admins of the workspace may change who uses a shared one, and where.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN; VALIDATION_FAILED for an API key that would
 * be shared, and for workflows of other workspaces; PRECONDITION_FAILED when it is in none of `states`.
 */
export function updateCredential(
  db: Database,
  actor: Actor,
  id: string,
  changes: CredentialChanges,
  states?: AllowedStates,
): Promise<CredentialEntry> {
  const { name, sealedSecret, visibility } = changes;
  return db.$transaction(async (tx) => {
    const current = await findCredential(tx, actor, id, 'editor');
    const { workspaceId } = current;
    await requireMayChange(tx, actor, current, changes);
    if (visibility === 'shared' && (await tx.apiKey.count({ where: { credentialId: id } })) > 0) {
      throw validationFailed([{ path: 'visibility', message: 'an API key is private to its owner' }]);
    }
    const data = {
      ...(name === undefined ? {} : { name }),
      ...(sealedSecret === undefined ? {} : { secret: sealedSecret }),
      ...(await toLimitColumns(tx, workspaceId, changes)),
    };
    // If somebody changed its visibility in the meantime, the checks above no longer hold.
    const workspace = visibleWorkspace(actor, 'editor');
    const where = { id, visibility: current.visibility, workspace, ...inState(states) };
    const [row] = await tx.credential.updateManyAndReturn({ where, data, select: SHOWN });
    if (!row) throw changedMeanwhile(states, noSuchCredential());
    const details = { changed: Object.keys(data), name: row.name };
    await recordChange(tx, actor, { action: 'credential.update', workspaceId, resourceId: id, details });
    return toCredentialEntry(row);
  });
}

async function requireMayChange(
  tx: Queryable,
  actor: Actor,
  { workspaceId, ownerId, visibility }: CredentialEntry,
  changes: CredentialLimits,
): Promise<void> {
  if (ownerId === actor.userId) return;
  const message = 'Only its owner may change a private credential, or make one private';
  if (visibility === 'private' || changes.visibility === 'private') throw new DeckhandError('FORBIDDEN', { message });
  if (changes.allowedHosts === undefined && changes.allowedWorkflowIds === undefined) return;
  if (hasRole(await requireRole(tx, actor, workspaceId, 'editor'), 'admin')) return;
  throw new DeckhandError('FORBIDDEN', { message: 'Its owner and admins say where a credential may be used' });
}
