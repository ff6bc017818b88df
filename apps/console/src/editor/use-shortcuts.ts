import type { Definition } from '@deckhand/contracts';
import { useHotkeys } from '@mantine/hooks';
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
    readonly select: (ids: ReadonlySet<string>) => void;
    readonly isReadOnly: boolean;
  },
): void {
  const [clip, setClip] = useState<Clip>({ nodes: [], edges: [] });
  // Also in fields, including code editors.
  useHotkeys(
    [
      ['mod+S', actions.save],
      ['mod+Enter', actions.run],
    ],
    [],
    true,
  );
  useHotkeys([
    ['mod+Z', editor.undo],
    ['mod+shift+Z', editor.redo],
    ['mod+Y', editor.redo],
    ['mod+C', () => setClip(copyNodes(editor.definition, selected)), { preventDefault: false }],
    [
      'mod+V',
      () => {
        if (actions.isReadOnly || clip.nodes.length === 0) return;
        const pasted = paste(editor.definition, clip);
        editor.apply((): Definition => pasted.definition);
        actions.select(pasted.ids);
      },
    ],
  ]);
}
