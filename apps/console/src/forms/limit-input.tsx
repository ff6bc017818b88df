import { NumberField } from './number-field.tsx';

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
