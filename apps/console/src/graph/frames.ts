import type { Execution } from '@deckhand/contracts';
import { boundsOf, type Rect } from './bounds.ts';
import type { Container } from './containers.ts';

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
  const inside = boundsOf(boxes);
  return (
    inside && {
      x: inside.x - PADDING,
      y: inside.y - PADDING - TITLE_HEIGHT,
      width: inside.width + 2 * PADDING,
      height: inside.height + 2 * PADDING + TITLE_HEIGHT,
    }
  );
}

/** Returns how many iterations of a loop a run has begun; undefined for a try, and before the first. */
export function iterationsOf({ kind, own }: Container, progress: Execution['progress']): number | undefined {
  if (kind !== 'loop') return undefined;
  const counts = own.flatMap((id) => progress[id]?.iterations ?? []);
  return counts.length === 0 ? undefined : Math.max(...counts);
}
