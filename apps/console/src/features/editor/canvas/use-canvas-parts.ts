import type { NodeDefinition, NoteDefinition } from '@deckhand/contracts';
import type { Edge } from '@xyflow/react';
import { useMemo } from 'react';
import { type CardNode, toCard, toFlowEdge, toFlowNode } from '../../../graph/flow.ts';
import { cachedFor } from '../../../components/cached-for.ts';
import { statusOf } from '../../../graph/node-status.ts';
import type { Gestures } from './canvas-gestures.ts';
import { useCanvasRuns } from '../runs/canvas-runs.tsx';
import { definitionOf, issuesOf } from '../model/editor-model.ts';
import { useEditor, useEditorSession, usePinnedOutputs } from '../model/editor-session.tsx';
import { useReviews } from '../import-report.tsx';
import { removeNodes } from '../model/edits.ts';
import { issuesByNode } from '../model/issues.ts';
import { type NoteNode, selectNote, toFlowNote } from './note-card.tsx';
import { changeNote, noteKey } from '../model/notes.ts';

/** A node or a note on the canvas. */
export type CanvasNode = CardNode | NoteNode;

/** Maximum number of nodes that are drawn at each step of a drag. A larger selection is a frame until it is dropped. */
export const MAX_DRAWN_MOVES = 100;

const edgeOf = cachedFor(toFlowEdge);

/** Returns the nodes, notes and edges as React Flow draws them. Those that did not change are the same objects. */
export function useCanvasParts({ dragged, resized, selectedEdges }: Gestures): { nodes: CanvasNode[]; edges: Edge[] } {
  const definition = useEditor(definitionOf);
  const cards = useCards();
  const notes = useNotes();
  const nodes = useMemo(
    () =>
      [...notes, ...cards].map((part): CanvasNode => {
        const position = dragged.size > MAX_DRAWN_MOVES ? undefined : dragged.get(part.id);
        const moved = position === undefined ? part : { ...part, position };
        if (moved.id !== resized?.id) return moved;
        const { width, height } = resized;
        return { ...moved, width, height, measured: { width, height } };
      }),
    [notes, cards, dragged, resized],
  );
  const edges = useMemo(
    () => definition.edges.map(edgeOf).map((edge) => (selectedEdges.has(edge.id) ? { ...edge, selected: true } : edge)),
    [definition.edges, selectedEdges],
  );
  return { nodes, edges };
}

/** Returns the nodes, with their status in the run on the canvas. */
function useCards(): CardNode[] {
  const { types } = useEditorSession().model;
  const definition = useEditor(definitionOf);
  const selected = useEditor((state) => state.selected);
  const issues = useEditor(issuesOf);
  const pinned = usePinnedOutputs();
  const reviews = useReviews();
  const { run, version } = useCanvasRuns().shown;
  const cardOf = useMemo(
    () =>
      cachedFor((node: NodeDefinition) => toFlowNode(node.id, toCard(node, types), node.position ?? { x: 0, y: 0 })),
    [types],
  );
  const cards = useMemo(() => definition.nodes.map(cardOf), [definition.nodes, cardOf]);
  const texts = useMemo(() => issuesByNode(issues), [issues]);
  const ran = version?.definition;
  // Nodes that the version that ran did not have show no status.
  const ranIds = useMemo(() => ran && new Set(ran.nodes.map(({ id }) => id)), [ran]);
  const progress = run?.progress;
  return useMemo(
    () =>
      cards.map((card): CardNode => {
        const hasRun = progress !== undefined && ranIds?.has(card.id) !== false;
        const entry = progress?.[card.id];
        const status = hasRun ? (entry ? statusOf(entry) : 'pending') : undefined;
        const issue = texts.get(card.id) ?? card.data.issue;
        const review = reviews.get(card.id);
        const isSelected = selected.has(card.id);
        const isPinned = Object.hasOwn(pinned, card.id);
        const isPlain = status === undefined && issue === card.data.issue && review === undefined;
        if (isPlain && !isSelected && !isPinned) return card;
        return { ...card, selected: isSelected, data: { ...card.data, status, issue, review, isPinned } };
      }),
    [cards, texts, reviews, progress, ranIds, pinned, selected],
  );
}

/** Returns the notes, with what edits them. */
function useNotes(): NoteNode[] {
  const { model } = useEditorSession();
  const { notes } = useEditor(definitionOf);
  const selected = useEditor((state) => state.selected);
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const noteOf = useMemo(
    () =>
      cachedFor((note: NoteDefinition) =>
        toFlowNote(
          note,
          isReadOnly
            ? undefined
            : {
                change: (change, step) =>
                  model.apply(
                    (before) => changeNote(before, note.id, change),
                    step === undefined ? undefined : `note ${note.id} ${step}`,
                  ),
                remove: () => model.apply((before) => removeNodes(before, new Set([noteKey(note.id)]))),
              },
        ),
      ),
    [isReadOnly, model],
  );
  return useMemo(
    () => (notes ?? []).map((note) => (selected.has(noteKey(note.id)) ? selectNote(noteOf(note)) : noteOf(note))),
    [notes, noteOf, selected],
  );
}
