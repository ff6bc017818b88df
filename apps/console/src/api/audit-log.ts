import type { AuditLogEntry, PageOf } from '@deckhand/contracts';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

const PAGE = 100;

/**
 * An audit log, page by page, the newest first. @param workspaceId undefined for that of the instance, which its
 * administrators may read.
 */
export const auditLogQuery = (workspaceId: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['audit-log', workspaceId],
    queryFn: ({ pageParam: offset, signal }) =>
      workspaceId === undefined
        ? call<PageOf<AuditLogEntry>>('GET', '/api/admin/audit-log', { query: { limit: PAGE, offset }, signal })
        : call<PageOf<AuditLogEntry>>('GET', '/api/audit-log', { query: { workspaceId, limit: PAGE, offset }, signal }),
    initialPageParam: 0,
    getNextPageParam: ({ offset, limit, hasMore }) => (hasMore ? offset + limit : undefined),
  });
