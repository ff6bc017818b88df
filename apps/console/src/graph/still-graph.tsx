import { useComputedColorScheme } from '@mantine/core';
import { Background, Controls, type Edge, ReactFlow } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import canvas from './canvas.module.css';
import { type CardNode, chosenNode } from './flow.js';
import { NodeCard } from './node-card.js';

const NODE_TYPES = { card: NodeCard };

/** A read-only graph: its nodes can be selected by mouse and keyboard. */
export function StillGraph({
  nodes,
  edges,
  label,
  onSelect,
}: {
  nodes: CardNode[];
  edges: Edge[];
  /** Its description, for screen readers. */
  label: string;
  onSelect: (nodeId: string | undefined) => void;
}) {
  const colorMode = useComputedColorScheme('light');
  return (
    <div className={canvas.canvas}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        colorMode={colorMode}
        onNodesChange={(changes) => {
          const chosen = chosenNode(changes);
          if (chosen !== undefined) onSelect(chosen);
        }}
        onPaneClick={() => onSelect(undefined)}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        deleteKeyCode={null}
        onlyRenderVisibleElements={nodes.length > 150}
        fitView
        fitViewOptions={{ minZoom: 0.4, maxZoom: 1.1, padding: 0.12 }}
        minZoom={0.05}
        aria-label={label}
      >
        <Background gap={22} />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}
