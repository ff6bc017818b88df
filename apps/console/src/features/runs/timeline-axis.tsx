import { ActionIcon } from '@mantine/core';
import { ChevronLeft, ChevronRight, Maximize2, ZoomIn, ZoomOut } from 'lucide-react';
import { type PointerEvent, useState } from 'react';
import { i18n } from '../../language/i18n.ts';
import type { RunTimes, Span } from './bars.ts';
import { between, shift, WHOLE, zoom } from './timeline-view.ts';
import classes from './timeline.module.css';

/** The shortest drag that chooses a part, as a share of the axis: a click is not one. */
const MIN_DRAG = 0.02;

/** The axis of a timeline, with the buttons that change its view; a drag over the axis chooses a part. */
export function TimelineAxis({
  ticksOf,
  view,
  center,
  onView,
}: {
  ticksOf: RunTimes['ticksOf'];
  view: Span;
  /** Where buttons zoom in, in percent of the timeline; undefined for the middle of the view. */
  center: number | undefined;
  onView: (view: Span) => void;
}) {
  const [drag, setDrag] = useState<readonly [number, number]>();
  const isWhole = view.width >= 100;
  const zoomBy = (factor: number): void => onView(zoom(view, factor, center ?? view.left + view.width / 2));
  const actions = [
    { label: i18n.t('Zoom in'), Icon: ZoomIn, isOff: false, act: () => zoomBy(0.5) },
    { label: i18n.t('Zoom out'), Icon: ZoomOut, isOff: isWhole, act: () => zoomBy(2) },
    { label: i18n.t('Earlier'), Icon: ChevronLeft, isOff: view.left <= 0, act: () => onView(shift(view, -0.5)) },
    {
      label: i18n.t('Later'),
      Icon: ChevronRight,
      isOff: view.left + view.width >= 100,
      act: () => onView(shift(view, 0.5)),
    },
    { label: i18n.t('Whole run'), Icon: Maximize2, isOff: isWhole, act: () => onView(WHOLE) },
  ];
  const end = (): void => {
    if (drag && Math.abs(drag[0] - drag[1]) >= MIN_DRAG) onView(between(view, drag));
    setDrag(undefined);
  };
  return (
    <div className={classes.head}>
      <div className={classes.zoom} role="group" aria-label={i18n.t('View of the timeline')}>
        {actions.map(({ label, Icon, isOff, act }) => (
          <ActionIcon
            key={label}
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={label}
            title={label}
            disabled={isOff}
            onClick={act}
          >
            <Icon size={14} aria-hidden />
          </ActionIcon>
        ))}
      </div>
      <span
        className={classes.axis}
        aria-hidden
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag([shareOf(event), shareOf(event)]);
        }}
        onPointerMove={(event) => setDrag((before) => before && [before[0], shareOf(event)])}
        onPointerUp={end}
        onPointerCancel={() => setDrag(undefined)}
      >
        {ticksOf(view).map(({ left, label }) => (
          <span key={label} className={classes.tick} style={{ left: `${left}%` }}>
            {label}
          </span>
        ))}
        {drag && (
          <span
            className={classes.drag}
            style={{ left: `${Math.min(...drag) * 100}%`, width: `${Math.abs(drag[0] - drag[1]) * 100}%` }}
          />
        )}
      </span>
    </div>
  );
}

/** Returns where the pointer is on the axis, from 0 to 1. */
function shareOf({ clientX, currentTarget }: PointerEvent): number {
  const { left, width } = currentTarget.getBoundingClientRect();
  return Math.min(1, Math.max(0, (clientX - left) / width));
}
