import type { ReactNode } from 'react';

/** Properties of a text field. */
export interface TextField {
  readonly label: string;
  readonly description?: ReactNode;
  readonly required?: boolean | undefined;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** Properties of a text field with expressions. */
export interface ExpressionField extends TextField {
  /** Hides the label from all but screen readers. */
  readonly isLabelHidden?: boolean | undefined;
  readonly placeholder?: string | undefined;
  /** Whether text that is not JSON is an expression, with or without braces. */
  readonly isOneExpression?: boolean | undefined;
}
