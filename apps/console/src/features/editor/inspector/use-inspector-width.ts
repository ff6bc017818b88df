import { useLocalStorage } from '@mantine/hooks';

/** Widths of the inspector, in px. */
export const INSPECTOR_PX = { default: 420, min: 320, max: 720 } as const;

/** Keeps the width of the inspector, in px, in this browser. */
export function useInspectorWidth(): [number, (width: number) => void] {
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
