import type { AuditLogEntry } from '@deckhand/contracts';
import { SegmentedControl } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { auditLogQuery } from '../../api/audit-log.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { Broken } from '../../components/broken.tsx';
import { type Columns, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loading } from '../../components/loading.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Page } from '../../components/page.tsx';
import { i18n } from '../../language/i18n.ts';
import { ACTIONS, RESOURCES } from './audit-words.ts';

const COLUMNS: Columns<AuditLogEntry> = [
  {
    id: 'action',
    width: '220px',
    header: i18n.t('Action'),
    cell: ({ row: { original } }) => ACTIONS[original.action] ?? original.action,
  },
  {
    id: 'resource',
    header: i18n.t('Resource'),
    cell: ({ row: { original } }) =>
      `${RESOURCES[original.resourceType] ?? original.resourceType} ${original.resourceName ?? original.resourceId?.slice(0, 8) ?? ''}`,
  },
  { id: 'who', header: i18n.t('Who'), cell: ({ row: { original } }) => describePerson(original) },
  { id: 'address', width: '150px', header: i18n.t('IP address'), cell: ({ row: { original } }) => original.address },
  {
    id: 'at',
    width: '120px',
    header: i18n.t('When'),
    cell: ({ row: { original } }) => <RelativeTime at={original.at} />,
  },
];

const OF_WORKSPACE = i18n.t('This workspace');
const OF_INSTANCE = i18n.t('Instance');

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
      title={i18n.t('Audit log')}
      actions={
        user.isAdmin && (
          <SegmentedControl
            aria-label={i18n.t('Entries of')}
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
        <EmptyState title={i18n.t('No entries yet')}>
          {i18n.t('Every change in the workspace is recorded here.')}
        </EmptyState>
      ) : (
        <DataTable label={i18n.t('Audit log')} columns={COLUMNS} rows={rows} keyOf={({ id }) => id} onNearEnd={more} />
      )}
    </Page>
  );
}

function describePerson({ userEmail, apiKeyName }: AuditLogEntry): string {
  const person = userEmail ?? i18n.t('Former member');
  return apiKeyName === null ? person : i18n.t('{person}, with the key "{apiKeyName}"', { person, apiKeyName });
}
