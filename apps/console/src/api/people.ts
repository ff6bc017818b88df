import type {
  AcceptedInvite,
  AcceptInviteBody,
  LoginAnswer,
  LoginBody,
  MeAnswer,
  SetupAnswer,
  SetupBody,
} from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.js';

/** Whether the first owner is still to be created. */
export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => call<SetupAnswer>('GET', '/api/auth/setup', { signal }),
});

/** Who is signed in, and the workspaces of that person. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => call<MeAnswer>('GET', '/api/auth/me', { signal }),
  staleTime: 30_000,
});

export const setUp = (body: SetupBody): Promise<LoginAnswer> => call('POST', '/api/auth/setup', { body });
export const signIn = (body: LoginBody): Promise<LoginAnswer> => call('POST', '/api/auth/login', { body });
export const signOut = (): Promise<null> => call('POST', '/api/auth/logout');
export const acceptInvite = (body: AcceptInviteBody): Promise<AcceptedInvite> =>
  call('POST', '/api/auth/accept-invite', { body });
