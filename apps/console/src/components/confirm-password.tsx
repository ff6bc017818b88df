import { PasswordInput, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ChangeEvent } from 'react';
import { secondFactorsQuery } from '../api/second-factors.ts';
import { i18n } from '../language/i18n.ts';

/** A field for the person's password. People who only sign in by single sign-on have none to enter. */
export function ConfirmPassword({
  label,
  description,
  ...field
}: {
  label: string;
  description?: string;
  value: string;
  onChange: (event: ChangeEvent<HTMLInputElement>) => void;
  'data-autofocus'?: boolean;
}) {
  const factors = useQuery(secondFactorsQuery).data;
  if (factors?.hasPassword === false) {
    return (
      <Text size="sm" c="dimmed">
        {i18n.t(
          'You have no password. If you signed in more than ten minutes ago, sign in again by single sign-on first.',
        )}
      </Text>
    );
  }
  return <PasswordInput label={label} description={description} required autoComplete="current-password" {...field} />;
}
