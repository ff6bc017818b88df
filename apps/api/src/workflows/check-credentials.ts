import { type Definition, type Fault, validationFailed } from '@deckhand/contracts';
import { type Database, readCredentialTypes } from '@deckhand/db';
import { credentialTypesOf, type NodeTypes } from '@deckhand/engine';

/**
 * Checks that the credentials that a definition names are there, in the workspace, of a type that their nodes can use,
 * and no API keys of somebody else.
 * @throws DeckhandError VALIDATION_FAILED naming each that is not.
 */
export async function checkCredentials(
  definition: Definition,
  {
    nodeTypes,
    db,
    actor,
    place,
  }: {
    nodeTypes: NodeTypes;
    db: Database;
    actor: Parameters<typeof readCredentialTypes>[1];
    place: Parameters<typeof readCredentialTypes>[2];
  },
): Promise<void> {
  const ids = definition.nodes.flatMap(({ credentialId }) =>
    credentialId === undefined ? [] : [credentialId.toLowerCase()],
  );
  const known = await readCredentialTypes(db, actor, place, ids);
  const faults = definition.nodes.flatMap((node, index): Fault[] => {
    const type = nodeTypes.get(node.type);
    if (node.credentialId === undefined || !type) return [];
    const path = `definition.nodes[${index}].credentialId`;
    const found = known.get(node.credentialId.toLowerCase());
    if (!found) return [{ path, message: 'is no credential of this workspace' }];
    if (found.isOthersKey) return [{ path, message: 'is an API key of somebody else, who alone may use it' }];
    const usable = credentialTypesOf(node, type);
    if (usable.includes(found.type)) return [];
    return [{ path, message: `is a credential of type ${found.type}; this node takes ${usable.join(', ')}` }];
  });
  if (faults.length > 0) throw validationFailed(faults);
}
