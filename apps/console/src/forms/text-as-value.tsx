import type { JsonValue } from '@deckhand/contracts';
import { useState } from 'react';
import { ExpressionInput } from './expression-input.tsx';
import type { ExpressionField } from './text-field.ts';
import { toTextFor } from './values.ts';

/**
 * An input for a value that is typed as text. The typed text stays while it represents the value, so that nothing moves
 * under the cursor.
 */
export function TextAsValue({
  value,
  read,
  onChange,
  ...field
}: Omit<ExpressionField, 'value' | 'onChange'> & {
  value: JsonValue | undefined;
  read: (text: string) => JsonValue | undefined;
  onChange: (value: JsonValue | undefined) => void;
}) {
  const [typed, setTyped] = useState(() => toTextFor(value, read));
  const isCurrent = JSON.stringify(read(typed)) === JSON.stringify(value);
  return (
    <ExpressionInput
      {...field}
      value={isCurrent ? typed : toTextFor(value, read)}
      onChange={(text) => {
        setTyped(text);
        onChange(read(text));
      }}
    />
  );
}
