import type { InviteEntry } from '@deckhand/contracts';
import { Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { deleteInvite, invitesQuery } from '../../api/members.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { type Columns, DataTable } from '../../components/data-table.js';
import { RelativeTime } from '../../components/relative-time.js';

const COLUMNS: Columns<InviteEntry> = [
  { id: 'email', header: 'For', cell: ({ row: { original } }) => original.email ?? 'Anyone with the link' },
  { id: 'role', header: 'Role', cell: ({ row: { original } }) => original.role },
  { id: 'state', header: 'State', cell: ({ row: { original } }) => original.state },
  { id: 'created', header: 'Created', cell: ({ row: { original } }) => <RelativeTime at={original.createdAt} /> },
  { id: 'expires', header: 'Expires', cell: ({ row: { original } }) => original.expiresAt.slice(0, 10) },
  { id: 'delete', header: '', cell: ({ row: { original } }) => <Revoke invite={original} /> },
];

/** The invites of the workspace in every state. */
export function InviteList({ workspaceId }: { workspaceId: string }) {
  const invites = useQuery(invitesQuery(workspaceId)).data?.data ?? [];
  if (invites.length === 0) return null;
  return (
    <>
      <Title order={2} size="h4" mt="lg" mb="sm">
        Invites
      </Title>
      <DataTable label="Invites" columns={COLUMNS} rows={invites} keyOf={({ id }) => id} />
    </>
  );
}

function Revoke({ invite: { id, workspaceId, state, email } }: { invite: InviteEntry }) {
  const queryClient = useQueryClient();
  if (state !== 'Pending') return null;
  return (
    <ConfirmButton
      label="Revoke"
      of={`the invite for ${email ?? 'anyone with the link'}`}
      question="Revoke this invite?"
      consequence="The link will stop working."
      act={async () => {
        await deleteInvite(workspaceId, id);
        await queryClient.invalidateQueries({ queryKey: invitesQuery(workspaceId).queryKey });
      }}
    />
  );
}
