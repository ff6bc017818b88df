import { type JsonObject, type NodeDefinition, stubSource } from '@deckhand/contracts';
import { show } from './workflow.ts';

/** Longest original that a stub carries, in characters; a script may have 100,000. */
const MAX_ORIGINAL = 80_000;
/** Longest original that is indented, in characters: indentation can make nested lists many times as long. */
const MAX_INDENTED = 20_000;

/** A node that stands for one that is not converted. */
export interface Stub {
  readonly node: NodeDefinition;
  /** How much of the original does not fit, in characters. */
  readonly missing: number;
}

/**
 * Creates a node that fails, and has the original of n8n in its script, so that nothing is lost.
 * @param attached the nodes that belong to it, such as the model of an agent.
 */
export function stubOf(id: string, original: JsonObject, reason: string, attached: readonly JsonObject[]): Stub {
  const { name, type } = original;
  const shown = attached.length === 0 ? original : { ...original, attached };
  const compact = JSON.stringify(shown);
  const indented = compact.length > MAX_INDENTED ? compact : JSON.stringify(shown, null, 2);
  const json = indented.length > MAX_ORIGINAL ? compact : indented;
  const message = `"${show(name)}" (${show(type)}) of n8n is not converted: ${reason}`;
  const source = stubSource(json.slice(0, MAX_ORIGINAL), message);
  return {
    node: { id, type: 'code', name: show(name).slice(0, 200), parameters: { source } },
    missing: Math.max(0, json.length - MAX_ORIGINAL),
  };
}
