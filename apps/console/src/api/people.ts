import type {
  AcceptedInvite,
  AcceptInviteBody,
  ApproveDeviceBody,
  ChangePasswordBody,
  DeviceAuthorizationResponse,
  FinishSignInBody,
  LoginResponse,
  LoginBody,
  MeResponse,
  PageOf,
  PendingSignIn,
  RedeemPasswordResetBody,
  RequestPasswordResetBody,
  SessionEntry,
  SetupStateResponse,
  SetupBody,
  SignedOff,
  SignInMethods,
  SignInResponse,
  SignOnResponse,
  StartedSignOn,
  StartSignOnBody,
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

/** How people can sign in. */
export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: ({ signal }) => call<SignInMethods>('GET', '/api/auth/methods', { signal }),
  staleTime: Infinity,
});

/** The end of a single sign-on: sent once, because its code works once. */
export const finishSignOnQuery = (parameters: string) =>
  queryOptions({
    queryKey: ['sign-on-redirect', parameters],
    queryFn: () =>
      call<SignOnResponse>('POST', '/api/auth/sso/finish', {
        body: { parameters },
        bindsBrowser: true,
      }),
    retry: false,
    staleTime: Infinity,
  });

/** A command-line client that waits to be signed in. */
export const deviceQuery = (id: string) =>
  queryOptions({
    queryKey: ['device', id],
    queryFn: ({ signal }) =>
      call<DeviceAuthorizationResponse>('GET', `/api/auth/devices/${encodeURIComponent(id)}`, { signal }),
  });

export const setUp = (body: SetupBody): Promise<LoginResponse> => call('POST', '/api/auth/setup', { body });
export const signIn = (body: LoginBody): Promise<SignInResponse> =>
  call('POST', '/api/auth/login', { body, bindsBrowser: true });
export const startPasskeySignIn = (): Promise<PendingSignIn> =>
  call('POST', '/api/auth/login/passkey', { bindsBrowser: true });
export const finishSignIn = (body: FinishSignInBody): Promise<LoginResponse> =>
  call('POST', '/api/auth/login/second-factor', { body, bindsBrowser: true });
export const startSignOn = (body: StartSignOnBody): Promise<StartedSignOn> =>
  call('POST', '/api/auth/sso/start', { body, bindsBrowser: true });
export const signOut = (): Promise<SignedOff> => call('POST', '/api/auth/sso/logout');
export const requestPasswordReset = (body: RequestPasswordResetBody): Promise<null> =>
  call('POST', '/api/auth/password-resets', { body });
export const redeemPasswordReset = (body: RedeemPasswordResetBody): Promise<null> =>
  call('POST', '/api/auth/password-resets/redeem', { body });
export const acceptInvite = (body: AcceptInviteBody): Promise<AcceptedInvite> =>
  call('POST', '/api/auth/accept-invite', { body });
export const changePassword = (body: ChangePasswordBody): Promise<null> => call('POST', '/api/auth/password', { body });
export const approveDevice = (id: string, body: ApproveDeviceBody): Promise<null> =>
  call('POST', `/api/auth/devices/${encodeURIComponent(id)}/approve`, { body });
export const revokeSession = (id: string): Promise<null> => call('DELETE', `/api/auth/sessions/${id}`);
export const revokeOtherSessions = (): Promise<null> => call('DELETE', '/api/auth/sessions');
