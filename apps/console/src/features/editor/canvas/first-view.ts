import type { Viewport } from '@xyflow/react';
import { boundsOf, type Placed, rectOf } from '../../../graph/bounds.ts';

/** Zooms between which the canvas opens: nodes are readable, and not enlarged. */
const ZOOM = { min: 0.75, max: 1 };
/** Space around the graph, in px. */
const MARGIN = 40;

/**
 * Returns the view that the canvas opens with: the whole graph in the middle, if it is readable then. Otherwise a node,
 * such as the trigger, is at the left edge, with what follows beside it.
 * @param start the node at the left edge.
 * @param size of the canvas, in px.
 */
export function firstView(
  nodes: readonly Placed[],
  start: Placed | undefined,
  size: { readonly width: number; readonly height: number },
): Viewport {
  const graph = boundsOf(nodes.map(rectOf));
  if (!graph) return { x: 0, y: 0, zoom: ZOOM.max };
  const fit = Math.min((size.width - 2 * MARGIN) / graph.width, (size.height - 2 * MARGIN) / graph.height, ZOOM.max);
  if (fit >= ZOOM.min) {
    return {
      x: size.width / 2 - (graph.x + graph.width / 2) * fit,
      y: size.height / 2 - (graph.y + graph.height / 2) * fit,
      zoom: fit,
    };
  }
  const { x, y, height } = start ? rectOf(start) : graph;
  return { x: MARGIN - x * ZOOM.min, y: size.height / 2 - (y + height / 2) * ZOOM.min, zoom: ZOOM.min };
}
