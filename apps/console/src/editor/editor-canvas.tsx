import { MAX_NOTES, type NodeDefinition, type NoteDefinition } from '@deckhand/contracts';
import { useComputedColorScheme } from '@mantine/core';
import { useCallbackRef, useHotkeys } from '@mantine/hooks';
import {
  Background,
  type Connection,
  ControlButton,
  Controls,
  type Edge,
  type EdgeChange,
  MiniMap,
  type NodeChange,
  type OnConnectEnd,
  type OnConnectStart,
  Panel,
  ReactFlow,
  useReactFlow,
  useStore,
  useStoreApi,
  type Viewport,
} from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { Search, StickyNote } from 'lucide-react';
import { useCallback, useEffectEvent, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { notify } from '../components/notice-board.ts';
import { handleTop } from '../graph/card-size.ts';
import canvas from '../graph/canvas.module.css';
import { ContainerFrames } from '../graph/container-frames.tsx';
import { containersOf } from '../graph/containers.ts';
import { FLOW_LABELS } from '../graph/flow-labels.ts';
import { type CardNode, toCard, toFlowEdge, toFlowNode } from '../graph/flow.ts';
import type { Position } from '../graph/layout.ts';
import { NodeCard } from '../graph/node-card.tsx';
import { i18n } from '../language/i18n.ts';
import { align } from './align.ts';
import { AlignBar } from './align-bar.tsx';
import { cachedFor } from './cached-for.ts';
import { useCanvasRuns } from './canvas-runs.tsx';
import { type Change, definitionOf, issuesOf } from './editor-model.ts';
import { useEditor, useEditorSession, usePinnedOutputs } from './editor-session.tsx';
import { issuesByNode } from './issues.ts';
import { useChooseNode } from './use-reveal.ts';
import { connect, disconnect, moveNodes, removeNodes } from './edits.ts';
import { EdgeActions } from './edge-actions.tsx';
import { firstView } from './first-view.ts';
import { FindNode } from './find-node.tsx';
import type { Spot } from './insert-node.ts';
import { MovedFrame } from './moved-frame.tsx';
import { NoteCard, type NoteNode, selectNote, toFlowNote } from './note-card.tsx';
import { addNote, changeNote, noteKey, sizeOfNote } from './notes.ts';

const CARD_TYPES = { card: NodeCard, note: NoteCard };
/** Number of nodes from which a small map of all of them is of use. */
const MAP_FROM = 12;
const DELETE_KEYS = ['Delete', 'Backspace'];
/** Zoom below which cards are drawn without their contents. */
const FAR_ZOOM = 0.25;
/** Maximum number of nodes that are drawn at each step of a drag. A larger selection is a frame until it is dropped. */
const MAX_DRAWN_MOVES = 100;
const NOWHERE: ReadonlyMap<string, Position> = new Map();
const edgeOf = cachedFor(toFlowEdge);

type CanvasNode = CardNode | NoteNode;

/** A note while its size changes. */
interface Resized {
  readonly key: string;
  readonly width: number;
  readonly height: number;
}

/**
 * The editable graph: nodes and notes can be moved, connected, selected, arranged and deleted. During a run it shows
 * the run's progress.
 */
export function EditorCanvas() {
  const { model } = useEditorSession();
  const { types } = model;
  const definition = useEditor(definitionOf);
  const selected = useEditor((state) => state.selected);
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const saveIssues = useEditor(issuesOf);
  const issues = useMemo(() => issuesByNode(saveIssues), [saveIssues]);
  const pinned = usePinnedOutputs();
  const { shown } = useCanvasRuns();
  const progress = shown.run?.progress;
  // Nodes that the version that ran did not have show no status.
  const ran = shown.version?.definition;
  const onReveal = useChooseNode();
  const onEdit = useCallback((change: Change, step?: string): void => model.apply(change, step), [model]);
  const onSelect = (ids: ReadonlySet<string>): void => model.select(ids);
  const onAdd = (spot: Spot): void => model.open({ kind: 'add', spot });
  const colorMode = useComputedColorScheme('light');
  const flow = useReactFlow();
  const store = useStoreApi();
  const isFar = useStore(({ transform: [, , zoom] }) => zoom < FAR_ZOOM);
  const [hoveredEdge, setHoveredEdge] = useState<string>();
  // The same at each rendering: with other functions, a drag would draw every node and edge again.
  const enterEdge = useCallback((_: unknown, { id }: Edge) => setHoveredEdge(id), []);
  const leaveEdge = useCallback(() => setHoveredEdge(undefined), []);
  const element = useRef<HTMLDivElement>(null);
  const [isFinding, setFinding] = useState(false);
  const [chosenEdges, setChosenEdges] = useState<ReadonlySet<string>>(new Set());
  // While nodes are dragged, only the canvas knows where they are: the definition changes once, when the drag ends.
  const [dragged, setDragged] = useState(NOWHERE);
  const cardOf = useMemo(
    () =>
      cachedFor((node: NodeDefinition) => toFlowNode(node.id, toCard(node, types), node.position ?? { x: 0, y: 0 })),
    [types],
  );
  const [resized, setResized] = useState<Resized>();
  const noteOf = useMemo(
    () =>
      cachedFor((note: NoteDefinition) =>
        toFlowNote(
          note,
          isReadOnly
            ? undefined
            : {
                change: (change, step) =>
                  onEdit(
                    (before) => changeNote(before, note.id, change),
                    step === undefined ? undefined : `note ${note.id} ${step}`,
                  ),
                remove: () => onEdit((before) => removeNodes(before, new Set([noteKey(note.id)]))),
              },
        ),
      ),
    [isReadOnly, onEdit],
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
  const notes = useMemo(
    () =>
      (definition.notes ?? []).map((note) =>
        selected.has(noteKey(note.id)) ? selectNote(noteOf(note)) : noteOf(note),
      ),
    [definition.notes, noteOf, selected],
  );
  const nodes = useMemo(
    () =>
      [...notes, ...marked].map((part): CanvasNode => {
        const position = dragged.size > MAX_DRAWN_MOVES ? undefined : dragged.get(part.id);
        const moved = position === undefined ? part : { ...part, position };
        if (moved.id !== resized?.key) return moved;
        const { width, height } = resized;
        return { ...moved, width, height, measured: { width, height } };
      }),
    [notes, marked, dragged, resized],
  );
  const containers = useMemo(() => containersOf(definition), [definition]);
  const edges = useMemo(
    () => definition.edges.map(edgeOf).map((edge) => (chosenEdges.has(edge.id) ? { ...edge, selected: true } : edge)),
    [definition.edges, chosenEdges],
  );

  // The same function at each rendering: React Flow takes another one as a change of its state, of which it tells every
  // node.
  const onNodesChange = useCallbackRef((changes: NodeChange<CanvasNode>[]): void => {
    const moved = new Map(dragged);
    const chosen = new Set(selected);
    for (const change of changes) {
      if (change.type === 'position' && change.position) moved.set(change.id, change.position);
      // Sizes that were measured have no such mark.
      if (change.type === 'dimensions' && change.resizing !== undefined && change.dimensions) {
        const width = Math.round(change.dimensions.width);
        const height = Math.round(change.dimensions.height);
        setResized(change.resizing ? { key: change.id, width, height } : undefined);
        const note = definition.notes?.find(({ id }) => noteKey(id) === change.id);
        if (note && !change.resizing) onEdit((before) => changeNote(before, note.id, { width, height }));
      }
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
    if (changes.some(({ type }) => type === 'select')) onSelect(chosen);
  });
  const onEdgesChange = useCallbackRef((changes: EdgeChange[]): void => {
    const chosen = new Set(chosenEdges);
    for (const change of changes) {
      if (change.type === 'select') {
        if (change.selected) chosen.add(change.id);
        else chosen.delete(change.id);
      }
    }
    setChosenEdges(chosen);
  });
  // One edit, so that one step undoes it: React Flow reports the removed edges and nodes also as changes, one after the
  // other.
  const onDelete = useCallbackRef((removed: { nodes: CanvasNode[]; edges: Edge[] }): void => {
    const [nodeIds, edgeIds] = [idsOf(removed.nodes), idsOf(removed.edges)];
    model.remove(nodeIds, edgeIds);
    setChosenEdges(without(chosenEdges, edgeIds));
  });
  const onConnect = useCallbackRef(({ source, target, sourceHandle }: Connection): void =>
    onEdit((before) => connect(before, { source, target, ...(sourceHandle === null ? {} : { sourceHandle }) })),
  );
  /** A connection that ends on the empty canvas asks for a node to connect there. */
  const onConnectEnd = useCallbackRef<OnConnectEnd>((event, { fromNode, fromHandle, toNode }) => {
    if (isReadOnly || toNode || !fromNode || fromHandle.type !== 'source') return;
    const end = 'changedTouches' in event ? event.changedTouches[0] : event;
    if (!end || !isPane(document.elementFromPoint(end.clientX, end.clientY))) return;
    const { x, y } = flow.screenToFlowPosition({ x: end.clientX, y: end.clientY });
    const position = { x, y: y - handleTop(0, 0) };
    onAdd({ kind: 'output', source: fromNode.id, sourceHandle: fromHandle.id ?? undefined, position });
  });
  /** A click on an output asks for a node that follows it. */
  const onClickHandle = useCallbackRef<OnConnectStart>((_, { nodeId, handleId, handleType }) => {
    if (isReadOnly || nodeId === null || handleType !== 'source') return;
    onAdd({ kind: 'output', source: nodeId, sourceHandle: handleId ?? undefined });
    // Otherwise the next click on an input would connect the two.
    queueMicrotask(() => store.setState({ connectionClickStartHandle: null }));
  });
  const [chosenEdge] = chosenEdges.size === 1 ? chosenEdges : [];
  const edgeWithActions = isReadOnly ? undefined : (hoveredEdge ?? chosenEdge);

  const write = (): void => {
    if (isReadOnly) return;
    const { width, height, transform } = store.getState();
    const [left, top, zoom] = transform;
    const size = sizeOfNote({});
    const position = {
      x: Math.round((width / 2 - left) / zoom - size.width / 2),
      y: Math.round((height / 2 - top) / zoom - size.height / 2),
    };
    const added = addNote(definition, { text: '', position, ...size });
    if (!added) {
      notify(i18n.t('A workflow has at most {max} notes.', { max: MAX_NOTES }));
      return;
    }
    onEdit(() => added.definition);
    onSelect(new Set([noteKey(added.id)]));
  };
  // The size of the canvas is known once it is there, before anything is painted.
  const [view, setView] = useState<Viewport>();
  const open = useEffectEvent(({ width, height }: DOMRect) => {
    const start = nodes.find(({ id }) => selected.has(id)) ?? cards.find(({ data }) => data.isTrigger);
    setView(firstView(nodes, start, { width, height }));
  });
  useLayoutEffect(() => {
    if (element.current) open(element.current.getBoundingClientRect());
  }, []);
  const chosen = nodes.filter(({ id }) => selected.has(id));
  // Elsewhere the browser finds text, and dialogs have keys of their own.
  const onCanvas =
    (act: () => void) =>
    (event: KeyboardEvent): void => {
      const { activeElement } = document;
      if (activeElement !== document.body && !element.current?.contains(activeElement)) return;
      event.preventDefault();
      act();
    };
  useHotkeys([
    ['shift+S', onCanvas(write), { preventDefault: false }],
    ['mod+F', onCanvas(() => setFinding(true)), { preventDefault: false }],
  ]);

  return (
    <div ref={element} className={canvas.canvas} data-editable={!isReadOnly} data-far={isFar}>
      {view && (
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={CARD_TYPES}
          colorMode={colorMode}
          onNodesChange={onNodesChange}
          onEdgesChange={onEdgesChange}
          onDelete={onDelete}
          onConnect={onConnect}
          onConnectEnd={onConnectEnd}
          onClickConnectStart={onClickHandle}
          onEdgeMouseEnter={enterEdge}
          // Not when the mouse leaves the edge, because its buttons cover it.
          onPaneMouseMove={leaveEdge}
          onNodeMouseEnter={leaveEdge}
          nodesDraggable={!isReadOnly}
          nodesConnectable={!isReadOnly}
          deleteKeyCode={isReadOnly ? null : DELETE_KEYS}
          onlyRenderVisibleElements={nodes.length > 150}
          defaultViewport={view}
          minZoom={0.05}
          aria-label={i18n.t('Workflow graph')}
          ariaLabelConfig={FLOW_LABELS}
        >
          <Background gap={22} />
          {dragged.size > MAX_DRAWN_MOVES && <MovedFrame nodes={nodes} positions={dragged} />}
          <ContainerFrames containers={containers} nodes={nodes} progress={progress} />
          <Controls showInteractive={false}>
            <ControlButton
              title={i18n.t('Find a node')}
              aria-label={i18n.t('Find a node')}
              onClick={() => setFinding(true)}
            >
              <Search aria-hidden className={canvas.tool} />
            </ControlButton>
            {!isReadOnly && (
              <ControlButton title={i18n.t('Add a note')} aria-label={i18n.t('Add a note')} onClick={write}>
                <StickyNote aria-hidden className={canvas.tool} />
              </ControlButton>
            )}
          </Controls>
          {edgeWithActions !== undefined && (
            <EdgeActions
              definition={definition}
              types={types}
              id={edgeWithActions}
              onAdd={() => onAdd({ kind: 'edge', id: edgeWithActions })}
              onDelete={() => onEdit((before) => disconnect(before, new Set([edgeWithActions])))}
            />
          )}
          {nodes.length >= MAP_FROM && (
            <MiniMap className={canvas.map} pannable zoomable ariaLabel={i18n.t('Map of the workflow')} />
          )}
          {isFinding && (
            <Panel position="top-center">
              <FindNode definition={definition} types={types} onChoose={onReveal} onClose={() => setFinding(false)} />
            </Panel>
          )}
          {!isReadOnly && chosen.length > 1 && (
            <Panel position="bottom-center">
              <AlignBar
                onAlign={(how) =>
                  onEdit((before) =>
                    moveNodes(
                      before,
                      align(
                        chosen.map(({ id, position, width = 0, height = 0 }) => ({ id, position, width, height })),
                        how,
                      ),
                    ),
                  )
                }
              />
            </Panel>
          )}
        </ReactFlow>
      )}
    </div>
  );
}

function idsOf(parts: readonly { readonly id: string }[]): ReadonlySet<string> {
  return new Set(parts.map(({ id }) => id));
}

function without(ids: ReadonlySet<string>, removed: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...ids].filter((id) => !removed.has(id)));
}

/** Returns true for the part of the canvas where nothing is. */
function isPane(element: Element | null): boolean {
  return element?.classList.contains('react-flow__pane') ?? false;
}
