import { isJsonObject, parseJson } from '@deckhand/contracts';
import { useLocalStorage } from '@mantine/hooks';
import { parseRunFilter, type RunFilter } from '../../api/run-filter.ts';

/** Filters of the list of runs that a person keeps under a name. */
export interface SavedView {
  readonly name: string;
  readonly filter: RunFilter;
}

/** Most views that are kept of a list. */
export const MAX_VIEWS = 30;

/**
 * The views that this browser stores of a list for a person, by name, and a function that stores others. It returns
 * false if there is no room.
 */
export function useSavedViews(
  personId: string,
  listId: string,
): [SavedView[], (views: readonly SavedView[]) => boolean] {
  const key = `deckhand.views.${personId}.${listId}`;
  const [views, set] = useLocalStorage({
    key,
    defaultValue: [],
    getInitialValueInEffect: false,
    deserialize: readViews,
  });
  const keep = (next: readonly SavedView[]): boolean => {
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      return false;
    }
    set([...next]);
    return true;
  };
  return [views, keep];
}

/** Whether a view can be added under a name: there is room, or it takes the place of one of the same name. */
export function hasRoomFor(views: readonly SavedView[], added: string): boolean {
  return views.length < MAX_VIEWS || views.some(({ name }) => name === added);
}

/** Puts a view into the list, in place of one of the same name. */
export function withView(views: readonly SavedView[], added: SavedView): SavedView[] {
  const others = views.filter(({ name }) => name !== added.name);
  return [...others, added].sort((one, other) => one.name.localeCompare(other.name));
}

/** Reads what a browser has stored; whatever is not a view is left out. */
export function readViews(stored: string | undefined): SavedView[] {
  try {
    const list = parseJson(stored ?? '[]');
    if (!Array.isArray(list)) return [];
    return list.flatMap((entry) => {
      if (!isJsonObject(entry)) return [];
      const { name, filter } = entry;
      return typeof name === 'string' && isJsonObject(filter) ? [{ name, filter: parseRunFilter(filter) }] : [];
    });
  } catch {
    return [];
  }
}
