import type { ConnectorEntry, PageOf } from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

/** The connectors that workflows of a workspace can use, the built-in ones among them. */
export const connectorsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['connectors', workspaceId],
    queryFn: ({ signal }) =>
      call<PageOf<ConnectorEntry>>('GET', '/api/connectors', { query: { workspaceId, limit: 500 }, signal }),
  });
