import { PasswordInput } from '@mantine/core';
import { i18n } from '../../language/i18n.ts';

/** Minimum and maximum number of bytes of a password. */
const [BYTES_MIN, MAX_BYTES] = [10, 72];

/** A field for a new password, with its requirements. */
export function NewPassword({
  value,
  onChange,
  label = i18n.t('Password'),
}: {
  value: string;
  onChange: (value: string) => void;
  label?: string;
}) {
  const bytes = new TextEncoder().encode(value).length;
  const isTooLong = bytes > MAX_BYTES;
  return (
    <PasswordInput
      label={label}
      description={i18n.t('At least {count} characters; a few words are easy to remember', { count: BYTES_MIN })}
      autoComplete="new-password"
      required
      minLength={BYTES_MIN}
      value={value}
      error={isTooLong ? i18n.t('Longer than {count} bytes', { count: MAX_BYTES }) : undefined}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
