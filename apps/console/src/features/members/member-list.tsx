import { type MemberEntry, ROLES } from '@deckhand/contracts';
import { Button, Select } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { UserPlus } from 'lucide-react';
import { changeRole, leaveWorkspace, membersQuery, removeMember } from '../../api/members.ts';
import { meQuery } from '../../api/people.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { choice } from '../../app/search.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import type { Columns } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Listing } from '../../components/listing.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { notifyProblem } from '../../components/notice-board.ts';
import { Page } from '../../components/page.tsx';
import { i18n } from '../../language/i18n.ts';
import { CreateInvite, ROLE_NAMES } from './create-invite.tsx';
import { InviteList } from './invite-list.tsx';

const COLUMNS: Columns<MemberEntry> = [
  { id: 'name', header: i18n.t('Name'), cell: ({ row: { original } }) => original.name },
  { id: 'email', header: i18n.t('E-mail'), cell: ({ row: { original } }) => original.email },
  { id: 'role', header: i18n.t('Role'), cell: ({ row: { original } }) => <RoleOf member={original} /> },
  { id: 'since', header: i18n.t('Joined'), cell: ({ row: { original } }) => <RelativeTime at={original.createdAt} /> },
  { id: 'remove', header: '', cell: ({ row: { original } }) => <Remove member={original} /> },
];

/** The members of the workspace with their roles, and the invites. */
export function MemberList() {
  const { workspaceId, can } = useWorkspace();
  const query = useQuery(membersQuery(workspaceId));
  const [isInviting, inviting] = useDisclosure(false);
  return (
    <Page
      title={i18n.t('Members')}
      actions={
        can('members.manage') && (
          <Button leftSection={<UserPlus size={16} aria-hidden />} onClick={inviting.open}>
            {i18n.t('Invite')}
          </Button>
        )
      }
    >
      <Listing
        label={i18n.t('Members')}
        query={query}
        columns={COLUMNS}
        keyOf={({ userId }) => userId}
        empty={<EmptyState title={i18n.t('No member')}>{i18n.t('Invite a person.')}</EmptyState>}
      />
      {can('members.manage') && <InviteList workspaceId={workspaceId} />}
      <CreateInvite workspaceId={workspaceId} isOpen={isInviting} onClose={inviting.close} />
    </Page>
  );
}

function RoleOf({ member: { userId, name, role } }: { member: MemberEntry }) {
  const { workspaceId, can, user } = useWorkspace();
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: (next: MemberEntry['role']) => changeRole(workspaceId, userId, next),
    onError: notifyProblem,
    onSettled: () => queryClient.invalidateQueries({ queryKey: membersQuery(workspaceId).queryKey }),
  });
  if (!can('members.manage') || userId === user.id) return ROLE_NAMES[role];
  return (
    <Select
      aria-label={i18n.t('Role of {name}', { name })}
      size="xs"
      w={130}
      allowDeselect={false}
      data={ROLES.map((value) => ({ value, label: ROLE_NAMES[value] }))}
      value={role}
      onChange={(value) => {
        const next = choice(ROLES, value);
        if (next !== undefined && next !== role) change.mutate(next);
      }}
    />
  );
}

function Remove({ member: { userId, name } }: { member: MemberEntry }) {
  const { workspaceId, can, user } = useWorkspace();
  const queryClient = useQueryClient();
  if (userId === user.id) return <Leave />;
  if (!can('members.manage')) return null;
  return (
    <ConfirmButton
      label={i18n.t('Remove')}
      of={name}
      question={i18n.t('Remove {name} from the workspace?', { name })}
      consequence={i18n.t('This person and their API keys lose access at once.')}
      act={async () => {
        await removeMember(workspaceId, userId);
        await queryClient.invalidateQueries({ queryKey: membersQuery(workspaceId).queryKey });
      }}
    />
  );
}

function Leave() {
  const { workspaceId, name } = useWorkspace();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return (
    <ConfirmButton
      label={i18n.t('Leave')}
      of={name}
      question={i18n.t('Leave the workspace {name}?', { name })}
      consequence={i18n.t('You and your API keys lose access at once. Only an invite brings you back.')}
      act={async () => {
        await leaveWorkspace(workspaceId);
        // The start page must not find the workspace any more.
        await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
        await navigate({ to: '/' });
      }}
    />
  );
}
