import type { CreatedInvite, CreateInviteBody, InviteEntry, MemberEntry, PageOf, Role } from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

/** The members of a workspace. */
export const membersQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['members', workspaceId],
    queryFn: ({ signal }) =>
      call<PageOf<MemberEntry>>('GET', `/api/workspaces/${workspaceId}/members`, { query: { limit: 500 }, signal }),
  });

/** The invites of a workspace. */
export const invitesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['invites', workspaceId],
    queryFn: ({ signal }) =>
      call<PageOf<InviteEntry>>('GET', `/api/workspaces/${workspaceId}/invites`, { query: { limit: 500 }, signal }),
  });

export const changeRole = (workspaceId: string, userId: string, role: Role): Promise<MemberEntry> =>
  call('PATCH', `/api/workspaces/${workspaceId}/members/${userId}`, { body: { role } });
export const removeMember = (workspaceId: string, userId: string): Promise<null> =>
  call('DELETE', `/api/workspaces/${workspaceId}/members/${userId}`);
export const createInvite = (workspaceId: string, body: CreateInviteBody): Promise<CreatedInvite> =>
  call('POST', `/api/workspaces/${workspaceId}/invites`, { body });
export const deleteInvite = (workspaceId: string, id: string): Promise<null> =>
  call('DELETE', `/api/workspaces/${workspaceId}/invites/${id}`);
export const leaveWorkspace = (workspaceId: string): Promise<null> =>
  call('DELETE', `/api/workspaces/${workspaceId}/membership`);
