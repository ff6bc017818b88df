import type { Definition, Execution } from '@deckhand/contracts';
import { useComputedColorScheme } from '@mantine/core';
import {
  Background,
  type Connection,
  Controls,
  type EdgeChange,
  type NodeChange,
  ReactFlow,
  useReactFlow,
} from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { type DragEvent, useMemo, useState } from 'react';
import canvas from '../graph/canvas.module.css';
import { type CardNode, toCard, toFlowEdges, toFlowNode } from '../graph/flow.js';
import type { NodeTypes } from '../graph/handles.js';
import type { Position } from '../graph/layout.js';
import { NodeCard } from '../graph/node-card.js';
import { connect, disconnect, moveNodes, removeNodes } from './edits.js';
import { DRAG_TYPE } from './palette.js';

const CARD_TYPES = { card: NodeCard };

/**
 * The editable graph: nodes can be moved, connected, selected and deleted. During a run it shows the run's progress.
 */
export function EditorCanvas({
  definition,
  types,
  issues,
  progress,
  ran,
  selected,
  onSelect,
  onEdit,
  onDropType,
  isReadOnly,
}: {
  definition: Definition;
  types: NodeTypes;
  issues: ReadonlyMap<string, string>;
  progress: Execution['progress'] | undefined;
  /** The version that ran: nodes that it did not have show no status. */
  ran: Definition | undefined;
  selected: ReadonlySet<string>;
  onSelect: (ids: ReadonlySet<string>) => void;
  onEdit: (change: (definition: Definition) => Definition, step?: string) => void;
  onDropType: (type: string, position: Position) => void;
  isReadOnly: boolean;
}) {
  const colorMode = useComputedColorScheme('light');
  const flow = useReactFlow();
  const [chosenEdges, setChosenEdges] = useState<ReadonlySet<string>>(new Set());
  const cards = useMemo(
    () => definition.nodes.map((node) => toFlowNode(node.id, toCard(node, types), node.position ?? { x: 0, y: 0 })),
    [definition.nodes, types],
  );
  const ranIds = useMemo(() => ran && new Set(ran.nodes.map(({ id }) => id)), [ran]);
  const nodes = useMemo(
    (): CardNode[] =>
      cards.map((card) => {
        const hasRun = progress !== undefined && ranIds?.has(card.id) !== false;
        const status = hasRun ? (progress[card.id]?.status ?? 'pending') : undefined;
        const issue = issues.get(card.id);
        const isSelected = selected.has(card.id);
        if (status === undefined && issue === undefined && !isSelected) return card;
        return { ...card, selected: isSelected, data: { ...card.data, status, issue } };
      }),
    [cards, issues, progress, ranIds, selected],
  );
  const edges = useMemo(
    () => toFlowEdges(definition).map((edge) => ({ ...edge, selected: chosenEdges.has(edge.id) })),
    [definition, chosenEdges],
  );

  const onNodesChange = (changes: NodeChange<CardNode>[]): void => {
    const moved = new Map<string, Position>();
    const removed = new Set<string>();
    const chosen = new Set(selected);
    for (const change of changes) {
      if (change.type === 'position' && change.position) moved.set(change.id, change.position);
      if (change.type === 'remove') removed.add(change.id);
      if (change.type === 'select') {
        if (change.selected) chosen.add(change.id);
        else chosen.delete(change.id);
      }
    }
    if (moved.size > 0) onEdit((before) => moveNodes(before, moved), `move ${[...moved.keys()].join()}`);
    if (removed.size > 0) {
      onEdit((before) => removeNodes(before, removed));
      for (const id of removed) chosen.delete(id);
    }
    if (changes.some(({ type }) => type === 'select' || type === 'remove')) onSelect(chosen);
  };
  const onEdgesChange = (changes: EdgeChange[]): void => {
    const removed = new Set<string>();
    const chosen = new Set(chosenEdges);
    for (const change of changes) {
      if (change.type === 'remove') removed.add(change.id);
      if (change.type === 'select') {
        if (change.selected) chosen.add(change.id);
        else chosen.delete(change.id);
      }
    }
    if (removed.size > 0) onEdit((before) => disconnect(before, removed));
    setChosenEdges(chosen);
  };
  const onConnect = ({ source, target, sourceHandle }: Connection): void =>
    onEdit((before) => connect(before, { source, target, ...(sourceHandle === null ? {} : { sourceHandle }) }));
  const onDrop = (event: DragEvent): void => {
    const type = event.dataTransfer.getData(DRAG_TYPE);
    if (type === '') return;
    event.preventDefault();
    onDropType(type, flow.screenToFlowPosition({ x: event.clientX, y: event.clientY }));
  };

  return (
    <div
      className={canvas.canvas}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes(DRAG_TYPE)) event.preventDefault();
      }}
      onDrop={onDrop}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={CARD_TYPES}
        colorMode={colorMode}
        onNodesChange={onNodesChange}
        onEdgesChange={onEdgesChange}
        onConnect={onConnect}
        nodesDraggable={!isReadOnly}
        nodesConnectable={!isReadOnly}
        deleteKeyCode={isReadOnly ? null : ['Delete', 'Backspace']}
        onlyRenderVisibleElements={nodes.length > 150}
        fitView
        fitViewOptions={{ minZoom: 0.4, maxZoom: 1, padding: 0.15 }}
        minZoom={0.05}
        aria-label="Workflow graph"
      >
        <Background gap={22} />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}
