import { type Definition, type Execution, type NodeStatus } from '@deckhand/contracts';
import type { Edge } from '@xyflow/react';
import { useMemo } from 'react';
import { i18n } from '../language/i18n.ts';
import { containersOf } from './containers.ts';
import { type CardNode, toCard, toFlowEdges, toFlowNode } from './flow.ts';
import type { NodeTypes } from './handles.ts';
import { placeNodes } from './layout.ts';
import { statusOf } from './node-status.ts';
import { StillGraph } from './still-graph.tsx';

/** A run on the graph of its version: every node with its current status. */
export function RunGraph({
  definition,
  types,
  progress,
  selected,
  onSelect,
}: {
  definition: Definition;
  types: NodeTypes;
  progress: Execution['progress'];
  selected: string | undefined;
  onSelect: (nodeId: string | undefined) => void;
}) {
  const places = useMemo(() => placeNodes(definition, types), [definition, types]);
  const cards = useMemo(
    () => definition.nodes.map((node) => ({ id: node.id, card: toCard(node, types) })),
    [definition, types],
  );
  const nodes = useMemo(
    (): CardNode[] =>
      cards.map(({ id, card }) => {
        const entry = progress[id];
        const status = entry ? statusOf(entry) : 'pending';
        return { ...toFlowNode(id, { ...card, status }, places.get(id) ?? { x: 0, y: 0 }), selected: id === selected };
      }),
    [cards, places, progress, selected],
  );
  const edges = useMemo(
    () =>
      toFlowEdges(definition).map((edge) =>
        withUse(edge, progress[edge.source]?.status, progress[edge.target]?.status),
      ),
    [definition, progress],
  );
  const containers = useMemo(() => containersOf(definition, types), [definition, types]);
  return (
    <StillGraph
      nodes={nodes}
      edges={edges}
      containers={containers}
      progress={progress}
      label={i18n.t('Graph of the run')}
      onSelect={onSelect}
    />
  );
}

/** Marks an edge that the run has taken. */
function withUse(edge: Edge, source: NodeStatus | undefined, target: NodeStatus | undefined): Edge {
  if (target === undefined || target === 'pending') return edge;
  const isUsed = target !== 'skipped' && source !== 'skipped';
  return { ...edge, className: isUsed ? 'is-used' : 'is-unused', animated: isUsed && target === 'running' };
}
