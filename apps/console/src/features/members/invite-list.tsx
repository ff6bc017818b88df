import type { InviteEntry } from '@deckhand/contracts';
import { Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { deleteInvite, invitesQuery } from '../../api/members.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { type Columns, DataTable } from '../../components/data-table.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { i18n } from '../../language/i18n.ts';
import { ROLE_NAMES } from './create-invite.tsx';

const STATES: Readonly<Record<InviteEntry['state'], string>> = {
  Pending: i18n.t('Pending'),
  Accepted: i18n.t('Accepted'),
  Expired: i18n.t('Expired'),
};

const COLUMNS: Columns<InviteEntry> = [
  {
    id: 'email',
    header: i18n.t('For'),
    cell: ({ row: { original } }) => original.email ?? i18n.t('Anyone with the link'),
  },
  { id: 'role', header: i18n.t('Role'), cell: ({ row: { original } }) => ROLE_NAMES[original.role] },
  { id: 'state', header: i18n.t('State'), cell: ({ row: { original } }) => STATES[original.state] },
  {
    id: 'created',
    header: i18n.t('Created'),
    cell: ({ row: { original } }) => <RelativeTime at={original.createdAt} />,
  },
  { id: 'expires', header: i18n.t('Expires'), cell: ({ row: { original } }) => original.expiresAt.slice(0, 10) },
  { id: 'delete', header: '', cell: ({ row: { original } }) => <Revoke invite={original} /> },
];

/** The invites of the workspace in every state. */
export function InviteList({ workspaceId }: { workspaceId: string }) {
  const invites = useQuery(invitesQuery(workspaceId)).data?.data ?? [];
  if (invites.length === 0) return null;
  return (
    <>
      <Title order={2} size="h4" mt="lg" mb="sm">
        {i18n.t('Invites')}
      </Title>
      <DataTable label={i18n.t('Invites')} columns={COLUMNS} rows={invites} keyOf={({ id }) => id} />
    </>
  );
}

function Revoke({ invite: { id, workspaceId, state, email } }: { invite: InviteEntry }) {
  const queryClient = useQueryClient();
  if (state !== 'Pending') return null;
  return (
    <ConfirmButton
      label={i18n.t('Revoke')}
      of={email === null ? i18n.t('the invite for anyone with the link') : i18n.t('the invite for {email}', { email })}
      question={i18n.t('Revoke this invite?')}
      consequence={i18n.t('The link will stop working.')}
      act={async () => {
        await deleteInvite(workspaceId, id);
        await queryClient.invalidateQueries({ queryKey: invitesQuery(workspaceId).queryKey });
      }}
    />
  );
}
