import { PasswordInput } from '@mantine/core';

/** Minimum and maximum number of bytes of a password. */
const [BYTES_MIN, MAX_BYTES] = [10, 72];

/** A field for a new password, with its requirements. */
export function NewPassword({
  value,
  onChange,
  label = 'Password',
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
      description={`At least ${BYTES_MIN} characters; a few words are easy to remember`}
      autoComplete="new-password"
      required
      minLength={BYTES_MIN}
      value={value}
      error={isTooLong ? `Longer than ${MAX_BYTES} bytes` : undefined}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
