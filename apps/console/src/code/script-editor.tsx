import { indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { keymap, lineNumbers } from '@codemirror/view';
import { useDeferredValue, useMemo } from 'react';
import type { TextField } from '../forms/text-field.js';
import { i18n } from '../language/i18n.js';
import classes from './below.module.css';
import { scriptIssue } from './script-issue.js';
import { TextEditor } from './text-editor.js';

const EXTENSIONS = [javascript(), lineNumbers(), indentOnInput(), bracketMatching(), keymap.of([indentWithTab])];

/** A field for JavaScript, with highlighting and with issues marked while typing. */
export function ScriptEditor({ isReadOnly, ...field }: TextField & { isReadOnly: boolean }) {
  const settled = useDeferredValue(field.value);
  const issue = useMemo(() => (settled.trim() === '' ? undefined : scriptIssue(settled)), [settled]);
  return (
    <TextEditor {...field} isReadOnly={isReadOnly} issue={issue} extensions={EXTENSIONS}>
      {issue && <p className={classes.issue}>{issue.message}</p>}
      <p className={classes.note}>{i18n.t('Tab indents. To leave by keyboard, press Escape and then Tab.')}</p>
    </TextEditor>
  );
}
