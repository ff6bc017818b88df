import type { Definition } from '@deckhand/contracts';
import { getHotkeyHandler, useHotkeys, useWindowEvent } from '@mantine/hooks';
import { useState } from 'react';
import { type Clip, copyNodes, paste } from './edits.js';
import type { Editor } from './use-editor.js';

/** Keyboard shortcuts of the editor's page; keys for typing keep their meaning in fields. */
export function useShortcuts(
  editor: Editor,
  selected: ReadonlySet<string>,
  actions: {
    readonly save: () => void;
    readonly run: () => void;
    /** Runs the selected node alone. */
    readonly test: () => void;
    readonly add: () => void;
    readonly select: (ids: ReadonlySet<string>) => void;
    readonly isReadOnly: boolean;
  },
): void {
  const [clip, setClip] = useState<Clip>({ nodes: [], edges: [], notes: [] });
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
    ['mod+C', () => setClip(copyNodes(editor.definition, selected)), { preventDefault: false }],
    [
      'mod+V',
      () => {
        if (actions.isReadOnly || clip.nodes.length + clip.notes.length === 0) return;
        const pasted = paste(editor.definition, clip);
        editor.apply((): Definition => pasted.definition);
        actions.select(pasted.ids);
      },
    ],
  ]);
}
