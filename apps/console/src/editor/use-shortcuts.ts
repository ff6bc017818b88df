import { getHotkeyHandler, useHotkeys, useWindowEvent } from '@mantine/hooks';
import type { Editor } from './use-editor.ts';

/** Keyboard shortcuts of the editor's page; keys for typing keep their meaning in fields. */
export function useShortcuts(
  editor: Editor,
  actions: {
    readonly save: () => void;
    readonly run: () => void;
    /** Runs the selected node alone. */
    readonly test: () => void;
    readonly add: () => void;
    readonly isReadOnly: boolean;
  },
): void {
  const runs: [string, () => void][] = [
    ['mod+Enter', actions.run],
    ['mod+shift+Enter', actions.test],
  ];
  // Also in fields, including code editors.
  useHotkeys([['mod+S', actions.save], ...runs], [], true);
  // Before the canvas, which would deselect the node that has the focus.
  const runOnCanvas = getHotkeyHandler(
    runs.map(([key, act]) => [
      key,
      (event: KeyboardEvent) => {
        event.stopPropagation();
        act();
      },
    ]),
  );
  useWindowEvent(
    'keydown',
    (event) => {
      if (event.target instanceof Element && event.target.closest('.react-flow')) runOnCanvas(event);
    },
    { capture: true },
  );
  useHotkeys([
    ['N', () => !actions.isReadOnly && actions.add()],
    ['mod+Z', editor.undo],
    ['mod+shift+Z', editor.redo],
    ['mod+Y', editor.redo],
  ]);
}
