import type { EdgeDefinition } from '@deckhand/contracts';
import type { EdgeChange, NodeChange } from '@xyflow/react';
import type { Position } from '../../../graph/layout.ts';

/** What happens on the canvas before the definition changes: only the canvas has it. Ids are those of the canvas. */
export interface Gestures {
  /** Where dragged nodes and notes are now. */
  readonly dragged: ReadonlyMap<string, Position>;
  /** A note whose size changes now. */
  readonly resized: Resized | undefined;
  readonly selectedEdges: ReadonlySet<string>;
}

/** A note and its size, in px. */
export interface Resized {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** What React Flow reports. */
export type CanvasEvent =
  | { readonly kind: 'nodesChanged'; readonly changes: readonly NodeChange[] }
  | { readonly kind: 'edgesChanged'; readonly changes: readonly EdgeChange[] }
  | { readonly kind: 'deleted'; readonly nodeIds: Iterable<string>; readonly edgeIds: Iterable<string> }
  | { readonly kind: 'connected'; readonly edge: EdgeDefinition };

/** A change of the model, which is one step to undo. */
export type CanvasCommand =
  /** Consecutive moves of the same step are undone together. */
  | { readonly kind: 'move'; readonly places: ReadonlyMap<string, Position>; readonly step: string | undefined }
  | ({ readonly kind: 'resize' } & Resized)
  | { readonly kind: 'select'; readonly ids: ReadonlySet<string> }
  | { readonly kind: 'remove'; readonly nodeIds: ReadonlySet<string>; readonly edgeIds: ReadonlySet<string> }
  | { readonly kind: 'connect'; readonly edge: EdgeDefinition };

/** The canvas while nothing happens on it. */
export const AT_REST: Gestures = { dragged: new Map(), resized: undefined, selectedEdges: new Set() };

/**
 * Returns the gestures after an event, and the commands that follow from it. A drag, a change of a size and a deletion
 * each lead to one command, when they end.
 * @param selected the selected nodes and notes before the event.
 */
export function onCanvasEvent(
  gestures: Gestures,
  event: CanvasEvent,
  selected: ReadonlySet<string>,
): { readonly gestures: Gestures; readonly commands: readonly CanvasCommand[] } {
  switch (event.kind) {
    case 'nodesChanged':
      return onNodesChanged(gestures, event.changes, selected);
    case 'edgesChanged': {
      const selectedEdges = selectionAfter(gestures.selectedEdges, event.changes);
      return { gestures: { ...gestures, selectedEdges }, commands: [] };
    }
    case 'deleted': {
      // React Flow reports the same edges and nodes also as changes, one after the other.
      const [nodeIds, edgeIds] = [new Set(event.nodeIds), new Set(event.edgeIds)];
      const selectedEdges = new Set([...gestures.selectedEdges].filter((id) => !edgeIds.has(id)));
      return { gestures: { ...gestures, selectedEdges }, commands: [{ kind: 'remove', nodeIds, edgeIds }] };
    }
    case 'connected':
      return { gestures, commands: [{ kind: 'connect', edge: event.edge }] };
  }
}

function onNodesChanged(
  before: Gestures,
  changes: readonly NodeChange[],
  selected: ReadonlySet<string>,
): { readonly gestures: Gestures; readonly commands: readonly CanvasCommand[] } {
  const commands: CanvasCommand[] = [];
  let { dragged, resized } = before;
  for (const change of changes) {
    // Sizes that were measured have no such mark.
    if (change.type !== 'dimensions' || change.resizing === undefined || !change.dimensions) continue;
    const { width, height } = change.dimensions;
    const size = { id: change.id, width: Math.round(width), height: Math.round(height) };
    resized = change.resizing ? size : undefined;
    if (!change.resizing) commands.push({ kind: 'resize', ...size });
  }
  const moves = changes.filter((change) => change.type === 'position');
  if (moves.length > 0) {
    const places = new Map(dragged);
    for (const { id, position } of moves) if (position) places.set(id, position);
    if (moves.some(({ dragging }) => dragging === true)) {
      dragged = places;
    } else {
      // Moves by arrow keys belong together, drags do not.
      const step = dragged.size > 0 ? undefined : `move ${[...places.keys()].join()}`;
      commands.push({ kind: 'move', places, step });
      dragged = AT_REST.dragged;
    }
  }
  if (changes.some(({ type }) => type === 'select')) {
    commands.push({ kind: 'select', ids: selectionAfter(selected, changes) });
  }
  return { gestures: { ...before, dragged, resized }, commands };
}

function selectionAfter(
  selected: ReadonlySet<string>,
  changes: readonly (NodeChange | EdgeChange)[],
): ReadonlySet<string> {
  const after = new Set(selected);
  for (const change of changes) {
    if (change.type !== 'select') continue;
    if (change.selected) after.add(change.id);
    else after.delete(change.id);
  }
  return after;
}
