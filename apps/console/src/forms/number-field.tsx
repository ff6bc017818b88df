import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';

/**
 * An input for a number; null while it is empty. What is typed stays while it stands for the value, such as `0.` on the
 * way to `0.5`, and while it is not a number, until the field is left.
 */
export function NumberField({
  value,
  onChange,
  ...field
}: Omit<NumberInputProps, 'value' | 'defaultValue' | 'onChange' | 'onFocus' | 'onBlur'> & {
  value: number | null;
  onChange: (value: number | null) => void;
}) {
  const [typed, setTyped] = useState<number | string>(value ?? '');
  const [hasFocus, setFocus] = useState(false);
  const number = numberOf(typed);
  const isShown = number === value || (hasFocus && number === null);
  return (
    <NumberInput
      {...field}
      value={isShown ? typed : (value ?? '')}
      onFocus={() => setFocus(true)}
      onBlur={() => setFocus(false)}
      onChange={(given) => {
        setTyped(given);
        onChange(numberOf(given));
      }}
    />
  );
}

/** Numbers with many digits, or with a point at their end, come as text. */
function numberOf(given: number | string): number | null {
  const number = given === '' ? Number.NaN : Number(given);
  return Number.isFinite(number) ? number : null;
}

/** An input for a whole number. An empty field is null. The API checks the bounds. */
export function LimitInput({
  label,
  description,
  placeholder,
  value,
  error = false,
  onChange,
}: {
  label: string;
  description: string;
  /** The default value, shown while the field is empty. */
  placeholder: string;
  value: number | null;
  error?: string | false;
  onChange: (value: number | null) => void;
}) {
  return (
    <NumberField
      label={label}
      description={description}
      placeholder={placeholder}
      value={value}
      error={error}
      allowDecimal={false}
      allowNegative={false}
      hideControls
      thousandSeparator=" "
      onChange={onChange}
    />
  );
}
