import type { ReactNode } from 'react';

/** What a field for a text shows and tells. */
export interface TextField {
  readonly label: string;
  readonly description?: ReactNode;
  readonly required?: boolean | undefined;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** What a field for text with expressions in it shows and tells. */
export interface ExpressionField extends TextField {
  /** Says the label to screen readers only. */
  readonly isLabelHidden?: boolean | undefined;
  readonly placeholder?: string | undefined;
}
