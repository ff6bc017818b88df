import type { Execution } from '@deckhand/contracts';
import { useComputedColorScheme } from '@mantine/core';
import { Background, Controls, type Edge, ReactFlow } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import canvas from './canvas.module.css';
import { ContainerFrames } from './container-frames.tsx';
import type { Container } from './containers.ts';
import { FLOW_LABELS } from './flow-labels.ts';
import { type CardNode, chosenNode } from './flow.ts';
import { NodeCard } from './node-card.tsx';

const NODE_TYPES = { card: NodeCard };

/** A read-only graph: its nodes can be selected by mouse and keyboard. */
export function StillGraph({
  nodes,
  edges,
  containers,
  progress,
  label,
  onSelect,
}: {
  nodes: CardNode[];
  edges: Edge[];
  containers: readonly Container[];
  /** Of a run, whose iterations are shown. */
  progress?: Execution['progress'] | undefined;
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
        ariaLabelConfig={FLOW_LABELS}
      >
        <Background gap={22} />
        <ContainerFrames containers={containers} nodes={nodes} progress={progress} />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}
