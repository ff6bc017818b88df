import type { CreateCredentialBody, CredentialEntry, JsonObject, PageOf } from '@deckhand/contracts';
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
export const limitCredential = (id: string, body: Traffic): Promise<CredentialEntry> =>
  call('PATCH', `/api/credentials/${id}`, { body });
export const deleteCredential = (id: string): Promise<null> => call('DELETE', `/api/credentials/${id}`);
