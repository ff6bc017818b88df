import type { AuditLogEntry, PageOf } from '@deckhand/contracts';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { call } from './call.js';

/** The audit log of a workspace, page by page, the newest first. */
export const auditLogQuery = (workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: ['audit-log', workspaceId],
    queryFn: ({ pageParam, signal }) =>
      call<PageOf<AuditLogEntry>>('GET', '/api/audit-log', {
        query: { workspaceId, limit: 100, offset: pageParam },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ offset, limit, hasMore }) => (hasMore ? offset + limit : undefined),
  });
