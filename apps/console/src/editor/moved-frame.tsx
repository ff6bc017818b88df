import { ViewportPortal } from '@xyflow/react';
import type { Position } from '../graph/layout.js';
import { i18n } from '../language/i18n.js';
import classes from './moved-frame.module.css';

/** A node on the canvas, with its size in px. */
interface Sized {
  readonly id: string;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** The frame around the places that nodes get when they are dropped. */
export function MovedFrame({
  nodes,
  positions,
}: {
  nodes: readonly Sized[];
  positions: ReadonlyMap<string, Position>;
}) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { id, width = 0, height = 0 } of nodes) {
    const position = positions.get(id);
    if (!position) continue;
    left = Math.min(left, position.x);
    top = Math.min(top, position.y);
    right = Math.max(right, position.x + width);
    bottom = Math.max(bottom, position.y + height);
  }
  return (
    <ViewportPortal>
      <div
        className={classes.frame}
        style={{ transform: `translate(${left}px, ${top}px)`, width: right - left, height: bottom - top }}
      >
        {i18n.t('{count, plural, one {# node} other {# nodes}}', { count: positions.size })}
      </div>
    </ViewportPortal>
  );
}
