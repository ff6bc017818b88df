import { Button, PasswordInput, Stack, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changePassword, sessionsQuery } from '../../api/people.ts';
import { adviceOnPassword } from '../../components/advice.ts';
import { notify } from '../../components/notice-board.ts';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';
import { NewPassword } from '../sign-in/new-password.tsx';

/** Changes the password, which ends all other sessions of the person. */
export function ChangePassword() {
  const queryClient = useQueryClient();
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const change = useMutation({
    mutationFn: () => changePassword({ currentPassword, newPassword }),
    async onSuccess() {
      setCurrent('');
      setNew('');
      notify(i18n.t('Password changed. All other devices are signed out.'));
      await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate();
      }}
    >
      <Stack maw={380} gap="sm">
        <Title order={2} size="h4">
          {i18n.t('Change password')}
        </Title>
        <PasswordInput
          label={i18n.t('Current password')}
          required
          autoComplete="current-password"
          value={currentPassword}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        <NewPassword label={i18n.t('New password')} value={newPassword} onChange={setNew} />
        <Problem error={change.error} advice={adviceOnPassword(change.error)} />
        <Button type="submit" loading={change.isPending} w="fit-content">
          {i18n.t('Change password')}
        </Button>
      </Stack>
    </form>
  );
}
