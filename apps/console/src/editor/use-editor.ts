import type { Definition } from '@deckhand/contracts';
import { useCallback, useMemo, useState } from 'react';
import { begin, edit, type History, redo, undo } from './history.ts';

/** The edited definition, and functions that change it. */
export interface Editor {
  readonly definition: Definition;
  readonly isDirty: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Changes the definition. Consecutive changes of the same step are undone together. */
  readonly apply: (change: (definition: Definition) => Definition, step?: string) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  /** Marks the definition on the canvas as saved. */
  readonly markSaved: (saved: Definition) => void;
  /** Replaces the definition by a saved one, with a new history. */
  readonly load: (saved: Definition) => void;
  /** Replaces the definition by a draft, with a new history. @returns the definition on the canvas. */
  readonly loadDraft: (draft: Definition) => Definition;
}

/**
 * Edits a definition.
 * @param start whether it is a draft instead of a saved definition; `place` gives positions to nodes without. With
 *   `isReadOnly`, there are no changes, whatever asks for them.
 */
export function useEditor(start: {
  readonly definition: Definition;
  readonly isDraft: boolean;
  readonly isReadOnly: boolean;
  readonly place: (definition: Definition) => Definition;
}): Editor {
  const { place, isReadOnly } = start;
  const [initial] = useState(() => place(start.definition));
  const [history, setHistory] = useState<History<Definition>>(() => begin(initial));
  const [saved, setSaved] = useState<Definition | undefined>(start.isDraft ? undefined : initial);
  const apply = useCallback(
    (change: (definition: Definition) => Definition, step?: string) =>
      setHistory((before) => (isReadOnly ? before : edit(before, change(before.present), step))),
    [isReadOnly],
  );
  const load = useCallback(
    (definition: Definition) => {
      const placed = place(definition);
      setHistory(begin(placed));
      setSaved(placed);
    },
    [place],
  );
  const loadDraft = useCallback(
    (definition: Definition) => {
      const placed = place(definition);
      setHistory(begin(placed));
      setSaved(undefined);
      return placed;
    },
    [place],
  );
  return useMemo(
    () => ({
      definition: history.present,
      isDirty: history.present !== saved,
      canUndo: !isReadOnly && history.past.length > 0,
      canRedo: !isReadOnly && history.future.length > 0,
      apply,
      undo: () => setHistory((before) => (isReadOnly ? before : undo(before))),
      redo: () => setHistory((before) => (isReadOnly ? before : redo(before))),
      markSaved: setSaved,
      load,
      loadDraft,
    }),
    [history, saved, isReadOnly, apply, load, loadDraft],
  );
}
