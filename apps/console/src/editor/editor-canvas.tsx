import type { Definition, Execution, JsonObject, NodeDefinition } from '@deckhand/contracts';
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
import { type CardNode, toCard, toFlowEdge, toFlowNode } from '../graph/flow.js';
import type { NodeTypes } from '../graph/handles.js';
import type { Position } from '../graph/layout.js';
import { NodeCard } from '../graph/node-card.js';
import { cachedFor } from './cached-for.js';
import { connect, disconnect, moveNodes, removeNodes } from './edits.js';
import { DRAG_TYPE } from './palette.js';

const CARD_TYPES = { card: NodeCard };
const NOWHERE: ReadonlyMap<string, Position> = new Map();
const edgeOf = cachedFor(toFlowEdge);

/**
 * The editable graph: nodes can be moved, connected, selected and deleted. During a run it shows the run's progress.
 */
export function EditorCanvas({
  definition,
  types,
  issues,
  progress,
  ran,
  pinned,
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
  /** The pinned outputs, by node id. */
  pinned: JsonObject;
  selected: ReadonlySet<string>;
  onSelect: (ids: ReadonlySet<string>) => void;
  onEdit: (change: (definition: Definition) => Definition, step?: string) => void;
  onDropType: (type: string, position: Position) => void;
  isReadOnly: boolean;
}) {
  const colorMode = useComputedColorScheme('light');
  const flow = useReactFlow();
  const [chosenEdges, setChosenEdges] = useState<ReadonlySet<string>>(new Set());
  // While nodes are dragged, only the canvas knows where they are: the definition changes once, when the drag ends.
  const [dragged, setDragged] = useState(NOWHERE);
  const cardOf = useMemo(
    () =>
      cachedFor((node: NodeDefinition) => toFlowNode(node.id, toCard(node, types), node.position ?? { x: 0, y: 0 })),
    [types],
  );
  const cards = useMemo(() => definition.nodes.map(cardOf), [definition.nodes, cardOf]);
  const ranIds = useMemo(() => ran && new Set(ran.nodes.map(({ id }) => id)), [ran]);
  const marked = useMemo(
    (): CardNode[] =>
      cards.map((card) => {
        const hasRun = progress !== undefined && ranIds?.has(card.id) !== false;
        const status = hasRun ? (progress[card.id]?.status ?? 'pending') : undefined;
        const issue = issues.get(card.id);
        const isSelected = selected.has(card.id);
        const isPinned = Object.hasOwn(pinned, card.id);
        if (status === undefined && issue === undefined && !isSelected && !isPinned) return card;
        return { ...card, selected: isSelected, data: { ...card.data, status, issue, isPinned } };
      }),
    [cards, issues, progress, ranIds, pinned, selected],
  );
  const nodes = useMemo(
    () =>
      marked.map((card) => {
        const position = dragged.get(card.id);
        return position === undefined ? card : { ...card, position };
      }),
    [marked, dragged],
  );
  const edges = useMemo(
    () => definition.edges.map(edgeOf).map((edge) => (chosenEdges.has(edge.id) ? { ...edge, selected: true } : edge)),
    [definition.edges, chosenEdges],
  );

  const onNodesChange = (changes: NodeChange<CardNode>[]): void => {
    const moved = new Map(dragged);
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
    if (changes.some((change) => change.type === 'position' && change.dragging === true)) {
      setDragged(moved);
    } else if (changes.some(({ type }) => type === 'position')) {
      // Moves by arrow keys belong together, drags do not.
      const step = dragged.size > 0 ? undefined : `move ${[...moved.keys()].join()}`;
      onEdit((before) => moveNodes(before, moved), step);
      setDragged(NOWHERE);
    }
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
