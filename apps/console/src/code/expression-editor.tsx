import { autocompletion } from '@codemirror/autocomplete';
import type { EditorState } from '@codemirror/state';
import { Decoration, EditorView, MatchDecorator, ViewPlugin } from '@codemirror/view';
import type { JsonValue } from '@deckhand/contracts';
import { Trans } from '@lingui/react';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import type { ExpressionForm, SampleData } from '../forms/sample-data.ts';
import type { ExpressionField } from '../forms/text-field.ts';
import { fromExpressionText } from '../forms/values.ts';
import { i18n } from '../language/i18n.ts';
import classes from './below.module.css';
import { completeExpression, expressionBefore, needsBraces, sampleData } from './complete-expression.ts';
import { TextEditor } from './text-editor.tsx';
import { type Trial, tryExpression } from './try-expression.ts';

const matcher = new MatchDecorator({
  regexp: /\{\{.*?(\}\}|$)/g,
  decoration: Decoration.mark({ class: 'cm-expression' }),
});

/** Highlights expressions in braces. */
const braces = ViewPlugin.define(
  (view) => ({
    decorations: matcher.createDeco(view),
    update(update) {
      this.decorations = matcher.updateDeco(update, this.decorations);
    },
  }),
  { decorations: ({ decorations }) => decorations },
);

const EXTENSIONS = [
  // Completions are offered at once, and accepted at once too.
  autocompletion({ override: [completeExpression], icons: false, interactionDelay: 0 }),
  braces,
  EditorView.contentAttributes.of({ 'aria-autocomplete': 'list' }),
];

/** Puts an expression in braces, unless the cursor is in an expression already. */
function inBraces(state: EditorState, expression: string): string {
  return expressionBefore(state, state.selection.main.from) === undefined ? `{{ ${expression} }}` : expression;
}

/** A field for text with expressions: with completion, and a preview on the last run's data. */
export function ExpressionEditor({
  form: { data, isReadOnly },
  hadFocus,
  isOneExpression = false,
  ...field
}: ExpressionField & { form: ExpressionForm; hadFocus: boolean }) {
  const context = useMemo(() => [sampleData.of(data), needsBraces.of(!isOneExpression)], [data, isOneExpression]);
  const settled = useDeferredValue(field.value);
  const whole = isOneExpression ? fromExpressionText(settled) : settled;
  const isBare = typeof whole === 'string' && whole !== settled;
  const trial = useTrial(isBare ? whole : settled, data);
  // Where the text begins in the whole expression.
  const shift = isBare ? whole.indexOf(settled.trim()) - settled.indexOf(settled.trim()) : 0;
  const issue = useMemo(
    () =>
      trial.kind === 'issue'
        ? {
            message: trial.issue.message,
            from: Math.max(0, trial.issue.offset - shift - 1),
            to: Math.max(1, trial.issue.offset - shift + 1),
          }
        : undefined,
    [trial, shift],
  );
  return (
    <TextEditor
      {...field}
      isReadOnly={isReadOnly}
      hadFocus={hadFocus}
      issue={issue}
      extensions={EXTENSIONS}
      context={context}
      toInsert={inBraces}
    >
      <Preview text={settled} trial={trial} />
    </TextEditor>
  );
}

/** Evaluates a text with expressions while it is typed; the previous result stays until then. */
function useTrial(text: string, data: SampleData): Trial {
  const [trial, setTrial] = useState<Trial>({ kind: 'constant' });
  useEffect(() => {
    let isOver = false;
    void tryExpression(text, data).then((next) => {
      if (!isOver) setTrial(next);
    });
    return () => {
      isOver = true;
    };
  }, [text, data]);
  return trial;
}

/** How much of a value is shown, in characters. */
const MAX_SHOWN = 300;

/** Matches the names that are only known in expressions. */
const NAME_OF_RUN = /\$(trigger|input|nodes|loop|vars|execution|now)\b/;

/** The preview of a text with expressions, or its error; for plain text a warning if it looks like an expression. */
function Preview({ text, trial }: { text: string; trial: Trial }) {
  return <div aria-live="polite">{contentOf(text, trial)}</div>;
}

function contentOf(text: string, trial: Trial) {
  switch (trial.kind) {
    case 'constant':
      return NAME_OF_RUN.test(text) ? (
        <p className={classes.issue}>
          {i18n.t('This is plain text. Put expressions in {braces}.', { braces: '{{ }}' })}
        </p>
      ) : null;
    case 'untried':
      return <p className={classes.note}>{i18n.t('Run the workflow once to see the value here.')}</p>;
    case 'issue':
      return <p className={classes.issue}>{trial.issue.message}</p>;
    case 'failed':
      return (
        <>
          {/* What is not there yet is not a mistake. */}
          <p className={trial.missing.length > 0 ? classes.note : classes.issue}>
            {i18n.t('With the last run: {reason}', { reason: trial.reason })}
          </p>
          <Missing ids={trial.missing} />
        </>
      );
    case 'value':
      return (
        <>
          <p className={classes.note}>
            <Trans
              id="In the last run: <0/>"
              components={{ 0: <span className={classes.value}>{shorten(trial.value)}</span> }}
            />
          </p>
          <Missing ids={trial.missing} />
        </>
      );
  }
}

function Missing({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return null;
  return <p className={classes.note}>{i18n.t('Without data, or with too much: {ids}', { ids: ids.join(', ') })}</p>;
}

function shorten(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
