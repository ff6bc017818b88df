import { type Definition, type Fault, validationFailed } from '@deckhand/contracts';
import { type Database, type UsableCredential, readUsableCredentials } from '@deckhand/db';
import { credentialTypesOf, type NodeTypes } from '@deckhand/engine';

/**
 * Checks that the credentials that a definition names are there, in the workspace, of a type that their nodes can use,
 * and that a version which the caller saves may use them.
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
    actor: Parameters<typeof readUsableCredentials>[1];
    place: Parameters<typeof readUsableCredentials>[2];
  },
): Promise<void> {
  const ids = definition.nodes.flatMap(({ credentialId }) =>
    credentialId === undefined ? [] : [credentialId.toLowerCase()],
  );
  const known = await readUsableCredentials(db, actor, place, ids);
  const faults = definition.nodes.flatMap((node, index): Fault[] => {
    const type = nodeTypes.get(node.type);
    if (node.credentialId === undefined || !type) return [];
    const at = { path: `definition.nodes[${index}].credentialId`, nodeId: node.id };
    const found = known.get(node.credentialId.toLowerCase());
    if (!found) return [{ ...at, message: 'is no credential of this workspace' }];
    if (found.refusal !== null) return [{ ...at, message: REFUSALS[found.refusal] }];
    const usable = credentialTypesOf(node, type);
    if (usable.includes(found.type)) return [];
    return [{ ...at, message: `is a credential of type ${found.type}; this node takes ${usable.join(', ')}` }];
  });
  if (faults.length > 0) throw validationFailed(faults);
}

const REFUSALS: Readonly<Record<NonNullable<UsableCredential['refusal']>, string>> = {
  private: 'is private to somebody else, who alone may use it',
  otherWorkflow: 'is for other workflows than this one',
};
