import { parseJson } from '@deckhand/contracts';
import { useLocalStorage } from '@mantine/hooks';

/** Most favorites of a workspace: the navigation has room for no more. */
export const MAX_FAVORITES = 12;

/**
 * The workflows of a workspace that this browser keeps as favorites of a person, the latest last, and what adds or
 * removes one.
 */
export function useFavorites(personId: string, workspaceId: string): [readonly string[], (workflowId: string) => void] {
  const [ids, set] = useLocalStorage<readonly string[]>({
    key: `deckhand.favorites.${personId}.${workspaceId}`,
    defaultValue: [],
    getInitialValueInEffect: false,
    deserialize: readFavorites,
  });
  const toggle = (workflowId: string): void =>
    set((before) =>
      before.includes(workflowId)
        ? before.filter((id) => id !== workflowId)
        : [...before, workflowId].slice(-MAX_FAVORITES),
    );
  return [ids, toggle];
}

/** Reads what a browser has stored; whatever is not an id is left out. */
export function readFavorites(stored: string | undefined): readonly string[] {
  try {
    const list = parseJson(stored ?? '[]');
    return Array.isArray(list) ? list.filter((id) => typeof id === 'string').slice(-MAX_FAVORITES) : [];
  } catch {
    return [];
  }
}
