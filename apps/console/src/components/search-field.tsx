import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { useState } from 'react';

/** Delay after the last key before a search starts, in ms. */
const TYPING_MS = 250;

/** A search field: it searches once typing pauses; undefined means no search. */
export function SearchField({
  label,
  isLabelHidden = false,
  placeholder,
  value,
  onChange,
  ...size
}: {
  label: string;
  /** Hides the label from all but screen readers. */
  isLabelHidden?: boolean;
  placeholder: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  flex: string;
  maw: number;
}) {
  const [text, setText] = useState(value ?? '');
  const [seen, setSeen] = useState(value);
  const [asked, setAsked] = useState(value);
  if (seen !== value) {
    setSeen(value);
    // Otherwise the value is the result of an earlier change, and more may have been typed since.
    if (value !== asked) {
      setAsked(value);
      setText(value ?? '');
    }
  }
  const apply = useDebouncedCallback((typed: string) => {
    const next = typed === '' ? undefined : typed;
    setAsked(next);
    onChange(next);
  }, TYPING_MS);
  return (
    <TextInput
      {...(isLabelHidden ? { 'aria-label': label } : { label })}
      placeholder={placeholder}
      leftSection={<Search size={16} aria-hidden />}
      value={text}
      onChange={({ currentTarget: { value: typed } }) => {
        setText(typed);
        apply(typed);
      }}
      {...size}
    />
  );
}
