import type { Execution } from '@deckhand/contracts';
import type { Container } from './containers.js';

/** A place on the canvas, in px. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The space around the nodes in a frame, in px; above them is its title. */
const PADDING = 16;
const TITLE_HEIGHT = 22;

/**
 * Returns the frame of each container, around the nodes of its body and the frames in it.
 * @param containers inner ones first.
 * @param boxes of nodes, by id.
 */
export function framesOf(containers: readonly Container[], boxes: ReadonlyMap<string, Rect>): Map<string, Rect> {
  const frames = new Map<string, Rect>();
  for (const { node, own } of containers) {
    const inside = own.flatMap((id) => [boxes.get(id), frames.get(id)]);
    const frame = around(inside.filter((box) => box !== undefined));
    if (frame) frames.set(node.id, frame);
  }
  return frames;
}

function around(boxes: readonly Rect[]): Rect | undefined {
  if (boxes.length === 0) return undefined;
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y, width, height } of boxes) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  return {
    x: left - PADDING,
    y: top - PADDING - TITLE_HEIGHT,
    width: right - left + 2 * PADDING,
    height: bottom - top + 2 * PADDING + TITLE_HEIGHT,
  };
}

/** Returns how many iterations of a loop a run has begun; undefined for a try, and before the first. */
export function iterationsOf({ node, own }: Container, progress: Execution['progress']): number | undefined {
  if (node.type !== 'loop') return undefined;
  const counts = own.flatMap((id) => progress[id]?.iterations ?? []);
  return counts.length === 0 ? undefined : Math.max(...counts);
}
