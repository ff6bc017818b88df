import { ViewportPortal } from '@xyflow/react';
import { boundsOf, type Placed, rectOf } from '../../../graph/bounds.ts';
import type { Position } from '../../../graph/layout.ts';
import { i18n } from '../../../language/i18n.ts';
import classes from './moved-frame.module.css';

/** The frame around the places that nodes get when they are dropped. */
export function MovedFrame({
  nodes,
  positions,
}: {
  nodes: readonly Placed[];
  positions: ReadonlyMap<string, Position>;
}) {
  const moved = nodes.flatMap((node) => {
    const position = positions.get(node.id);
    return position ? [rectOf({ ...node, position })] : [];
  });
  const frame = boundsOf(moved);
  if (!frame) return null;
  const { x, y, width, height } = frame;
  return (
    <ViewportPortal>
      <div className={classes.frame} style={{ transform: `translate(${x}px, ${y}px)`, width, height }}>
        {i18n.t('{count, plural, one {# node} other {# nodes}}', { count: moved.length })}
      </div>
    </ViewportPortal>
  );
}
