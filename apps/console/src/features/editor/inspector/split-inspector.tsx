import { useLocalStorage, useSplitter } from '@mantine/hooks';
import type { CSSProperties, ReactNode } from 'react';
import { i18n } from '../../../language/i18n.ts';
import classes from '../workbench.module.css';

/**
 * The canvas, and beside it the inspector; mouse, finger or arrow keys move the edge between them. On a narrow screen
 * the inspector is above the canvas, as wide as that.
 */
export function SplitInspector({ inspector, children }: { inspector: ReactNode; children: ReactNode }) {
  const [width, setWidth] = useInspectorWidth();
  const { ref, getHandleProps } = useSplitter({
    panels: [
      { defaultSize: 100, min: 25 },
      { defaultSize: toPx(INSPECTOR_PX.default), min: toPx(INSPECTOR_PX.min), max: toPx(INSPECTOR_PX.max) },
    ],
    sizes: [100, toPx(width)],
    onSizeChange: ([, size]) => setWidth(Number.parseFloat(String(size))),
    step: '20px',
  });
  const style: CSSProperties & { '--inspector': string } = { '--inspector': toPx(width) };
  return (
    <div ref={ref} className={classes.bench} style={style}>
      {children}
      <div {...getHandleProps({ index: 0 })} className={classes.edge} aria-label={i18n.t('Resize inspector')} />
      {inspector}
    </div>
  );
}

function toPx(size: number): `${number}px` {
  return `${size}px`;
}

/** Widths of the inspector, in px. */
const INSPECTOR_PX = { default: 420, min: 320, max: 720 } as const;

/** Keeps the width of the inspector, in px, in this browser. */
function useInspectorWidth(): [number, (width: number) => void] {
  const [width, set] = useLocalStorage({
    key: 'deckhand.inspector',
    defaultValue: INSPECTOR_PX.default,
    getInitialValueInEffect: false,
    deserialize: readWidth,
  });
  return [width, set];
}

function readWidth(text: string | undefined): number {
  const width = Number(text ?? Number.NaN);
  return Number.isFinite(width) ? Math.min(INSPECTOR_PX.max, Math.max(INSPECTOR_PX.min, width)) : INSPECTOR_PX.default;
}
