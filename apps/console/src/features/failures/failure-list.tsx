import { FAILURE_GROUP_STATES, type FailureGroup } from '@deckhand/contracts';
import { Group, Select } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { type FailureFilter, failureGroupsQuery } from '../../api/failure-groups.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { choice, optional } from '../../app/search.ts';
import { Broken } from '../../components/broken.tsx';
import { type Columns, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { STATUS_LOOKS, StatusBadge } from '../../components/status-badge.tsx';
import { WorkflowSelect } from '../../forms/workflow-select.tsx';
import { formatNumber, i18n } from '../../language/i18n.ts';
import { describeNode, describeWorkflows } from './describe-group.ts';

const route = getRouteApi('/w/$workspaceId/failures');

/** Polling interval of the list while only its first page is shown, in ms. */
const LIVE_MS = 5_000;

const COLUMNS: Columns<FailureGroup> = [
  {
    id: 'message',
    header: i18n.t('Message'),
    cell: ({ row: { original } }) => (
      <Link to="/w/$workspaceId/failures/$groupId" params={{ workspaceId: original.workspaceId, groupId: original.id }}>
        {original.message || i18n.t('No message')}
      </Link>
    ),
  },
  { id: 'node', width: '16%', header: i18n.t('Node type'), cell: ({ row: { original } }) => describeNode(original) },
  {
    id: 'workflows',
    width: '18%',
    header: i18n.t('Workflows'),
    cell: ({ row: { original } }) => describeWorkflows(original),
  },
  {
    id: 'count',
    width: '100px',
    header: i18n.t('Count'),
    cell: ({ row: { original } }) => formatNumber(original.count),
  },
  {
    id: 'lastSeenAt',
    width: '140px',
    header: i18n.t('Last seen'),
    cell: ({ row: { original } }) => <RelativeTime at={original.lastSeenAt} />,
  },
  {
    id: 'state',
    width: '120px',
    header: i18n.t('State'),
    cell: ({ row: { original } }) => <StatusBadge status={original.state} />,
  },
];

/** The failure groups of a workspace, the latest failure first. */
export function FailureList() {
  const { workspaceId } = useWorkspace();
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery({
    ...failureGroupsQuery(workspaceId, filter),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? LIVE_MS : false),
    placeholderData: (before) => before,
  });
  const rows = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const narrow = (change: FailureFilter): void =>
    void navigate({ search: (before) => optional({ ...before, ...change }), replace: true });
  return (
    <Page title={i18n.t('Failures')}>
      <Group mb="md" gap="sm" role="search" aria-label={i18n.t('Filter failures')} align="flex-end">
        <Select
          label={i18n.t('State')}
          placeholder={i18n.t('Any')}
          clearable
          data={FAILURE_GROUP_STATES.map((value) => ({ value, label: STATUS_LOOKS[value].label }))}
          value={filter.state ?? null}
          onChange={(value) => narrow({ state: choice(FAILURE_GROUP_STATES, value) })}
          flex="1 1 130px"
          maw={190}
        />
        <WorkflowSelect
          label={i18n.t('Workflow')}
          placeholder={i18n.t('Any')}
          clearable
          value={filter.workflowId ?? null}
          onChange={(workflowId) => narrow({ workflowId: workflowId ?? undefined })}
          flex="1 1 130px"
          maw={230}
        />
      </Group>
      {query.isError && rows.length === 0 ? (
        <Broken error={query.error} reset={() => void query.refetch()} />
      ) : query.isPending ? (
        <Loading />
      ) : rows.length > 0 ? (
        <DataTable label={i18n.t('Failures')} columns={COLUMNS} rows={rows} keyOf={({ id }) => id} onNearEnd={more} />
      ) : (
        <EmptyState title={Object.keys(filter).length > 0 ? i18n.t('No matching failures') : i18n.t('No failures')}>
          {i18n.t('Runs that fail or time out with the same error are listed here as one group.')}
        </EmptyState>
      )}
    </Page>
  );
}
