import { type SaveDraftBody, SECRET_OF_DRAFT } from '@deckhand/contracts';
import { hashKey } from '@tanstack/react-query';

/** Returns true if a stored draft is what was sent: the store replaces its secrets. */
export function isSameDraft(sent: SaveDraftBody, stored: SaveDraftBody): boolean {
  const storedNodes = new Map(stored.definition.nodes.map((node) => [node.id, node]));
  const nodes = sent.definition.nodes.map((node) => {
    const { parameters: kept = {} } = storedNodes.get(node.id) ?? {};
    if (node.parameters === undefined) return node;
    const secrets = Object.keys(node.parameters).filter((name) => kept[name] === SECRET_OF_DRAFT);
    const placeholders = Object.fromEntries(secrets.map((name) => [name, SECRET_OF_DRAFT]));
    return { ...node, parameters: { ...node.parameters, ...placeholders } };
  });
  return textOf({ ...sent, definition: { ...sent.definition, nodes } }) === textOf(stored);
}

/** A text that is the same whatever the order of members. */
function textOf({ definition, baseVersionId = null }: SaveDraftBody): string {
  return hashKey([definition, baseVersionId]);
}
