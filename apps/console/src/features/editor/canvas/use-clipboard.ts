import { useWindowEvent } from '@mantine/hooks';
import { fromText, toText } from '../model/clip-text.ts';
import { definitionOf, type EditorModel } from '../model/editor-model.ts';
import { copyNodes } from '../model/edits.ts';

/** Elements in which the clipboard is for text. */
const TEXT_FIELDS = 'input, textarea, select, [contenteditable="true"], [role="dialog"]';

/**
 * Copies, cuts and pastes parts of the workflow by the clipboard of the system, as JSON: also from one workflow or
 * window to another. Text that is selected, and fields, keep their own copy and paste.
 */
export function useClipboard(model: EditorModel): void {
  const copy = (event: ClipboardEvent): boolean => {
    const { selected } = model.read();
    if (isForText(event) || selected.size === 0 || String(getSelection()) !== '') return false;
    event.clipboardData?.setData('text/plain', toText(copyNodes(definitionOf(model.read()), selected)));
    event.preventDefault();
    return true;
  };
  useWindowEvent('copy', copy);
  useWindowEvent('cut', (event) => {
    const { isReadOnly, selected } = model.read();
    if (!isReadOnly && copy(event)) model.remove(selected);
  });
  useWindowEvent('paste', (event) => {
    if (model.read().isReadOnly || isForText(event)) return;
    const clip = fromText(event.clipboardData?.getData('text/plain') ?? '');
    if (clip === undefined) return;
    event.preventDefault();
    model.paste(clip);
  });
}

function isForText({ target }: ClipboardEvent): boolean {
  return target instanceof Element && target.closest(TEXT_FIELDS) !== null;
}
