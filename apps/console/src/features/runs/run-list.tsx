import { Trans } from '@lingui/react';
import { Button, Switch, Text } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowUp, RefreshCw } from 'lucide-react';
import { type ComponentProps, useCallback, useState } from 'react';
import type { RunRow } from '../../api/executions.ts';
import type { RunFilter } from '../../api/run-filter.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { optional } from '../../app/search.ts';
import { Broken } from '../../components/broken.tsx';
import { type Columns, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { i18n } from '../../language/i18n.ts';
import { BulkButtons, BulkMenu } from './bulk-menu.tsx';
import { Duration } from './duration.tsx';
import { ExportRuns } from './export-runs.tsx';
import { FilterChips } from './filter-chips.tsx';
import { RunFilters } from './run-filters.tsx';
import { RunHistogram } from './run-histogram.tsx';
import classes from './run-list.module.css';
import {
  SelectAllRuns,
  SelectionBar,
  SelectionContext,
  SelectRun,
  useSelectedRuns,
  useSelection,
} from './run-selection.tsx';
import { MODES, SOURCES } from './run-words.ts';
import { useRuns } from './use-runs.ts';
import { ViewMenu } from './view-menu.tsx';

const route = getRouteApi('/w/$workspaceId/runs');

/** The columns after the one that names the run. */
export const RUN_COLUMNS: Columns<RunRow> = [
  {
    id: 'status',
    width: '190px',
    header: i18n.t('Status'),
    cell: ({ row: { original } }) => <StatusBadge status={original.status} />,
  },
  {
    id: 'createdAt',
    width: '120px',
    header: i18n.t('Started'),
    cell: ({ row: { original } }) => <RelativeTime at={original.createdAt} />,
  },
  {
    id: 'duration',
    width: '120px',
    header: i18n.t('Duration'),
    cell: ({ row: { original } }) => <Duration from={original.startedAt} to={original.finishedAt} />,
  },
  {
    id: 'source',
    width: '130px',
    header: i18n.t('Trigger'),
    cell: ({ row: { original } }) => describeOrigin(original),
  },
  { id: 'error', header: i18n.t('Error'), cell: ({ row: { original } }) => original.error?.message },
];

/** The column before all others. */
export const SELECT_COLUMN: Columns<RunRow> = [
  {
    id: 'select',
    width: '44px',
    header: () => <SelectAllRuns />,
    cell: ({ row: { original } }) => <SelectRun run={original} />,
  },
];

const COLUMNS: Columns<RunRow> = [
  ...SELECT_COLUMN,
  {
    id: 'workflow',
    header: i18n.t('Workflow'),
    cell: ({ row: { original } }) => (
      <Link
        to="/w/$workspaceId/runs/$executionId"
        params={{ workspaceId: original.workspaceId, executionId: original.id }}
      >
        {original.workflowName ?? i18n.t('Deleted workflow {id}', { id: original.workflowId.slice(0, 8) })}
      </Link>
    ),
  },
  ...RUN_COLUMNS,
];

/** The runs of a workspace, live unless that is switched off; older pages are loaded on request. */
export function RunList() {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Runs
      filter={filter}
      page={{ title: i18n.t('Runs') }}
      columns={COLUMNS}
      onFilter={(change) => void navigate({ search: change, replace: true })}
    />
  );
}

/** A list of runs with its filters. */
export function Runs({
  filter: chosen,
  workflowId,
  page,
  columns,
  onFilter,
}: {
  filter: RunFilter;
  /** Lists the runs of this workflow only, whatever the filter. */
  workflowId?: string;
  page: Omit<ComponentProps<typeof Page>, 'actions' | 'children'>;
  columns: Columns<RunRow>;
  onFilter: (change: (before: RunFilter) => RunFilter) => void;
}) {
  const { workspaceId } = useWorkspace();
  const filter = workflowId === undefined ? chosen : { ...chosen, workflowId };
  const [isLive, setLive] = useState(true);
  const selecting = useSelectedRuns(JSON.stringify(filter));
  const [selected] = selecting;
  const { query, rows, newCount, showNewest } = useRuns(workspaceId, filter, { isLive, isHeld: selected.size > 0 });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const selection = useSelection(rows, selecting);
  const narrow = (change: RunFilter): void => onFilter((before) => optional({ ...before, ...change }));
  const isFiltered = Object.keys(chosen).length > 0;
  return (
    <Page
      {...page}
      actions={
        <>
          {!isLive && (
            <Button variant="default" leftSection={<RefreshCw size={16} aria-hidden />} onClick={showNewest}>
              {i18n.t('Refresh')}
            </Button>
          )}
          <Switch
            label={i18n.t('Live')}
            checked={isLive}
            onChange={({ currentTarget: { checked } }) => setLive(checked)}
          />
          <ViewMenu listId={workflowId ?? workspaceId} filter={chosen} onChoose={(view) => onFilter(() => view)} />
          <BulkMenu filter={filter} />
          <ExportRuns workspaceId={workspaceId} filter={filter} />
        </>
      }
    >
      <RunFilters
        filter={chosen}
        hasWorkflow={workflowId === undefined}
        onChange={narrow}
        onClear={() => onFilter(() => ({}))}
      />
      <FilterChips filter={chosen} onChange={narrow} />
      <RunHistogram workspaceId={workspaceId} filter={filter} isLive={isLive} onChange={narrow} />
      {filter.failureGroup !== undefined && (
        <Text size="sm" mb="sm">
          <Trans
            id="Only runs of <0>one failure group</0>"
            components={{
              0: (
                <AnchorLink
                  to="/w/$workspaceId/failures/$groupId"
                  params={{ workspaceId, groupId: filter.failureGroup }}
                />
              ),
            }}
          />
        </Text>
      )}
      {query.isError && rows.length === 0 ? (
        <Broken error={query.error} reset={() => void query.refetch()} />
      ) : query.isPending ? (
        <Loading />
      ) : rows.length > 0 ? (
        <SelectionContext value={selection}>
          {newCount > 0 && (
            <div className={classes.news}>
              <Button size="xs" leftSection={<ArrowUp size={14} aria-hidden />} onClick={showNewest}>
                {i18n.t('{count, plural, one {# new run} other {# new runs}}', { count: newCount })}
              </Button>
            </div>
          )}
          <DataTable label={i18n.t('Runs')} columns={columns} rows={rows} keyOf={({ id }) => id} onNearEnd={more} />
          <SelectionBar selected={selecting}>
            <BulkButtons executionIds={[...selected.keys()]} workflowId={filter.workflowId} />
          </SelectionBar>
        </SelectionContext>
      ) : isFiltered ? (
        <EmptyState title={i18n.t('No matching runs')}>{i18n.t('Remove a filter, or change the search.')}</EmptyState>
      ) : (
        <EmptyState title={i18n.t('No runs yet')}>
          {i18n.t('A run is one execution of a workflow. Start one in the editor, by a webhook, or with an API key.')}
        </EmptyState>
      )}
    </Page>
  );
}

function describeOrigin({ source, executionMode }: RunRow): string {
  return executionMode === 'normal' ? SOURCES[source] : `${SOURCES[source]}, ${MODES[executionMode]}`;
}
