import type { Definition, ExecutionResponse, NodeProgress } from '@deckhand/sdk/operations';
import type { Span, Text } from '@deckhand/terminal';
import { elapsedText, statusText } from '../format.ts';
import { layOut } from './tree.ts';

const ICONS: Readonly<Record<NodeProgress['status'], string>> = {
  pending: '○',
  running: '●',
  success: '✓',
  failed: '✗',
  skipped: '–',
  waiting: '◌',
  stopped: '■',
};

/** Returns a row for each node of a run: as a tree if the definition is known, else in the order of their starts. */
export function nodeRows(execution: ExecutionResponse, definition: Definition | undefined, now: number): Text[] {
  const names = new Map(definition?.nodes.map(({ id, name }) => [id, name ?? id]));
  const laidOut = definition ? layOut(definition, execution.data.triggerNodeId) : [];
  const inTree = new Set(laidOut.map(({ nodeId }) => nodeId));
  const others = inOrder(execution, undefined)
    .filter(([nodeId]) => !inTree.has(nodeId))
    .map(([nodeId]) => ({ nodeId, prefix: '', handle: undefined }));
  return [...laidOut, ...others].map(({ nodeId, prefix, handle }) => {
    const node = execution.progress[nodeId];
    const status = node?.status ?? 'pending';
    const line: Span[] = [
      { text: prefix, style: 'dim' },
      { text: `${ICONS[status]} `, style: statusText(status).style },
      { text: names.get(nodeId) ?? nodeId },
    ];
    if (handle !== undefined) line.push({ text: ` (${handle})`, style: 'dim' });
    return node ? [...line, ...details(node, now)] : line;
  });
}

/** Returns what a line about a node ends with: its time, iterations, attempts and error. */
export function details(node: NodeProgress, now: number): Span[] {
  const elapsed = node.status === 'skipped' ? '' : elapsedText(node.startedAt, node.finishedAt, now);
  const parts = [
    node.status === 'success' || node.status === 'pending' ? '' : node.status,
    elapsed,
    node.iterations === undefined ? '' : `${node.iterations} iterations`,
    node.attempts > 1 ? `${node.attempts} attempts` : '',
  ].filter((part) => part !== '');
  return [
    { text: parts.map((part) => `  ${part}`).join(''), style: 'dim' },
    ...(node.error ? [{ text: `  ${node.error.message}`, style: 'red' as const }] : []),
  ];
}

/**
 * Returns the nodes of a run in the order of their starts, and those that have not started at the end. Nodes that
 * started in the same millisecond are in the order of the tree, if the definition is known, else of their ends.
 */
export function inOrder(
  { progress, data }: ExecutionResponse,
  definition: Definition | undefined,
): readonly (readonly [string, NodeProgress])[] {
  const timeOf = (time: string | null): number => (time === null ? Number.MAX_SAFE_INTEGER : Date.parse(time));
  const laidOut = definition ? layOut(definition, data.triggerNodeId) : [];
  const places = new Map(laidOut.map(({ nodeId }, place) => [nodeId, place]));
  const placeOf = (nodeId: string): number => places.get(nodeId) ?? places.size;
  return Object.entries(progress).sort(
    ([id, one], [otherId, other]) =>
      timeOf(one.startedAt) - timeOf(other.startedAt) ||
      placeOf(id) - placeOf(otherId) ||
      timeOf(one.finishedAt) - timeOf(other.finishedAt),
  );
}
