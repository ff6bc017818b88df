import type { JsonValue } from '@deckhand/contracts';
import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { toText } from './values.js';

/** A value that is typed as text. What was typed stays as it is while it means the value, so that nothing moves under the cursor. */
export function TextAsValue({
  label,
  description,
  placeholder,
  required = false,
  value,
  read,
  onChange,
}: {
  label: string;
  description?: string;
  placeholder?: string;
  required?: boolean;
  value: JsonValue | undefined;
  read: (text: string) => JsonValue | undefined;
  onChange: (value: JsonValue | undefined) => void;
}) {
  const [typed, setTyped] = useState(() => toText(value));
  const isCurrent = JSON.stringify(read(typed)) === JSON.stringify(value);
  return (
    <Textarea
      label={label}
      description={description}
      placeholder={placeholder ?? ''}
      required={required}
      autosize
      maxRows={14}
      spellCheck={false}
      value={isCurrent ? typed : toText(value)}
      onChange={({ currentTarget: { value: text } }) => {
        setTyped(text);
        onChange(read(text));
      }}
    />
  );
}
