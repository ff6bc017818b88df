import type { AuditLogEntry } from '@deckhand/contracts';
import { SegmentedControl } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
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

const OF_WORKSPACE = 'This workspace';
const OF_INSTANCE = 'Instance';

/** Who did what in the workspace, the newest first; for administrators also in the whole instance. */
export function AuditLog() {
  const { workspaceId, user } = useWorkspace();
  const [range, setRange] = useState(OF_WORKSPACE);
  const query = useInfiniteQuery(auditLogQuery(range === OF_INSTANCE ? undefined : workspaceId));
  const rows = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <Page
      title="Audit log"
      actions={
        user.isAdmin && (
          <SegmentedControl
            aria-label="Entries of"
            data={[OF_WORKSPACE, OF_INSTANCE]}
            value={range}
            onChange={setRange}
          />
        )
      }
    >
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
