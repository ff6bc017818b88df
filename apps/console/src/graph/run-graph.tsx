import { type Definition, type Execution, type NodeStatus } from '@deckhand/contracts';
import { useComputedColorScheme } from '@mantine/core';
import { Background, Controls, type Edge, ReactFlow } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { useMemo } from 'react';
import canvas from './canvas.module.css';
import { type CardNode, toCard, toFlowEdges, toFlowNode } from './flow.js';
import type { NodeTypes } from './handles.js';
import { placeNodes } from './layout.js';
import { NodeCard } from './node-card.js';

const NODE_TYPES = { card: NodeCard };

/** A run on the graph of its version: every node with its status, as it changes. */
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
  const colorMode = useComputedColorScheme('light');
  const places = useMemo(() => placeNodes(definition, types), [definition, types]);
  const cards = useMemo(
    () => definition.nodes.map((node) => ({ id: node.id, card: toCard(node, types) })),
    [definition, types],
  );
  const nodes = useMemo(
    (): CardNode[] =>
      cards.map(({ id, card }) => ({
        ...toFlowNode(id, { ...card, status: progress[id]?.status ?? 'pending' }, places.get(id) ?? { x: 0, y: 0 }),
        selected: id === selected,
      })),
    [cards, places, progress, selected],
  );
  const edges = useMemo(
    () =>
      toFlowEdges(definition).map((edge) =>
        withUse(edge, progress[edge.source]?.status, progress[edge.target]?.status),
      ),
    [definition, progress],
  );
  return (
    <div className={canvas.canvas}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        colorMode={colorMode}
        onNodeClick={(_, { id }) => onSelect(id)}
        onPaneClick={() => onSelect(undefined)}
        onSelectionChange={({ nodes: [node] }) => {
          // By keyboard; a click comes here, too.
          if (node && node.id !== selected) onSelect(node.id);
        }}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        onlyRenderVisibleElements={nodes.length > 150}
        fitView
        fitViewOptions={{ minZoom: 0.4, maxZoom: 1.1, padding: 0.12 }}
        minZoom={0.05}
        aria-label="The run, node by node"
      >
        <Background gap={22} />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

/** Whether the run went along an edge. */
function withUse(edge: Edge, source: NodeStatus | undefined, target: NodeStatus | undefined): Edge {
  if (target === undefined || target === 'pending') return edge;
  const isUsed = target !== 'skipped' && source !== 'skipped';
  return { ...edge, className: isUsed ? 'is-used' : 'is-unused', animated: isUsed && target === 'running' };
}
