import { isJsonObject, parseJson } from '@deckhand/contracts';
import { useLocalStorage } from '@mantine/hooks';

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
