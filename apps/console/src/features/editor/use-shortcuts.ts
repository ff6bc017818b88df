import { getHotkeyHandler, useHotkeys, useWindowEvent } from '@mantine/hooks';
import { useWorkspace } from '../../api/use-workspace.ts';
import { useCanvasRuns } from './runs/canvas-runs.tsx';
import { useEditorSession } from './model/editor-session.tsx';
import { useInsertion } from './inspector/insertion.tsx';

/** Keyboard shortcuts of the editor's page; keys for typing keep their meaning in fields. */
export function useShortcuts(): void {
  const { model, versions } = useEditorSession();
  const { can } = useWorkspace();
  const { field, dock } = useInsertion();
  const { test, isStarting } = useCanvasRuns();
  const isOpen = (...kinds: readonly string[]): boolean => kinds.includes(model.read().dialog?.kind ?? '');
  const save = (): void => {
    // Saves from the dialog go through its comment.
    if (!isOpen('comment') && !model.read().isReadOnly) void versions.save().catch(() => undefined);
  };
  const runs: [string, () => void][] = [
    [
      'mod+Enter',
      () => {
        if (can('runs.start') && !isOpen('comment', 'versions', 'settings')) model.open({ kind: 'run' });
      },
    ],
    [
      'mod+shift+Enter',
      () => {
        if (!isOpen('comment', 'versions', 'settings', 'run') && !isStarting) test?.();
      },
    ],
  ];
  const switchToDock = (): void => {
    const { current: element } = dock.ref;
    if (element?.contains(document.activeElement)) field?.focus();
    else element?.focus();
  };
  // Also in fields, including code editors.
  useHotkeys([['mod+S', save], ['F6', switchToDock], ...runs], [], true);
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
    [
      'N',
      () => {
        if (!model.read().isReadOnly) model.open({ kind: 'add', spot: { kind: 'next' } });
      },
    ],
    ['mod+Z', () => model.undo()],
    ['mod+shift+Z', () => model.redo()],
    ['mod+Y', () => model.redo()],
  ]);
}
