import type { Actor, Database, NewVersion, Place } from '@deckhand/db';
import type { NodeTypes } from '@deckhand/engine';
import type { SecretBox } from '@deckhand/runtime';
import type { CheckedDefinition } from '../definitions.ts';
import { checkReferences } from './check-references.ts';
import { sealSecretParameters } from './secret-parameters.ts';

/**
 * Prepares a version of a definition for saving: checks its references, and encrypts its secrets. @throws DeckhandError
 * VALIDATION_FAILED.
 */
export async function prepareVersion(
  checked: CheckedDefinition,
  { nodeTypes, secretBox, db }: { nodeTypes: NodeTypes; secretBox: SecretBox; db: Database },
  { actor, place, comment }: { actor: Actor; place: Place; comment: string },
): Promise<NewVersion> {
  await checkReferences(checked.definition, { nodeTypes, db, actor, place });
  const sealed = await sealSecretParameters(checked.definition, { nodeTypes, secretBox });
  return { ...checked, ...sealed, comment, createdBy: actor.userId };
}
