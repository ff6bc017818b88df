import type { SessionEntry } from '@deckhand/contracts';
import { Button, PasswordInput, Stack, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changePassword, revokeOtherSessions, revokeSession, sessionsQuery } from '../../api/people.ts';
import { secondFactorsQuery } from '../../api/second-factors.ts';
import { adviceOnPassword } from '../../components/advice.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import type { Columns } from '../../components/data-table.tsx';
import { Listing } from '../../components/listing.tsx';
import { notify } from '../../components/notice-board.ts';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { i18n } from '../../language/i18n.ts';
import { NewPassword } from '../sign-in/new-password.tsx';
import { SecondFactors } from './second-factors.tsx';

const COLUMNS: Columns<SessionEntry> = [
  { id: 'agent', header: i18n.t('Browser'), cell: ({ row: { original } }) => original.userAgent || i18n.t('Unknown') },
  {
    id: 'created',
    header: i18n.t('Signed in'),
    cell: ({ row: { original } }) => <RelativeTime at={original.createdAt} />,
  },
  {
    id: 'used',
    header: i18n.t('Last used'),
    cell: ({ row: { original } }) => <RelativeTime at={original.lastUsedAt} />,
  },
  { id: 'end', header: '', cell: ({ row: { original } }) => <End session={original} /> },
];

/** The person's own password, second factors and sessions. */
export function AccountPage() {
  const query = useQuery(sessionsQuery);
  const factors = useQuery(secondFactorsQuery);
  return (
    <Page title={i18n.t('Your account')}>
      {factors.data?.hasPassword !== false && <ChangePassword />}
      <SecondFactors />
      <Title order={2} size="h4" mt="xl" mb="sm">
        {i18n.t('Sessions')}
      </Title>
      <EndOthers />
      <Listing label={i18n.t('Sessions')} query={query} columns={COLUMNS} keyOf={({ id }) => id} empty={null} />
    </Page>
  );
}

/** Signs out all other devices. */
function EndOthers() {
  const queryClient = useQueryClient();
  return (
    <ConfirmButton
      label={i18n.t('Sign out all other devices')}
      of={i18n.t('of your account')}
      question={i18n.t('Sign out all other devices?')}
      consequence={i18n.t('The person who uses them has to sign in again.')}
      act={async () => {
        await revokeOtherSessions();
        await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      }}
    />
  );
}

function End({ session: { id, current, userAgent } }: { session: SessionEntry }) {
  const queryClient = useQueryClient();
  if (current) return i18n.t('This device');
  return (
    <ConfirmButton
      label={i18n.t('Sign out')}
      of={i18n.t('the session of {userAgent}', { userAgent })}
      question={i18n.t('Sign out this device?')}
      consequence={i18n.t('The person who uses it has to sign in again.')}
      act={async () => {
        await revokeSession(id);
        await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      }}
    />
  );
}

/** Changes the password, which ends all other sessions of the person. */
function ChangePassword() {
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
