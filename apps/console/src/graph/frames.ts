import { type Execution, FRAME_PADDING, FRAME_TITLE_HEIGHT } from '@deckhand/contracts';
import { boundsOf, type Rect } from './bounds.ts';
import type { Container } from './containers.ts';

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
      x: inside.x - FRAME_PADDING,
      y: inside.y - FRAME_PADDING - FRAME_TITLE_HEIGHT,
      width: inside.width + 2 * FRAME_PADDING,
      height: inside.height + 2 * FRAME_PADDING + FRAME_TITLE_HEIGHT,
    }
  );
}

/** Returns how many iterations of a loop a run has begun; undefined for a try, and before the first. */
export function iterationsOf({ kind, own }: Container, progress: Execution['progress']): number | undefined {
  if (kind !== 'loop') return undefined;
  const counts = own.flatMap((id) => progress[id]?.iterations ?? []);
  return counts.length === 0 ? undefined : Math.max(...counts);
}
