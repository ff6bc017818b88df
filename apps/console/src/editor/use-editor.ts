import type { Definition } from '@deckhand/contracts';
import { useCallback, useMemo, useState } from 'react';
import { begin, edit, type History, redo, undo } from './history.js';

/** What is being edited, and how it is changed. */
export interface Editor {
  readonly definition: Definition;
  readonly isDirty: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Changes the definition. Changes of the same step in a row are taken back together. */
  readonly apply: (change: (definition: Definition) => Definition, step?: string) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  /** What is saved now is what is on the canvas. */
  readonly markSaved: (saved: Definition) => void;
  /** Begins anew with another definition, which is what is saved. */
  readonly load: (saved: Definition) => void;
}

/** Edits a definition, from what is saved. */
export function useEditor(initial: Definition): Editor {
  const [history, setHistory] = useState<History<Definition>>(() => begin(initial));
  const [saved, setSaved] = useState(initial);
  const apply = useCallback(
    (change: (definition: Definition) => Definition, step?: string) =>
      setHistory((before) => edit(before, change(before.present), step)),
    [],
  );
  const load = useCallback((definition: Definition) => {
    setHistory(begin(definition));
    setSaved(definition);
  }, []);
  return useMemo(
    () => ({
      definition: history.present,
      isDirty: history.present !== saved,
      canUndo: history.past.length > 0,
      canRedo: history.future.length > 0,
      apply,
      undo: () => setHistory(undo),
      redo: () => setHistory(redo),
      markSaved: setSaved,
      load,
    }),
    [history, saved, apply, load],
  );
}
