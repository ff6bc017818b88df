import type { PageOf, WorkflowEntry } from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

/** Number of workflows whose names are fetched at once. */
export const MAX_NAMES = 500;

/** Names by id of a workspace's workflows, or of those that a search finds: up to the first 500. */
export const workflowNamesQuery = (workspaceId: string, search = '') =>
  queryOptions({
    queryKey: ['workflows', workspaceId, 'names', search],
    queryFn: async ({ signal }) => {
      const { data } = await call<PageOf<WorkflowEntry>>('GET', '/api/workflows', {
        query: { workspaceId, search, limit: MAX_NAMES },
        signal,
      });
      return new Map(data.map(({ id, name }) => [id, name]));
    },
    staleTime: 30_000,
  });
