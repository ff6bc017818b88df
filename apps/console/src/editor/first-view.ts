import type { Viewport } from '@xyflow/react';

/** A node on the canvas: its place and size, in px. */
interface Placed {
  readonly id: string;
  readonly position: { readonly x: number; readonly y: number };
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** Zooms between which the canvas opens: nodes are readable, and never larger than life. */
const ZOOM = { min: 0.75, max: 1 };
/** Space around the graph, in px. */
const MARGIN = 40;

/**
 * Returns the view that the canvas opens with: the whole graph in the middle, if it is readable then. Otherwise the
 * node at which to start reading, such as the trigger, is at the left edge, with what follows beside it.
 * @param size of the canvas, in px.
 */
export function firstView(
  nodes: readonly Placed[],
  start: string | undefined,
  size: { readonly width: number; readonly height: number },
): Viewport {
  const boxes = nodes.map(({ id, position: { x, y }, width = 0, height = 0 }) => ({ id, x, y, width, height }));
  const [first] = boxes;
  if (!first) return { x: 0, y: 0, zoom: ZOOM.max };
  const left = Math.min(...boxes.map(({ x }) => x));
  const top = Math.min(...boxes.map(({ y }) => y));
  const width = Math.max(...boxes.map((box) => box.x + box.width)) - left;
  const height = Math.max(...boxes.map((box) => box.y + box.height)) - top;
  const fit = Math.min((size.width - 2 * MARGIN) / width, (size.height - 2 * MARGIN) / height, ZOOM.max);
  if (fit >= ZOOM.min) {
    return {
      x: size.width / 2 - (left + width / 2) * fit,
      y: size.height / 2 - (top + height / 2) * fit,
      zoom: fit,
    };
  }
  const box = boxes.find(({ id }) => id === start) ?? first;
  return { x: MARGIN - box.x * ZOOM.min, y: size.height / 2 - (box.y + box.height / 2) * ZOOM.min, zoom: ZOOM.min };
}
