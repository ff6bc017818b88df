import { type Definition, isJsonObject, type JsonValue } from '@deckhand/contracts';
import type { NodeTypes } from '../../graph/handles.ts';
import { containersOf } from '../../graph/containers.ts';

/** Maximum length of a label, in characters. */
const MAX_LABEL = 40;
/** The members of an item that name it, the best first. */
const NAMES = ['name', 'title', 'label', 'email', 'key', 'sku', 'number', 'id'];

/** Returns the loops and agents around a node, the outermost first: nodes in them have iterations. */
export function loopsAround(
  nodeId: string,
  definition: Pick<Definition, 'nodes' | 'edges'>,
  types: NodeTypes,
): readonly string[] {
  return containersOf(definition, types)
    .filter(({ kind, body }) => kind !== 'try' && body.has(nodeId))
    .map(({ node }) => node.id)
    .toReversed();
}

/**
 * Returns the iteration of another node that an iteration of a node is in: the same in the same loop, that of the outer
 * loop for a node in it. Undefined if there is not exactly one.
 * @param iteration "3" in a loop, "3.1" in nested ones.
 */
export function iterationOf(
  iteration: string | undefined,
  { from, to }: { readonly from: string; readonly to: string },
  definition: Pick<Definition, 'nodes' | 'edges'>,
  types: NodeTypes,
): string | undefined {
  if (iteration === undefined) return undefined;
  const [given, wanted] = [loopsAround(from, definition, types), loopsAround(to, definition, types)];
  const isWithin = wanted.length > 0 && wanted.every((loop, index) => loop === given[index]);
  return isWithin ? iteration.split('.').slice(0, wanted.length).join('.') : undefined;
}

/** Returns a short text for an item: the member that names it, or the item itself. */
export function labelOf(item: JsonValue): string {
  const named = isJsonObject(item) ? NAMES.map((name) => item[name]).find(isNameable) : undefined;
  const shown = named ?? item;
  const text = typeof shown === 'string' ? shown : JSON.stringify(shown);
  return text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL - 1)}…` : text;
}

function isNameable(value: JsonValue | undefined): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value !== '');
}
