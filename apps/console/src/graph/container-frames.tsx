import type { Execution } from '@deckhand/contracts';
import { ViewportPortal } from '@xyflow/react';
import { i18n } from '../language/i18n.ts';
import { type Placed, rectOf } from './bounds.ts';
import classes from './container-frames.module.css';
import type { Container } from './containers.ts';
import { framesOf, iterationsOf } from './frames.ts';

/** Frames behind the nodes, around the bodies of loops and tries. Screen readers have the edges instead. */
export function ContainerFrames({
  containers,
  nodes,
  progress,
}: {
  containers: readonly Container[];
  nodes: readonly Placed[];
  /** Of a run, whose iterations are shown. */
  progress?: Execution['progress'] | undefined;
}) {
  if (containers.length === 0) return null;
  const boxes = new Map(nodes.map((node) => [node.id, rectOf(node)]));
  const frames = framesOf(containers, boxes);
  return (
    <ViewportPortal>
      {/* Outer ones first, below the others. */}
      {containers.toReversed().map((container) => {
        const { id, name = id } = container.node;
        const frame = frames.get(id);
        const count = progress && iterationsOf(container, progress);
        return (
          frame && (
            <div
              key={id}
              className={classes.frame}
              aria-hidden
              style={{ transform: `translate(${frame.x}px, ${frame.y}px)`, width: frame.width, height: frame.height }}
            >
              <span className={classes.title}>{name}</span>
              {count !== undefined && (
                <span> · {i18n.t('{count, plural, one {# iteration} other {# iterations}}', { count })}</span>
              )}
            </div>
          )
        );
      })}
    </ViewportPortal>
  );
}
