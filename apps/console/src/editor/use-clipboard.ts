import { useWindowEvent } from '@mantine/hooks';
import { fromText, toText } from './clip-text.ts';
import { copyNodes, paste, removeNodes } from './edits.ts';
import type { Editor } from './use-editor.ts';

/** Elements in which the clipboard is for text. */
const TEXT_FIELDS = 'input, textarea, select, [contenteditable="true"], [role="dialog"]';

/**
 * Copies, cuts and pastes parts of the workflow by the clipboard of the system, as JSON: also from one workflow or
 * window to another. Text that is selected, and fields, keep their own copy and paste.
 */
export function useClipboard(
  editor: Editor,
  selected: ReadonlySet<string>,
  { select, isReadOnly }: { readonly select: (ids: ReadonlySet<string>) => void; readonly isReadOnly: boolean },
): void {
  const copy = (event: ClipboardEvent): boolean => {
    if (isForText(event) || selected.size === 0 || String(getSelection()) !== '') return false;
    event.clipboardData?.setData('text/plain', toText(copyNodes(editor.definition, selected)));
    event.preventDefault();
    return true;
  };
  useWindowEvent('copy', copy);
  useWindowEvent('cut', (event) => {
    if (isReadOnly || !copy(event)) return;
    editor.apply((before) => removeNodes(before, selected));
    select(new Set());
  });
  useWindowEvent('paste', (event) => {
    if (isReadOnly || isForText(event)) return;
    const clip = fromText(event.clipboardData?.getData('text/plain') ?? '');
    if (clip === undefined) return;
    event.preventDefault();
    const pasted = paste(editor.definition, clip);
    editor.apply(() => pasted.definition);
    select(pasted.ids);
  });
}

function isForText({ target }: ClipboardEvent): boolean {
  return target instanceof Element && target.closest(TEXT_FIELDS) !== null;
}
