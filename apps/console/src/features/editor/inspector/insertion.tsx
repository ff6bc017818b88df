import {
  createContext,
  type FocusEvent,
  type ReactNode,
  type RefObject,
  use,
  useCallback,
  useRef,
  useState,
} from 'react';
import { notify } from '../../../components/notice-board.ts';
import type { FocusedField } from '../../../forms/sample-data.ts';
import { i18n } from '../../../language/i18n.ts';

/** Inserts expressions from the dock into the field that has the focus. */
export interface Insertion {
  /** The field; it stays while the focus is in the dock. Undefined while there is none: then expressions are copied. */
  readonly field: FocusedField | undefined;
  readonly onFocus: (field: FocusedField) => void;
  readonly onBlur: (field: FocusedField, next: EventTarget | null) => void;
  /** Of the dock. */
  readonly dock: {
    readonly ref: RefObject<HTMLElement | null>;
    readonly onBlur: (event: FocusEvent) => void;
  };
  readonly insert: (expression: string) => void;
}

const InsertionContext = createContext<Insertion | undefined>(undefined);

/** Returns the insertion of the editor around the component. */
export function useInsertion(): Insertion {
  const insertion = use(InsertionContext);
  if (!insertion) throw new Error('There is an InsertionProvider around this component only in the editor');
  return insertion;
}

/** Tracks the field of the form that an expression would be inserted into. */
export function InsertionProvider({ children }: { children: ReactNode }) {
  const ref = useRef<HTMLElement>(null);
  const [field, setField] = useState<FocusedField>();
  const onBlur = useCallback((left: FocusedField, next: EventTarget | null): void => {
    if (!isWithin(ref.current, next)) setField((before) => (before === left ? undefined : before));
  }, []);
  const insertion: Insertion = {
    field,
    onFocus: setField,
    onBlur,
    dock: {
      ref,
      onBlur({ relatedTarget }) {
        if (!isWithin(ref.current, relatedTarget)) setField(undefined);
      },
    },
    insert(expression) {
      if (!field) {
        void copyExpression(expression);
        return;
      }
      field.insert(expression);
      notify(i18n.t('Inserted {expression} into "{label}"', { expression, label: field.label }));
    },
  };
  return <InsertionContext value={insertion}>{children}</InsertionContext>;
}

/** Copies an expression with its braces, and says so. */
export async function copyExpression(expression: string): Promise<void> {
  const text = `{{ ${expression} }}`;
  try {
    await navigator.clipboard.writeText(text);
    notify(i18n.t('Copied {text}', { text }));
  } catch {
    notify(i18n.t('This browser does not allow copying: {text}', { text }));
  }
}

function isWithin(element: HTMLElement | null, target: EventTarget | null): boolean {
  return target instanceof Node && element?.contains(target) === true;
}
