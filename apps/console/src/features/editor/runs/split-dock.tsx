import { isJsonObject, parseJson } from '@deckhand/contracts';
import { useLocalStorage, useSplitter } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { i18n } from '../../../language/i18n.ts';
import classes from './dock.module.css';

/** The canvas, and below it the dock, if there is one; mouse, finger or arrow keys move the edge between them. */
export function SplitDock({
  dock,
  isOpen,
  share,
  onShare,
  children,
}: {
  dock: ReactNode;
  isOpen: boolean;
  /** The height of the open dock, in percent. */
  share: number;
  onShare: (share: number) => void;
  children: ReactNode;
}) {
  const { ref, getHandleProps } = useSplitter({
    orientation: 'vertical',
    panels: [
      { defaultSize: 55, min: 25, max: 85 },
      { defaultSize: 45, min: 15, max: 75 },
    ],
    sizes: [100 - share, share],
    onSizeChange: ([, size]) => {
      if (typeof size === 'number') onShare(size);
    },
    step: 4,
  });
  const isSplit = dock !== undefined && isOpen;
  return (
    <div ref={ref} className={classes.split}>
      <div className={classes.stage} style={{ flexGrow: isSplit ? 100 - share : 1 }}>
        {children}
      </div>
      {isSplit && (
        <div {...getHandleProps({ index: 0 })} className={classes.handle} aria-label={i18n.t('Resize run data')} />
      )}
      {dock !== undefined && (
        <div className={classes.pane} data-open={isOpen} style={isOpen ? { flex: `${share} 1 0` } : undefined}>
          {dock}
        </div>
      )}
    </div>
  );
}

/** The height of the dock in percent of the canvas, and whether it is open. */
interface DockSize {
  readonly share: number;
  readonly isOpen: boolean;
}

const DEFAULT: DockSize = { share: 45, isOpen: true };

/** Keeps the size of the dock in this browser. */
export function useDockSize(): [DockSize, (size: DockSize) => void] {
  const [size, set] = useLocalStorage({
    key: 'deckhand.dock',
    defaultValue: DEFAULT,
    getInitialValueInEffect: false,
    deserialize: readSize,
  });
  return [size, set];
}

function readSize(text: string | undefined): DockSize {
  try {
    const kept = parseJson(text ?? '');
    if (!isJsonObject(kept) || typeof kept.share !== 'number' || typeof kept.isOpen !== 'boolean') return DEFAULT;
    return { share: Math.min(75, Math.max(15, kept.share)), isOpen: kept.isOpen };
  } catch {
    return DEFAULT;
  }
}
