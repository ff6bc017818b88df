import { useReactFlow, useStoreApi } from '@xyflow/react';
import { useCallback } from 'react';
import { cardHeight, CARD_WIDTH } from '../../graph/card-size.js';
import type { Position } from '../../graph/layout.js';

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

/** Returns how far a span has to be moved to be within a length. */
function distanceInto(start: number, span: number, length: number): number {
  if (start < MARGIN_PX) return MARGIN_PX - start;
  return Math.min(0, length - MARGIN_PX - span - start);
}
