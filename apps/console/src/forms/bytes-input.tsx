import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { i18n } from '../language/i18n.ts';
import { NumberField } from './number-field.tsx';

/** Units of a size, the largest first. */
const UNITS = [
  ['GiB', 1_073_741_824],
  ['MiB', 1_048_576],
  ['KiB', 1_024],
  [i18n.t('bytes'), 1],
] as const;

/** An input for an amount of storage, in a unit that the person selects. An empty field is null. */
export function BytesInput({
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
  /** Bytes. */
  value: number | null;
  error?: string | false;
  onChange: (value: number | null) => void;
}) {
  // The largest unit in which the value is a whole number.
  const [unit, setUnit] = useState(
    () => UNITS.find(([, bytes]) => value !== null && value % bytes === 0)?.[1] ?? UNITS[0][1],
  );
  return (
    <NumberField
      label={label}
      description={description}
      placeholder={placeholder}
      value={value === null ? null : value / unit}
      error={error}
      allowNegative={false}
      hideControls
      thousandSeparator=" "
      onChange={(amount) => onChange(amount === null ? null : Math.round(amount * unit))}
      rightSectionWidth={96}
      rightSection={
        <NativeSelect
          aria-label={i18n.t('Unit of: {label}', { label })}
          rightSectionWidth={28}
          // The same margin as of the input beside it, which has a description.
          styles={{
            wrapper: { marginTop: 0 },
            input: { width: 96, borderStartStartRadius: 0, borderEndStartRadius: 0 },
          }}
          data={UNITS.map(([name]) => name)}
          value={UNITS.find(([, bytes]) => bytes === unit)?.[0]}
          onChange={({ currentTarget }) => {
            const next = UNITS.find(([name]) => name === currentTarget.value)?.[1] ?? 1;
            setUnit(next);
            if (value !== null) onChange(Math.round((value / unit) * next));
          }}
        />
      }
    />
  );
}
