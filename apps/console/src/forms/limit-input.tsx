import { NumberInput } from '@mantine/core';

/** A whole number, or none: an empty field is null. What is too small or too large is for the service to say. */
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
    <NumberInput
      label={label}
      description={description}
      placeholder={placeholder}
      value={value ?? ''}
      error={error}
      allowDecimal={false}
      allowNegative={false}
      hideControls
      thousandSeparator=" "
      onChange={(given) => onChange(typeof given === 'number' ? given : null)}
    />
  );
}
