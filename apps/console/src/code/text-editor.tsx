import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { setDiagnostics } from '@codemirror/lint';
import { Annotation, Compartment, EditorState, type Extension, Transaction } from '@codemirror/state';
import { EditorView, keymap, placeholder as emptyText } from '@codemirror/view';
import { Input } from '@mantine/core';
import { type ReactNode, type Ref, useContext, useEffect, useId, useImperativeHandle, useRef, useState } from 'react';
import { ExpressionFormContext, type FocusedField } from '../forms/sample-data.ts';
import { editorTheme } from './editor-theme.ts';
import classes from './text-editor.module.css';

/** An issue of a text, and its position: from 0, in UTF-16 units. */
export interface TextIssue {
  readonly message: string;
  readonly from: number;
  readonly to: number;
}

/** An editor, for what is beside it. */
export interface EditorHandle extends FocusedField {
  /** Inserts lines of their own, below the one with the cursor. */
  readonly insertLines: (text: string) => void;
}

const NOTHING: Extension = [];

/** Ctrl Enter runs the workflow, in a field too. */
const KEYS = defaultKeymap.filter(({ key }) => key !== 'Mod-Enter');

/** Marks changes that were not typed. */
const fromOutside = Annotation.define<boolean>();

/** A labelled field in which text is edited as code. */
export function TextEditor({
  label,
  isLabelHidden = false,
  description,
  placeholder,
  required = false,
  isReadOnly,
  hadFocus = false,
  startsAtEnd = hadFocus,
  isFilling = false,
  ref,
  issue,
  value,
  onChange,
  extensions,
  context = NOTHING,
  toInsert = (_, expression) => expression,
  children,
}: {
  label: string;
  isLabelHidden?: boolean | undefined;
  description?: ReactNode;
  placeholder?: string | undefined;
  required?: boolean | undefined;
  isReadOnly: boolean;
  /** Whether it takes the focus when it appears. */
  hadFocus?: boolean | undefined;
  /** Whether the cursor is at the end at first. */
  startsAtEnd?: boolean | undefined;
  /** Whether it takes all the height that there is. */
  isFilling?: boolean | undefined;
  ref?: Ref<EditorHandle> | undefined;
  issue: TextIssue | undefined;
  value: string;
  onChange: (text: string) => void;
  /** Fixed when the editor is created. */
  extensions: Extension;
  /** Their data, which may change. */
  context?: Extension | undefined;
  /** Returns the text for an expression that is inserted at the cursor. */
  toInsert?: (state: EditorState, expression: string) => string;
  /** The description below it, which screen readers read with the field. */
  children?: ReactNode;
}) {
  const id = useId();
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const settings = useState(() => new Compartment())[0];
  // Texts that were reported and have not come back as the value yet: typing may be ahead of the value.
  const reported = useRef<string[]>([]);
  const report = useRef(onChange);
  useEffect(() => {
    report.current = onChange;
  });

  const form = useContext(ExpressionFormContext);
  const [field] = useState((): EditorHandle => ({
    label,
    insert(expression) {
      const { current } = view;
      if (!current) return;
      const text = toInsert(current.state, expression);
      current.dispatch(current.state.replaceSelection(text), { userEvent: 'input.paste', scrollIntoView: true });
    },
    insertLines(text) {
      const { current } = view;
      if (!current) return;
      const { doc, selection } = current.state;
      const line = doc.lineAt(selection.main.head);
      const change =
        line.text.trim() === ''
          ? { from: line.from, to: line.to, insert: text }
          : { from: line.to, insert: `\n${text}` };
      current.dispatch({
        changes: change,
        selection: { anchor: change.from + change.insert.length },
        userEvent: 'input.paste',
        scrollIntoView: true,
      });
    },
    focus: () => view.current?.focus(),
  }));
  useImperativeHandle(ref, () => field, [field]);

  useEffect(() => {
    if (!host.current) return;
    const made = new EditorView({
      parent: host.current,
      doc: value,
      extensions: [
        extensions,
        settings.of([]),
        history(),
        closeBrackets(),
        keymap.of([...closeBracketsKeymap, ...historyKeymap, ...KEYS]),
        emptyText(placeholder ?? ''),
        EditorView.lineWrapping,
        editorTheme,
        EditorView.updateListener.of(({ docChanged, transactions, state }) => {
          if (!docChanged || transactions.some((one) => one.annotation(fromOutside))) return;
          const text = state.doc.toString();
          reported.current.push(text);
          report.current(text);
        }),
      ],
    });
    view.current = made;
    if (startsAtEnd) made.dispatch({ selection: { anchor: made.state.doc.length } });
    if (hadFocus) made.focus();
    return () => {
      form?.onBlur(field, null);
      made.destroy();
    };
    // An editor is created once: later changes are passed to it below.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  useEffect(() => {
    const at = reported.current.indexOf(value);
    if (at >= 0) {
      reported.current.splice(0, at + 1);
      return;
    }
    reported.current = [];
    const { current } = view;
    if (!current || current.state.doc.toString() === value) return;
    current.dispatch({
      changes: { from: 0, to: current.state.doc.length, insert: value },
      annotations: [fromOutside.of(true), Transaction.addToHistory.of(false)],
    });
  }, [value]);

  useEffect(() => {
    view.current?.dispatch({
      effects: settings.reconfigure([
        context,
        EditorState.readOnly.of(isReadOnly),
        EditorView.contentAttributes.of({
          ...(isLabelHidden ? { 'aria-label': label } : { 'aria-labelledby': `${id}-label` }),
          'aria-describedby': `${id}-description ${id}-below`,
          'aria-required': String(required),
          'aria-readonly': String(isReadOnly),
          'aria-invalid': String(issue !== undefined),
        }),
      ]),
    });
  }, [settings, context, id, label, isLabelHidden, required, isReadOnly, issue]);

  useEffect(() => {
    const { current } = view;
    if (!current) return;
    const end = current.state.doc.length;
    const marks = issue
      ? [
          {
            severity: 'error' as const,
            message: issue.message,
            from: Math.min(issue.from, end),
            to: Math.min(issue.to, end),
          },
        ]
      : [];
    current.dispatch(setDiagnostics(current.state, marks));
  }, [issue]);

  return (
    <Input.Wrapper
      {...(isLabelHidden ? {} : { label, description })}
      required={required}
      className={isFilling ? classes.filling : ''}
      labelElement="div"
      labelProps={{ id: `${id}-label`, onClick: () => view.current?.focus() }}
      descriptionProps={{ id: `${id}-description` }}
    >
      <div
        ref={host}
        className={isFilling ? classes.host : ''}
        style={{ marginTop: isLabelHidden ? 0 : 4 }}
        onFocus={() => {
          if (!isReadOnly) form?.onFocus(field);
        }}
        onBlur={({ relatedTarget }) => form?.onBlur(field, relatedTarget)}
      />
      <div id={`${id}-below`}>{children}</div>
    </Input.Wrapper>
  );
}
