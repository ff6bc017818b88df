import type {
  AcceptedInvite,
  AcceptInviteBody,
  ApproveDeviceBody,
  ChangePasswordBody,
  DeviceAuthorizationResponse,
  LoginResponse,
  LoginBody,
  MeResponse,
  PageOf,
  SessionEntry,
  SetupStateResponse,
  SetupBody,
} from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

/** Whether the setup is open. */
export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => call<SetupStateResponse>('GET', '/api/auth/setup', { signal }),
});

/** The signed-in person and their workspaces. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => call<MeResponse>('GET', '/api/auth/me', { signal }),
  staleTime: 30_000,
});

/** The person's sessions. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => call<PageOf<SessionEntry>>('GET', '/api/auth/sessions', { signal }),
});

/** A command-line client that waits to be signed in. */
export const deviceQuery = (id: string) =>
  queryOptions({
    queryKey: ['device', id],
    queryFn: ({ signal }) =>
      call<DeviceAuthorizationResponse>('GET', `/api/auth/devices/${encodeURIComponent(id)}`, { signal }),
  });

export const setUp = (body: SetupBody): Promise<LoginResponse> => call('POST', '/api/auth/setup', { body });
export const signIn = (body: LoginBody): Promise<LoginResponse> => call('POST', '/api/auth/login', { body });
export const signOut = (): Promise<null> => call('POST', '/api/auth/logout');
export const acceptInvite = (body: AcceptInviteBody): Promise<AcceptedInvite> =>
  call('POST', '/api/auth/accept-invite', { body });
export const changePassword = (body: ChangePasswordBody): Promise<null> => call('POST', '/api/auth/password', { body });
export const approveDevice = (id: string, body: ApproveDeviceBody): Promise<null> =>
  call('POST', `/api/auth/devices/${encodeURIComponent(id)}/approve`, { body });
export const revokeSession = (id: string): Promise<null> => call('DELETE', `/api/auth/sessions/${id}`);
