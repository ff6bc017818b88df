import { autocompletion } from '@codemirror/autocomplete';
import { indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { type Ref, useContext, useDeferredValue, useMemo } from 'react';
import { ExpressionFormContext } from '../forms/sample-data.ts';
import type { TextField } from '../forms/text-field.ts';
import { i18n } from '../language/i18n.ts';
import classes from './below.module.css';
import { completeScript, sampleData } from './complete-expression.ts';
import { scriptIssue } from './script-issue.ts';
import { type EditorHandle, TextEditor } from './text-editor.tsx';

const EXTENSIONS = [
  javascript(),
  lineNumbers(),
  indentOnInput(),
  bracketMatching(),
  autocompletion({ override: [completeScript], icons: false, interactionDelay: 0 }),
  keymap.of([indentWithTab]),
  EditorView.contentAttributes.of({ 'aria-autocomplete': 'list' }),
];

const FULL_SCREEN = [
  EditorView.theme({ '&': { height: '100%' }, '.cm-scroller': { maxHeight: 'none' } }),
  EditorView.contentAttributes.of({
    // Escape leaves the editor first, and not the dialog with it.
    'data-mantine-stop-propagation': 'true',
    'data-autofocus': 'true',
  }),
  EXTENSIONS,
];

/** A field for JavaScript, with highlighting, completion, and with issues marked while typing. */
export function ScriptField({
  isFullScreen = false,
  ref,
  ...field
}: TextField & { isReadOnly: boolean; isFullScreen?: boolean; ref?: Ref<EditorHandle> }) {
  const data = useContext(ExpressionFormContext)?.data;
  const context = useMemo(() => (data ? [sampleData.of(data)] : []), [data]);
  const settled = useDeferredValue(field.value);
  const issue = useMemo(() => (settled.trim() === '' ? undefined : scriptIssue(settled)), [settled]);
  return (
    <TextEditor
      {...field}
      ref={ref}
      isLabelHidden={isFullScreen}
      startsAtEnd={isFullScreen}
      isFilling={isFullScreen}
      issue={issue}
      extensions={isFullScreen ? FULL_SCREEN : EXTENSIONS}
      context={context}
    >
      {issue && <p className={classes.issue}>{issue.message}</p>}
      <p className={classes.note}>{i18n.t('Tab indents. To leave by keyboard, press Escape and then Tab.')}</p>
    </TextEditor>
  );
}
