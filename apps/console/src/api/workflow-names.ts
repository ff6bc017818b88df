import type { PageOf, WorkflowEntry } from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.js';

/** Number of workflows whose names are fetched at once. */
const LIMIT = 500;

/** Names of a workspace's workflows by id: up to the first 500. */
export const workflowNamesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workflows', workspaceId, 'names'],
    queryFn: async ({ signal }) => {
      const { data } = await call<PageOf<WorkflowEntry>>('GET', '/api/workflows', {
        query: { workspaceId, limit: LIMIT },
        signal,
      });
      return new Map(data.map(({ id, name }) => [id, name]));
    },
    staleTime: 30_000,
  });
