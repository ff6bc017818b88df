import { autocompletion } from '@codemirror/autocomplete';
import type { EditorState } from '@codemirror/state';
import { Decoration, EditorView, MatchDecorator, ViewPlugin } from '@codemirror/view';
import { useDeferredValue, useMemo } from 'react';
import type { ExpressionForm } from '../forms/sample-data.ts';
import type { ExpressionField } from '../forms/text-field.ts';
import { fromExpressionText } from '../forms/values.ts';
import { completeExpression, expressionBefore, needsBraces, sampleData } from './complete-expression.ts';
import { Preview } from './preview.tsx';
import { TextEditor } from './text-editor.tsx';
import { useTrial } from './use-trial.ts';

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
