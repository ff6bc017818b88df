import type { EdgeDefinition, NodeDefinition } from '@deckhand/contracts';
import { braced } from './expressions/template.ts';
import type { Converted, Output } from './nodes/converter.ts';
import type { N8nNode } from './workflow.ts';

/**
 * Adds an `if` after each list that may be empty and leads on: without items, n8n does not run the nodes after it.
 * Where the node always outputs data, its first output has one empty item instead.
 * @param connected the outputs that lead on.
 */
export function withGates(
  converted: Converted,
  { name, original }: N8nNode,
  connected: ReadonlySet<number>,
): Converted {
  const nodes: NodeDefinition[] = [];
  const edges: EdgeDefinition[] = [];
  const outputs = converted.outputs.map((output, index): Output => {
    const { source, nodeId, handle, label, mayBeEmpty } = output;
    if (mayBeEmpty !== true || source.shape === 'one') return output;
    if (index === 0 && original.alwaysOutputData === true) {
      const { positions: _, ...rest } = source;
      const text = `(${source.text}.length > 0 ? ${source.text} : [{}])`;
      return { ...output, source: { ...rest, text }, mayBeEmpty: false };
    }
    if (!connected.has(index)) return output;
    const id = label === undefined ? `${nodeId}__any` : `${nodeId}__${label}`;
    const title = label === undefined ? `${name}: any items?` : `${name}: any items at "${label}"?`;
    nodes.push({ id, type: 'if', name: title, parameters: { condition: braced(`${source.text}.length > 0`) } });
    edges.push({ source: nodeId, target: id, ...(handle !== undefined && { sourceHandle: handle }) });
    return { ...output, nodeId: id, handle: 'true' };
  });
  return { nodes: [...converted.nodes, ...nodes], edges: [...converted.edges, ...edges], outputs };
}
