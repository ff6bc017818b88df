import type { ApiKeyEntry, CreateApiKeyBody, CreatedApiKey, PageOf } from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

/** The person's API keys, revoked and expired ones too. */
export const apiKeysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) => call<PageOf<ApiKeyEntry>>('GET', '/api/api-keys', { query: { limit: 500 }, signal }),
});

export const createApiKey = (body: CreateApiKeyBody): Promise<CreatedApiKey> => call('POST', '/api/api-keys', { body });
export const rotateApiKey = (id: string, body: { password: string }): Promise<CreatedApiKey> =>
  call('POST', `/api/api-keys/${id}/rotate`, { body });
export const revokeApiKey = (id: string): Promise<ApiKeyEntry> => call('POST', `/api/api-keys/${id}/revoke`);
