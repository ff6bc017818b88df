import type { Position } from '../../../graph/layout.ts';

/** A node or a note on the canvas, in px. */
export interface Box {
  readonly id: string;
  readonly position: Position;
  readonly width: number;
  readonly height: number;
}

/** How the selection can be arranged. */
export type Alignment = 'left' | 'center' | 'right' | 'top' | 'middle' | 'bottom' | 'horizontally' | 'vertically';

type Axis = 'x' | 'y';

const AXES: Readonly<Record<Alignment, Axis>> = {
  left: 'x',
  center: 'x',
  right: 'x',
  horizontally: 'x',
  top: 'y',
  middle: 'y',
  bottom: 'y',
  vertically: 'y',
};

/**
 * Returns the new positions of boxes: with an edge or their middles on one line, or (`horizontally`, `vertically`) with
 * equal gaps between the outermost ones.
 */
export function align(boxes: readonly Box[], how: Alignment): ReadonlyMap<string, Position> {
  const axis = AXES[how];
  const startOf = ({ position }: Box): number => position[axis];
  const lengthOf = ({ width, height }: Box): number => (axis === 'x' ? width : height);
  const at = (box: Box, start: number): [string, Position] => [box.id, { ...box.position, [axis]: Math.round(start) }];
  const first = Math.min(...boxes.map(startOf));
  const last = Math.max(...boxes.map((box) => startOf(box) + lengthOf(box)));
  switch (how) {
    case 'left':
    case 'top':
      return new Map(boxes.map((box) => at(box, first)));
    case 'center':
    case 'middle':
      return new Map(boxes.map((box) => at(box, (first + last - lengthOf(box)) / 2)));
    case 'right':
    case 'bottom':
      return new Map(boxes.map((box) => at(box, last - lengthOf(box))));
    case 'horizontally':
    case 'vertically': {
      const ordered = [...boxes].sort((one, other) => startOf(one) - startOf(other));
      const filled = ordered.reduce((sum, box) => sum + lengthOf(box), 0);
      const gap = (last - first - filled) / Math.max(1, ordered.length - 1);
      let next = first;
      return new Map(
        ordered.map((box) => {
          const start = next;
          next += lengthOf(box) + gap;
          return at(box, start);
        }),
      );
    }
  }
}
