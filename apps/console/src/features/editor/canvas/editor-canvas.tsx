import { MAX_NOTES } from '@deckhand/contracts';
import { useComputedColorScheme } from '@mantine/core';
import { useCallbackRef, useHotkeys } from '@mantine/hooks';
import {
  Background,
  ControlButton,
  Controls,
  type Edge,
  MiniMap,
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
import {
  type MouseEvent,
  type RefObject,
  useCallback,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { notify } from '../../../components/notice-board.ts';
import canvas from '../../../graph/canvas.module.css';
import { handleTop } from '../../../graph/card-size.ts';
import { ContainerFrames } from '../../../graph/container-frames.tsx';
import { containersOf } from '../../../graph/containers.ts';
import { FLOW_LABELS } from '../../../graph/flow-labels.ts';
import { NodeCard } from '../../../graph/node-card.tsx';
import { i18n } from '../../../language/i18n.ts';
import { align } from '../model/align.ts';
import { definitionOf, type EditorModel } from '../model/editor-model.ts';
import { useEditor, useEditorSession } from '../model/editor-session.tsx';
import { connect, disconnect, moveNodes } from '../model/edits.ts';
import { changeNote, noteKey, sizeOfNote } from '../model/notes.ts';
import { useCanvasRuns } from '../runs/canvas-runs.tsx';
import { AT_REST, type CanvasCommand, type CanvasEvent, type Gestures, onCanvasEvent } from './canvas-gestures.ts';
import { AlignBar, EdgeActions, FindNode } from './canvas-tools.tsx';
import { firstView } from './first-view.ts';
import { MovedFrame } from './moved-frame.tsx';
import { NoteCard } from './note-card.tsx';
import { type CanvasNode, MAX_DRAWN_MOVES, useCanvasParts } from './use-canvas-parts.ts';
import { useChooseNode } from './use-reveal.ts';

const CARD_TYPES = { card: NodeCard, note: NoteCard };
/** Number of nodes from which a small map of all of them is of use. */
const MAP_FROM = 12;
const DELETE_KEYS = ['Delete', 'Backspace'];
/** Zoom below which cards are drawn without their contents. */
const FAR_ZOOM = 0.25;

/**
 * The editable graph: nodes and notes can be moved, connected, selected, arranged and deleted. During a run it shows
 * the run's progress.
 */
export function EditorCanvas() {
  const { model } = useEditorSession();
  const colorMode = useComputedColorScheme('light');
  const isFar = useStore(({ transform: [, , zoom] }) => zoom < FAR_ZOOM);
  const definition = useEditor(definitionOf);
  const selected = useEditor((state) => state.selected);
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const { run } = useCanvasRuns().shown;
  const [isFinding, setFinding] = useState(false);
  const { gestures, handlers } = useGestures(model);
  const { onConnectEnd, onClickConnectStart } = useNextNode();
  const { hoveredEdge, hoverHandlers } = useHoveredEdge();
  const { nodes, edges } = useCanvasParts(gestures);
  const containers = useMemo(() => containersOf(definition, model.types), [definition, model]);
  const { element, view } = useFirstView(nodes, selected);
  const choose = useChooseNode();
  const addNote = useAddNote();
  useCanvasKeys(element, { addNote, find: () => setFinding(true) });

  const [selectedEdge] = gestures.selectedEdges.size === 1 ? gestures.selectedEdges : [];
  const edgeWithActions = isReadOnly ? undefined : (hoveredEdge ?? selectedEdge);
  const chosen = nodes.filter(({ id }) => selected.has(id));
  return (
    <div ref={element} className={canvas.canvas} data-editable={!isReadOnly} data-far={isFar}>
      {view && (
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={CARD_TYPES}
          colorMode={colorMode}
          {...handlers}
          {...hoverHandlers}
          onConnectEnd={onConnectEnd}
          onClickConnectStart={onClickConnectStart}
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
          {gestures.dragged.size > MAX_DRAWN_MOVES && <MovedFrame nodes={nodes} positions={gestures.dragged} />}
          <ContainerFrames containers={containers} nodes={nodes} progress={run?.progress} />
          <Controls showInteractive={false}>
            <ControlButton
              title={i18n.t('Find a node')}
              aria-label={i18n.t('Find a node')}
              onClick={() => setFinding(true)}
            >
              <Search aria-hidden className={canvas.tool} />
            </ControlButton>
            {!isReadOnly && (
              <ControlButton title={i18n.t('Add a note')} aria-label={i18n.t('Add a note')} onClick={addNote}>
                <StickyNote aria-hidden className={canvas.tool} />
              </ControlButton>
            )}
          </Controls>
          {edgeWithActions !== undefined && (
            <EdgeActions
              definition={definition}
              types={model.types}
              id={edgeWithActions}
              onAdd={() => model.open({ kind: 'add', spot: { kind: 'edge', id: edgeWithActions } })}
              onDelete={() => model.apply((before) => disconnect(before, new Set([edgeWithActions])))}
            />
          )}
          {nodes.length >= MAP_FROM && (
            <MiniMap className={canvas.map} pannable zoomable ariaLabel={i18n.t('Map of the workflow')} />
          )}
          {isFinding && (
            <Panel position="top-center">
              <FindNode
                definition={definition}
                types={model.types}
                onChoose={choose}
                onClose={() => setFinding(false)}
              />
            </Panel>
          )}
          {!isReadOnly && chosen.length > 1 && (
            <Panel position="bottom-center">
              <AlignBar
                onAlign={(how) => {
                  const boxes = chosen.map(({ id, position, width = 0, height = 0 }) => ({
                    id,
                    position,
                    width,
                    height,
                  }));
                  model.apply((before) => moveNodes(before, align(boxes, how)));
                }}
              />
            </Panel>
          )}
        </ReactFlow>
      )}
    </div>
  );
}

/**
 * Passes what React Flow reports to the model. The handlers are the same functions at each rendering: React Flow takes
 * another one as a change of its state, which it passes on to every node.
 */
function useGestures(model: EditorModel) {
  const [gestures, setGestures] = useState(AT_REST);
  // Several events may come before the next rendering.
  const latest = useRef<Gestures>(AT_REST);
  const handle = (event: CanvasEvent): void => {
    const next = onCanvasEvent(latest.current, event, model.read().selected);
    latest.current = next.gestures;
    setGestures(next.gestures);
    for (const command of next.commands) perform(model, command);
  };
  const onNodesChange = useCallbackRef((changes: Extract<CanvasEvent, { kind: 'nodesChanged' }>['changes']): void =>
    handle({ kind: 'nodesChanged', changes }),
  );
  const onEdgesChange = useCallbackRef((changes: Extract<CanvasEvent, { kind: 'edgesChanged' }>['changes']): void =>
    handle({ kind: 'edgesChanged', changes }),
  );
  const onDelete = useCallbackRef((removed: { nodes: CanvasNode[]; edges: Edge[] }): void =>
    handle({
      kind: 'deleted',
      nodeIds: removed.nodes.map(({ id }) => id),
      edgeIds: removed.edges.map(({ id }) => id),
    }),
  );
  const onConnect = useCallbackRef(
    ({ source, target, sourceHandle }: { source: string; target: string; sourceHandle: string | null }): void =>
      handle({ kind: 'connected', edge: { source, target, ...(sourceHandle !== null && { sourceHandle }) } }),
  );
  return { gestures, handlers: { onNodesChange, onEdgesChange, onDelete, onConnect } };
}

function perform(model: EditorModel, command: CanvasCommand): void {
  switch (command.kind) {
    case 'move':
      model.apply((before) => moveNodes(before, command.places), command.step);
      return;
    case 'resize': {
      const { id, width, height } = command;
      const note = definitionOf(model.read()).notes?.find((each) => noteKey(each.id) === id);
      if (note) model.apply((before) => changeNote(before, note.id, { width, height }));
      return;
    }
    case 'select':
      model.select(command.ids);
      return;
    case 'remove':
      model.remove(command.nodeIds, command.edgeIds);
      return;
    case 'connect':
      model.apply((before) => connect(before, command.edge));
  }
}

/** Handles connections without a target, and clicks on outputs: both ask for the node that follows the output. */
function useNextNode() {
  const { model } = useEditorSession();
  const flow = useReactFlow();
  const store = useStoreApi();
  const onConnectEnd = useCallbackRef<OnConnectEnd>((event, { fromNode, fromHandle, toNode }) => {
    if (model.read().isReadOnly || toNode || !fromNode || fromHandle.type !== 'source') return;
    const end = 'changedTouches' in event ? event.changedTouches[0] : event;
    if (!end || !isPane(document.elementFromPoint(end.clientX, end.clientY))) return;
    const { x, y } = flow.screenToFlowPosition({ x: end.clientX, y: end.clientY });
    const position = { x, y: y - handleTop(0, 0) };
    const spot = { kind: 'output', source: fromNode.id, sourceHandle: fromHandle.id ?? undefined, position } as const;
    model.open({ kind: 'add', spot });
  });
  const onClickConnectStart = useCallbackRef<OnConnectStart>((_, { nodeId, handleId, handleType }) => {
    if (model.read().isReadOnly || nodeId === null || handleType !== 'source') return;
    model.open({ kind: 'add', spot: { kind: 'output', source: nodeId, sourceHandle: handleId ?? undefined } });
    // Otherwise the next click on an input would connect the two.
    queueMicrotask(() => store.setState({ connectionClickStartHandle: null }));
  });
  return { onConnectEnd, onClickConnectStart };
}

/** Returns the edge under the mouse, and the handlers that find it, which are the same at each rendering. */
function useHoveredEdge() {
  const [hoveredEdge, setHoveredEdge] = useState<string>();
  const enter = useCallback((_: unknown, { id }: Edge) => setHoveredEdge(id), []);
  // Not when the mouse leaves the edge, because its buttons cover it.
  const leave = useCallback(() => setHoveredEdge(undefined), []);
  // Edges and their buttons are inside of the pane, which gets their events, too.
  const leaveForPane = useCallback(({ target, currentTarget }: MouseEvent) => {
    if (target === currentTarget) setHoveredEdge(undefined);
  }, []);
  return {
    hoveredEdge,
    hoverHandlers: { onEdgeMouseEnter: enter, onPaneMouseMove: leaveForPane, onNodeMouseEnter: leave },
  };
}

/**
 * Returns the element of the canvas, and the view that it opens with. Its size is known once it is there, before
 * anything is painted.
 */
function useFirstView(nodes: readonly CanvasNode[], selected: ReadonlySet<string>) {
  const element = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<Viewport>();
  const open = useEffectEvent(({ width, height }: DOMRect) => {
    const start =
      nodes.find(({ id }) => selected.has(id)) ?? nodes.find((node) => node.type === 'card' && node.data.isTrigger);
    setView(firstView(nodes, start, { width, height }));
  });
  useLayoutEffect(() => {
    if (element.current) open(element.current.getBoundingClientRect());
  }, []);
  return { element, view };
}

/** Returns a function that adds an empty note in the middle of what is seen, and selects it. */
function useAddNote(): () => void {
  const { model } = useEditorSession();
  const store = useStoreApi();
  return () => {
    const { width, height, transform } = store.getState();
    const [left, top, zoom] = transform;
    const size = sizeOfNote({});
    const position = {
      x: Math.round((width / 2 - left) / zoom - size.width / 2),
      y: Math.round((height / 2 - top) / zoom - size.height / 2),
    };
    if (!model.addNote({ text: '', position, ...size })) {
      notify(i18n.t('A workflow has at most {max} notes.', { max: MAX_NOTES }));
    }
  };
}

/** Keys of the canvas. Elsewhere the browser finds text, and dialogs have keys of their own. */
function useCanvasKeys(
  element: RefObject<HTMLElement | null>,
  { addNote, find }: { readonly addNote: () => void; readonly find: () => void },
): void {
  const onCanvas =
    (act: () => void) =>
    (event: KeyboardEvent): void => {
      const { activeElement } = document;
      if (activeElement !== document.body && !element.current?.contains(activeElement)) return;
      event.preventDefault();
      act();
    };
  useHotkeys([
    ['shift+S', onCanvas(addNote), { preventDefault: false }],
    ['mod+F', onCanvas(find), { preventDefault: false }],
  ]);
}

/** Returns true for the part of the canvas where nothing is. */
function isPane(element: Element | null): boolean {
  return element?.classList.contains('react-flow__pane') ?? false;
}
