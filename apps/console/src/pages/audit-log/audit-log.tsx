import type { AuditLogEntry } from '@deckhand/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { auditLogQuery } from '../../api/audit-log.js';
import { useWorkspace } from '../../api/use-workspace.js';
import { Broken } from '../../components/broken.js';
import { type Columns, DataTable } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loading } from '../../components/loading.js';
import { RelativeTime } from '../../components/relative-time.js';
import { Page } from '../../components/page.js';

const COLUMNS: Columns<AuditLogEntry> = [
  { id: 'action', header: 'Action', cell: ({ row: { original } }) => original.action },
  {
    id: 'resource',
    header: 'Resource',
    cell: ({ row: { original } }) =>
      `${original.resourceType} ${original.resourceName ?? original.resourceId?.slice(0, 8) ?? ''}`,
  },
  { id: 'who', header: 'Who', cell: ({ row: { original } }) => describePerson(original) },
  { id: 'address', header: 'IP address', cell: ({ row: { original } }) => original.address },
  { id: 'at', header: 'When', cell: ({ row: { original } }) => <RelativeTime at={original.at} /> },
];

/** Who did what in the workspace, the newest first. */
export function AuditLog() {
  const { workspaceId } = useWorkspace();
  const query = useInfiniteQuery(auditLogQuery(workspaceId));
  const rows = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <Page title="Audit log">
      {query.isError && rows.length === 0 ? (
        <Broken error={query.error} reset={() => void query.refetch()} />
      ) : query.isPending ? (
        <Loading />
      ) : rows.length === 0 ? (
        <EmptyState title="No entries yet">Every change in the workspace is recorded here.</EmptyState>
      ) : (
        <DataTable label="Audit log" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} onNearEnd={more} />
      )}
    </Page>
  );
}

function describePerson({ userEmail, apiKeyName }: AuditLogEntry): string {
  const person = userEmail ?? 'Former member';
  return apiKeyName === null ? person : `${person}, with the key "${apiKeyName}"`;
}
