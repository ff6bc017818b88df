/** The keyboard shortcuts of the editor, and what they do. */
export const CANVAS_KEYS = [
  ['N', 'add a node'],
  ['Ctrl S', 'save a version'],
  ['Ctrl Enter', 'run the workflow'],
  ['Ctrl Shift Enter', 'test the selected node'],
  ['Ctrl Z', 'undo'],
  ['Ctrl Shift Z', 'redo'],
  ['Ctrl C, Ctrl X, Ctrl V', 'copy, cut and paste, also between workflows'],
  ['Shift S', 'add a note'],
  ['Ctrl F', 'find a node'],
  ['Shift', 'with the mouse: select an area'],
  ['Delete', 'delete the selection'],
  ['F6', 'go to the data of the run, and back to the field'],
] as const;
