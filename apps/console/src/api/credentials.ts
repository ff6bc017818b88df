import type {
  CreateCredentialBody,
  CredentialEntry,
  CredentialTest,
  CredentialUse,
  FinishedConnection,
  JsonObject,
  PageOf,
  PolledConnection,
  StartedConnection,
  TestCredentialBody,
  UpdateCredentialBody,
} from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

/** The credentials of a workspace: names and types, never secrets. */
export const credentialsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['credentials', workspaceId],
    queryFn: ({ signal }) =>
      call<PageOf<CredentialEntry>>('GET', '/api/credentials', { query: { workspaceId, limit: 500 }, signal }),
  });

/** The limits of the requests of a credential, as a form has them. The API checks them. */
export interface Traffic {
  readonly rateLimit: JsonObject | null;
  readonly circuit: JsonObject | null;
}

export const createCredential = (
  body: Omit<CreateCredentialBody, keyof Traffic> & Partial<Traffic>,
): Promise<CredentialEntry> => call('POST', '/api/credentials', { body });
export const updateCredential = (id: string, body: UpdateCredentialBody): Promise<CredentialEntry> =>
  call('PATCH', `/api/credentials/${id}`, { body });
export const limitCredential = (id: string, body: Traffic): Promise<CredentialEntry> =>
  call('PATCH', `/api/credentials/${id}`, { body });
export const deleteCredential = (id: string): Promise<null> => call('DELETE', `/api/credentials/${id}`);

export const testCredential = (id: string, body: TestCredentialBody): Promise<CredentialTest> =>
  call('POST', `/api/credentials/${id}/test`, { body });

/** The workflows that use a credential. */
export const credentialUsesQuery = (id: string) =>
  queryOptions({
    queryKey: ['credential-uses', id],
    queryFn: ({ signal }) => call<{ data: CredentialUse[] }>('GET', `/api/credentials/${id}/workflows`, { signal }),
  });

export const connectCredential = (id: string): Promise<StartedConnection> =>
  call('POST', `/api/credentials/${id}/connect`);

/** An attempt to connect by a code, which is polled until the person has entered it. */
export const devicePollQuery = (id: string, attempt: string, pollSeconds: number) =>
  queryOptions({
    queryKey: ['credential-connection', id, attempt],
    queryFn: ({ signal }) =>
      call<PolledConnection>('POST', `/api/credentials/${id}/connect/poll`, { body: { attempt }, signal }),
    refetchInterval: ({ state: { data, error } }) =>
      error !== null || data?.state === 'connected' ? false : (data?.pollSeconds ?? pollSeconds) * 1_000,
  });

/** The end of an attempt to connect by a redirect: sent once, because the attempt counts once. */
export const finishConnectionQuery = (parameters: string) =>
  queryOptions({
    queryKey: ['credential-redirect', parameters],
    queryFn: () => call<FinishedConnection>('POST', '/api/credentials/callback', { body: { parameters } }),
    retry: false,
    staleTime: Infinity,
    gcTime: Infinity,
  });
