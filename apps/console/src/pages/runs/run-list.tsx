import type { ExecutionEntry } from '@deckhand/contracts';
import { Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { RefreshCw } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { type RunFilter, runsQuery } from '../../api/executions.js';
import { useWorkspace } from '../../api/use-workspace.js';
import { optional } from '../../app/search.js';
import { AnchorLink } from '../../components/anchor-link.js';
import { Broken } from '../../components/broken.js';
import { type Columns, DataTable } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loading } from '../../components/loading.js';
import { RelativeTime } from '../../components/relative-time.js';
import { Page } from '../../components/page.js';
import { StatusBadge } from '../../components/status-badge.js';
import { BulkMenu } from './bulk-menu.js';
import { Duration } from './duration.js';
import { ExportRuns } from './export-runs.js';
import { RunFilters } from './run-filters.js';
import { SelectionContext, SelectRun } from './selection.js';
import { WorkflowName } from './workflow-name.js';

const route = getRouteApi('/w/$workspaceId/runs');

/** Polling interval of the list while only its first page is shown, in ms. */
const LIVE_MS = 2_000;

const COLUMNS: Columns<ExecutionEntry> = [
  {
    id: 'workflow',
    header: 'Workflow',
    cell: ({ row: { original } }) => (
      <Link
        to="/w/$workspaceId/runs/$executionId"
        params={{ workspaceId: original.workspaceId, executionId: original.id }}
      >
        <WorkflowName workflowId={original.workflowId} />
      </Link>
    ),
  },
  { id: 'status', header: 'Status', cell: ({ row: { original } }) => <StatusBadge status={original.status} /> },
  { id: 'createdAt', header: 'Started', cell: ({ row: { original } }) => <RelativeTime at={original.createdAt} /> },
  {
    id: 'duration',
    header: 'Duration',
    cell: ({ row: { original } }) => <Duration from={original.startedAt} to={original.finishedAt} />,
  },
  { id: 'source', header: 'Trigger', cell: ({ row: { original } }) => describeOrigin(original) },
  { id: 'error', header: 'Error', cell: ({ row: { original } }) => original.error?.message },
  { id: 'select', header: 'Select', cell: ({ row: { original } }) => <SelectRun run={original} /> },
];

/** The runs of a workspace. The newest page is updated live; older pages are loaded on request. */
export function RunList() {
  const { workspaceId } = useWorkspace();
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery({
    ...runsQuery(workspaceId, filter),
    // With more pages, rows would move while they are read.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? LIVE_MS : false),
    placeholderData: (before) => before,
  });
  const rows = useMemo(() => withoutTwins(query.data?.pages.flatMap(({ data }) => data) ?? []), [query.data]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const selection = useMemo(
    () => ({
      ids,
      toggle: (id: string) =>
        setIds((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id])),
    }),
    [ids],
  );
  const narrow = (change: RunFilter): void =>
    void navigate({ search: (before) => optional({ ...before, ...change }), replace: true });
  const isFiltered = Object.keys(filter).length > 0;
  const isLive = (query.data?.pages.length ?? 0) <= 1;
  return (
    <Page
      title="Runs"
      actions={
        <>
          {!isLive && (
            <Button
              variant="default"
              leftSection={<RefreshCw size={16} aria-hidden />}
              onClick={() => {
                window.scrollTo({ top: 0 });
                void navigate({ search: filter, replace: true });
                void query.refetch();
              }}
            >
              Newest
            </Button>
          )}
          <BulkMenu filter={filter} selected={[...ids]} />
          <ExportRuns workspaceId={workspaceId} filter={filter} />
        </>
      }
    >
      <RunFilters filter={filter} onChange={narrow} onClear={() => void navigate({ search: {}, replace: true })} />
      {filter.failureGroup !== undefined && (
        <Text size="sm" mb="sm">
          Only runs of{' '}
          <AnchorLink to="/w/$workspaceId/failures/$groupId" params={{ workspaceId, groupId: filter.failureGroup }}>
            one failure group
          </AnchorLink>
        </Text>
      )}
      {query.isError && rows.length === 0 ? (
        <Broken error={query.error} reset={() => void query.refetch()} />
      ) : query.isPending ? (
        <Loading />
      ) : rows.length > 0 ? (
        <SelectionContext value={selection}>
          <DataTable label="Runs" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} onNearEnd={more} />
        </SelectionContext>
      ) : isFiltered ? (
        <EmptyState title="No matching runs">Remove a filter, or change the search.</EmptyState>
      ) : (
        <EmptyState title="No runs yet">
          A run is one execution of a workflow. Start one in the editor, by a webhook, or with an API key.
        </EmptyState>
      )}
    </Page>
  );
}

/** Removes repeated runs: new runs move others to the next page, where they would be shown again. */
function withoutTwins(runs: readonly ExecutionEntry[]): ExecutionEntry[] {
  return [...new Map(runs.map((run) => [run.id, run])).values()];
}

function describeOrigin({ source, executionMode }: ExecutionEntry): string {
  return executionMode === 'normal' ? source : `${source}, ${executionMode}`;
}
