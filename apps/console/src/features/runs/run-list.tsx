import { BULK_ACTION_PERMISSIONS, type CreateBulkActionBody } from '@deckhand/contracts';
import { Trans } from '@lingui/react';
import { Button, Menu, Switch, Text } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeftRight, ArrowUp, ChevronDown, RefreshCw } from 'lucide-react';
import { type ComponentProps, createContext, useCallback, useContext, useMemo, useState } from 'react';
import { type BulkTarget, toBulkTarget } from '../../api/bulk-actions.ts';
import type { RunFilter, RunRow } from '../../api/executions.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { optional } from '../../app/search.ts';
import { Broken } from '../../components/broken.tsx';
import { type Columns, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { AnchorLink, ButtonLink } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { i18n } from '../../language/i18n.ts';
import { StartBulkAction } from '../bulk-actions/start-bulk-action.tsx';
import { Duration } from './duration.tsx';
import { ExportRuns } from './export-runs.tsx';
import { RunFilters } from './run-filters.tsx';
import { RunHistogram } from './run-histogram.tsx';
import classes from './run-list.module.css';
import { MODES, SOURCES } from './run-words.ts';
import { useRuns } from './use-runs.ts';

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
  {
    id: 'select',
    width: '100px',
    header: i18n.t('Select'),
    cell: ({ row: { original } }) => <SelectRun run={original} />,
  },
];

const COLUMNS: Columns<RunRow> = [
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
  const [selected, setSelected] = useState<ReadonlyMap<string, RunRow>>(new Map());
  const { query, rows, newCount, showNewest } = useRuns(workspaceId, filter, { isLive, isHeld: selected.size > 0 });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const selection = useMemo(
    () => ({
      runs: selected,
      toggle: (run: RunRow) =>
        setSelected((before) => {
          const next = new Map(before);
          if (!next.delete(run.id)) next.set(run.id, run);
          return next;
        }),
    }),
    [selected],
  );
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
          <CompareSelected runs={[...selected.values()]} />
          <BulkMenu filter={filter} selected={[...selected.keys()]} />
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

/** Leads to the comparison of two selected runs of a workflow, the earlier one first; nothing for other selections. */
function CompareSelected({ runs }: { runs: readonly RunRow[] }) {
  const [left, right, third] = [...runs].sort((a, b) => (a.id < b.id ? -1 : 1));
  if (!left || !right || third || left.workflowId !== right.workflowId) return null;
  return (
    <ButtonLink
      variant="default"
      leftSection={<ArrowLeftRight size={16} aria-hidden />}
      to="/w/$workspaceId/runs/compare"
      params={{ workspaceId: left.workspaceId }}
      search={{ left: left.id, right: right.id }}
    >
      {i18n.t('Compare')}
    </ButtonLink>
  );
}

/** The selected runs of a list, by their ids. */
interface Selection {
  readonly runs: ReadonlyMap<string, RunRow>;
  readonly toggle: (run: RunRow) => void;
}

/** Columns of a table are stable, so its cells read the selection from here. */
const SelectionContext = createContext<Selection>({ runs: new Map(), toggle: () => undefined });

/** Selects a run for a bulk action, or for a comparison. A plain input: hundreds of them are drawn while scrolling. */
function SelectRun({ run }: { run: RunRow }) {
  const { id, workflowName, createdAt } = run;
  const { runs, toggle } = useContext(SelectionContext);
  return (
    <input
      type="checkbox"
      className={classes.select}
      aria-label={
        workflowName === null
          ? i18n.t('Select the run of a deleted workflow from {createdAt}', { createdAt })
          : i18n.t('Select the run of {workflowName} from {createdAt}', { workflowName, createdAt })
      }
      checked={runs.has(id)}
      onChange={() => toggle(run)}
    />
  );
}

type Action = CreateBulkActionBody['action'];

const ACTIONS: readonly { readonly action: Action; readonly label: string; readonly c?: string }[] = [
  { action: 'rerun', label: i18n.t('Re-run…') },
  { action: 'stop', label: i18n.t('Stop…') },
  { action: 'delete', label: i18n.t('Delete…'), c: 'var(--status-bad)' },
];

/** Starts a bulk action on the selected runs; without any, on all that match the filter. */
function BulkMenu({ filter, selected }: { filter: RunFilter; selected: readonly string[] }) {
  const { workspaceId, can } = useWorkspace();
  // The runs that were counted are acted on: a period ends when the dialog opens.
  const [started, setStarted] = useState<{ readonly action: Action; readonly target: BulkTarget }>();
  const start = (action: Action): void =>
    setStarted({ action, target: selected.length === 0 ? toBulkTarget(filter) : { executionIds: [...selected] } });
  const actions = ACTIONS.filter(({ action }) => can(BULK_ACTION_PERMISSIONS[action]));
  if (actions.length === 0) return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<ChevronDown size={16} aria-hidden />}>
            {selected.length === 0
              ? i18n.t('All matching runs')
              : i18n.t('{count} selected', { count: selected.length })}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {actions.map(({ action, label, ...style }) => (
            <Menu.Item key={action} {...style} onClick={() => start(action)}>
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {started && (
        <StartBulkAction
          workspaceId={workspaceId}
          {...started}
          workflowId={filter.workflowId}
          onClose={() => setStarted(undefined)}
        />
      )}
    </>
  );
}
