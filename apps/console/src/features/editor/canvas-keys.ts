import { i18n } from '../../language/i18n.ts';

/** The keyboard shortcuts of the editor, and what they do. */
export const CANVAS_KEYS = [
  ['N', i18n.t('add a node')],
  ['Ctrl S', i18n.t('save a version')],
  ['Ctrl Enter', i18n.t('run the workflow')],
  ['Ctrl Shift Enter', i18n.t('test the selected node')],
  ['Ctrl Z', i18n.t('undo')],
  ['Ctrl Shift Z', i18n.t('redo')],
  ['Ctrl C, Ctrl X, Ctrl V', i18n.t('copy, cut and paste, also between workflows')],
  ['Shift S', i18n.t('add a note')],
  ['Ctrl F', i18n.t('find a node')],
  ['Shift', i18n.t('with the mouse: select an area')],
  ['Delete', i18n.t('delete the selection')],
  ['F6', i18n.t('go to the data of the run, and back to the field')],
] as const;
