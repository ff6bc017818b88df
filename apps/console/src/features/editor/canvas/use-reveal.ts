import { CARD_WIDTH, cardHeight } from '@deckhand/contracts';
import { useReactFlow, useStore, useStoreApi } from '@xyflow/react';
import { useCallback, useEffect, useRef } from 'react';
import type { Position } from '../../../graph/layout.ts';
import { definitionOf } from '../model/editor-model.ts';
import { useEditorSession } from '../model/editor-session.tsx';

/** Space between a node and the edge of the canvas, in px. */
const MARGIN_PX = 16;

/**
 * Returns a function that moves the camera until a node is in view, no further, so that its neighbours stay in view. It
 * never zooms.
 */
export function useReveal(): (position: Position | undefined) => void {
  const flow = useReactFlow();
  const store = useStoreApi();
  return useCallback(
    (position) => {
      if (position === undefined) return;
      const { width, height } = store.getState();
      const { x, y, zoom } = flow.getViewport();
      const move = {
        x: distanceInto(position.x * zoom + x, CARD_WIDTH * zoom, width),
        y: distanceInto(position.y * zoom + y, cardHeight(0) * zoom, height),
      };
      if (move.x !== 0 || move.y !== 0) void flow.setViewport({ x: x + move.x, y: y + move.y, zoom });
    },
    [flow, store],
  );
}

/** Returns a function that selects a node, and brings it into view. */
export function useChooseNode(): (nodeId: string) => void {
  const { model } = useEditorSession();
  const reveal = useReveal();
  return (nodeId) => {
    model.select([nodeId]);
    reveal(definitionOf(model.read()).nodes.find(({ id }) => id === nodeId)?.position);
  };
}

/**
 * Keeps the middle of the graph in the middle, and a node in view, when the height of the canvas changes.
 * @param position of the node.
 */
export function useSteadyView(position: Position | undefined): void {
  const flow = useReactFlow();
  const reveal = useReveal();
  const height = useStore((state) => state.height);
  const before = useRef(0);
  const shown = useRef(position);
  useEffect(() => {
    shown.current = position;
  });
  useEffect(() => {
    const change = before.current === 0 ? 0 : height - before.current;
    before.current = height;
    if (change === 0) return;
    const { x, y, zoom } = flow.getViewport();
    void flow.setViewport({ x, y: y + change / 2, zoom }).then(() => reveal(shown.current));
  }, [flow, reveal, height]);
}

/** Returns how far a span has to be moved to be within a length. */
function distanceInto(start: number, span: number, length: number): number {
  if (start < MARGIN_PX) return MARGIN_PX - start;
  return Math.min(0, length - MARGIN_PX - span - start);
}
