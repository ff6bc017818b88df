import { Stack } from '@mantine/core';
import { getHotkeyHandler } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { type ChangeEvent, type KeyboardEvent, type ReactNode, useState } from 'react';
import { Dialog, type DialogProps } from './dialog.tsx';
import { FormFooter } from './form-footer.tsx';

/** The values of a form, and the props of its inputs. */
export interface Fields<Values extends object> {
  readonly values: Values;
  readonly set: (next: Partial<Values>) => void;
  /** Returns the props of a text input. */
  readonly text: <K extends TextKeys<Values>>(
    name: K,
  ) => {
    readonly value: Values[K];
    readonly onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
  };
  /** Returns the props of an input that passes its value on. */
  readonly field: <K extends keyof Values>(
    name: K,
  ) => { readonly value: Values[K]; readonly onChange: (value: Values[K]) => void };
  /** Returns the props of an input with a choice of texts. Another text changes nothing. */
  readonly choice: <K extends ChoiceKeys<Values>>(
    name: K,
    choices: readonly Values[K][],
  ) => { readonly value: Values[K]; readonly onChange: (value: string | null) => void };
  /** The error of the last attempt to submit; null if there is none. */
  readonly error: unknown;
}

/** The names of values that are one of some texts, or any text. */
type ChoiceKeys<Values> = { [K in keyof Values]: Values[K] extends string ? K : never }[keyof Values];

/** The names of values that are any text. */
type TextKeys<Values> = { [K in ChoiceKeys<Values>]: string extends Values[K] ? K : never }[ChoiceKeys<Values>];

/** A form with its error, and the buttons to submit and to cancel it. */
export interface FormProps<Values extends object> {
  /** The values that the form begins with, and has again after it was submitted. */
  readonly initial: Values;
  /** The label of the button that submits. */
  readonly submit: string;
  /** Does what the form is for. If it returns a promise, the form is pending until that is settled. */
  readonly act: (values: Values) => unknown;
  /** Whether the values can be submitted. */
  readonly canSubmit?: (values: Values) => boolean;
  /** Whether the action destroys something. */
  readonly isDangerous?: boolean;
  /** In place of the general advice for an error. */
  readonly adviceOn?: (error: unknown) => string | undefined;
  /** Returns true for an error that the fields show. */
  readonly isShownAtField?: (error: unknown) => boolean;
  readonly onCancel: () => void;
  readonly children: (fields: Fields<Values>) => ReactNode;
}

/**
 * A dialog with a form, which closes once it is submitted. What was typed stays if the person cancels it and opens it
 * again, unless it is rendered only while it is open.
 */
export function FormDialog<Values extends object>({
  title,
  isOpen = true,
  size = 'md',
  onClose,
  ...form
}: Omit<FormProps<Values>, 'onCancel'> & Omit<DialogProps, 'isShownOnce'>) {
  const state = useFormState(form, onClose);
  const cancel = (): void => {
    state.forgetError();
    onClose();
  };
  return (
    <Dialog title={title} isOpen={isOpen} size={size} onClose={cancel}>
      <Form {...form} {...state} onCancel={cancel} />
    </Dialog>
  );
}

/** The form of a dialog that shows something else once it is submitted. */
export function DialogForm<Values extends object>(form: FormProps<Values>) {
  return <Form {...form} {...useFormState(form)} />;
}

/** Returns a handler of `keydown` that submits the form of a text area by a key, such as `mod+Enter`. */
export function submitBy(key: string): (event: KeyboardEvent<HTMLTextAreaElement>) => void {
  return (event) => {
    const { form } = event.currentTarget;
    getHotkeyHandler([[key, () => form?.requestSubmit()]])(event);
  };
}

interface FormState<Values extends object> {
  readonly fields: Fields<Values>;
  readonly isPending: boolean;
  readonly onSubmit: () => void;
  readonly forgetError: () => void;
}

function useFormState<Values extends object>(
  { initial, act, canSubmit = () => true }: Pick<FormProps<Values>, 'initial' | 'act' | 'canSubmit'>,
  onDone?: () => void,
): FormState<Values> {
  const [values, setValues] = useState(initial);
  const submission = useMutation({
    mutationFn: async () => {
      await act(values);
    },
    onSuccess() {
      setValues(initial);
      onDone?.();
    },
  });
  const set = (next: Partial<Values>): void => setValues((before) => ({ ...before, ...next }));
  const setOne = <K extends keyof Values>(name: K, value: Values[K]): void =>
    setValues((before) => ({ ...before, [name]: value }));
  return {
    fields: {
      values,
      set,
      text: (name) => ({
        value: values[name],
        onChange: ({ currentTarget: { value } }) => setValues((before) => ({ ...before, [name]: value })),
      }),
      field: (name) => ({ value: values[name], onChange: (value) => setOne(name, value) }),
      choice: (name, choices) => ({
        value: values[name],
        onChange(value) {
          const chosen = choices.find((one) => one === value);
          if (chosen !== undefined) setOne(name, chosen);
        },
      }),
      error: submission.error,
    },
    isPending: submission.isPending,
    forgetError: submission.reset,
    onSubmit: () => {
      if (canSubmit(values)) submission.mutate();
    },
  };
}

function Form<Values extends object>({
  submit,
  canSubmit = () => true,
  isDangerous = false,
  adviceOn = () => undefined,
  isShownAtField = () => false,
  onCancel,
  children,
  fields,
  isPending,
  onSubmit,
}: FormProps<Values> & Omit<FormState<Values>, 'forgetError'>) {
  const { error, values } = fields;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <Stack>
        {children(fields)}
        <FormFooter
          error={isShownAtField(error) ? null : error}
          advice={adviceOn(error)}
          submit={submit}
          isPending={isPending}
          isDisabled={!canSubmit(values)}
          isDangerous={isDangerous}
          onCancel={onCancel}
        />
      </Stack>
    </form>
  );
}
