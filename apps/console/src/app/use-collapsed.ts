import { useLocalStorage, useMediaQuery } from '@mantine/hooks';

/** Keeps in this browser whether the navigation is collapsed. On a phone, which has no room beside it, it never is. */
export function useCollapsed(): {
  readonly isCollapsed: boolean;
  readonly isWide: boolean;
  readonly toggle: () => void;
} {
  // The breakpoint of the shell.
  const isWide = useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false });
  const [isKept, keep] = useLocalStorage({
    key: 'deckhand.navigation',
    defaultValue: false,
    getInitialValueInEffect: false,
    serialize: (isCollapsed) => (isCollapsed ? 'collapsed' : 'expanded'),
    deserialize: (text) => text === 'collapsed',
  });
  return { isCollapsed: isWide && isKept, isWide, toggle: () => keep(!isKept) };
}
