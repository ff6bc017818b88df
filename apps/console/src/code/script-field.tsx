import { autocompletion } from '@codemirror/autocomplete';
import { indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { parse } from 'acorn';
import { type Ref, useContext, useDeferredValue, useMemo } from 'react';
import { ExpressionFormContext } from '../forms/sample-data.ts';
import type { TextField } from '../forms/text-field.ts';
import { i18n } from '../language/i18n.ts';
import classes from './below.module.css';
import { completeScript, sampleData } from './complete-expression.ts';
import { type EditorHandle, TextEditor, type TextIssue } from './text-editor.tsx';

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

/** The function around the source, on one line, so that positions need only be shifted. */
const BEFORE = '(async function () { "use strict";\n';
const AFTER = '\n})';

/** Returns the first syntax error of a text as the body of an asynchronous function, in strict mode. */
function scriptIssue(source: string): TextIssue | undefined {
  const text = BEFORE + source + AFTER;
  try {
    parse(text, { ecmaVersion: 2024, sourceType: 'script' });
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError) || !('pos' in error) || typeof error.pos !== 'number') {
      return { message: i18n.t('The script nests too deeply'), from: 0, to: 0 };
    }
    // An issue at the end of the text is marked on its last character.
    const from = Math.max(0, Math.min(error.pos - BEFORE.length, source.length - 1));
    const { length: line } = source.slice(0, from).split('\n');
    const message = error.message.replace(/ \(\d+:\d+\)$/, '');
    return { message: i18n.t('Line {line}: {message}', { line, message }), from, to: from + 1 };
  }
}
