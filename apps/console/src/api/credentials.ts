import type { CreateCredentialBody, CredentialEntry, PageOf } from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.js';

/** The credentials of a workspace: names and types, never secrets. */
export const credentialsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['credentials', workspaceId],
    queryFn: ({ signal }) =>
      call<PageOf<CredentialEntry>>('GET', '/api/credentials', { query: { workspaceId, limit: 500 }, signal }),
  });

export const createCredential = (body: CreateCredentialBody): Promise<CredentialEntry> =>
  call('POST', '/api/credentials', { body });
export const deleteCredential = (id: string): Promise<null> => call('DELETE', `/api/credentials/${id}`);
