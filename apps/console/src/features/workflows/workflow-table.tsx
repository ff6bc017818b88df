import type { WorkflowActivity, WorkflowEntry } from '@deckhand/contracts';
import { ActionIcon, VisuallyHidden } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Folder, Star, Workflow } from 'lucide-react';
import { type ReactNode, useCallback, useMemo } from 'react';
import { describePath, type FolderTree } from '../../api/folder-tree.ts';
import { activityQuery } from '../../api/monitoring.ts';
import { workflowsQuery } from '../../api/workflows.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { useFavorites } from '../../app/favorites.ts';
import { Broken } from '../../components/broken.tsx';
import { type Columns, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { formatNumber, i18n } from '../../language/i18n.ts';
import { isFinding, toFilter, type WorkflowAddress } from './address.ts';
import classes from './columns.module.css';
import { FolderMenu } from './folder-menu.tsx';
import { type Activity, type Row, toRows } from './rows.ts';
import { WorkflowMenu } from './workflow-menu.tsx';

/** The rows of the list, or a placeholder while it is loading, empty or failed. */
export function WorkflowTable({
  workspaceId,
  address,
  tree,
  newButton,
}: {
  workspaceId: string;
  address: WorkflowAddress;
  tree: FolderTree;
  newButton: ReactNode;
}) {
  const query = useInfiniteQuery(workflowsQuery(workspaceId, toFilter(address)));
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const activity = useActivity(workspaceId, data?.pages.map((page) => page.data) ?? []);
  const rows = useMemo(
    () => toRows(tree, address, data?.pages.flatMap((page) => page.data) ?? [], activity),
    [tree, address, data, activity],
  );
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const isFound = isFinding(address);
  if (query.isError && !data) return <Broken error={query.error} reset={() => void query.refetch()} />;
  if (query.isPending) return <Loading />;
  if (rows.length > 0) {
    return (
      <DataTable
        key={`${address.folderId} ${isFound}`}
        label={i18n.t('Workflows')}
        columns={isFound ? COLUMNS_FOUND : COLUMNS}
        rows={rows}
        keyOf={({ id }) => id}
        onNearEnd={more}
      />
    );
  }
  if (isFound) {
    return (
      <EmptyState title={i18n.t('No matching workflows')}>{i18n.t('Change the search or the status.')}</EmptyState>
    );
  }
  if (address.folderId !== undefined) {
    return (
      <EmptyState title={i18n.t('This folder is empty')} action={newButton}>
        {newButton
          ? i18n.t('Create a workflow here, or move one here with the menu of its row.')
          : i18n.t('It has no workflows yet.')}
      </EmptyState>
    );
  }
  return (
    <EmptyState title={i18n.t('No workflows yet')} action={newButton}>
      {i18n.t('A workflow is a graph of nodes that a trigger starts: a request, a schedule, or a click.')}
    </EmptyState>
  );
}

/** Returns how the workflows of the pages are doing, by their ids: one request for each page. */
function useActivity(workspaceId: string, pages: readonly (readonly WorkflowEntry[])[]): ReadonlyMap<string, Activity> {
  return useQueries({
    queries: pages.map((page) => ({
      ...activityQuery(
        workspaceId,
        page.map(({ id }) => id),
      ),
      placeholderData: keepPreviousData,
    })),
    combine: combineActivity,
  });
}

const combineActivity = (
  results: readonly { readonly data?: WorkflowActivity | undefined }[],
): ReadonlyMap<string, Activity> =>
  new Map(results.flatMap(({ data }) => data?.data ?? []).map((entry) => [entry.workflowId, entry]));

/** A cell that is empty for folders. */
const ofWorkflow =
  (show: (workflow: WorkflowEntry) => ReactNode) =>
  ({ row: { original } }: { row: { original: Row } }): ReactNode =>
    original.kind === 'workflow' ? show(original.workflow) : null;

/** A cell that is empty for folders, and until the activity is loaded. */
const ofActivity =
  (show: (activity: Activity, workspaceId: string) => ReactNode) =>
  ({ row: { original } }: { row: { original: Row } }): ReactNode =>
    original.kind === 'workflow' && original.activity ? show(original.activity, original.workspaceId) : null;

const NAME: Columns<Row> = [
  { id: 'name', header: i18n.t('Name'), cell: ({ row: { original } }) => <Name row={original} /> },
];

const REST: Columns<Row> = [
  {
    id: 'favorite',
    header: () => <VisuallyHidden>{i18n.t('Favorite')}</VisuallyHidden>,
    cell: ofWorkflow((workflow) => <Favorite workflow={workflow} />),
  },
  { id: 'status', header: i18n.t('Status'), cell: ofWorkflow(({ status }) => <StatusBadge status={status} />) },
  {
    id: 'triggers',
    header: i18n.t('Trigger'),
    cell: ofActivity(({ triggers }) => triggers.map((trigger) => TRIGGERS[trigger]).join(', ')),
  },
  {
    id: 'lastRun',
    header: i18n.t('Last run'),
    cell: ofActivity((activity, workspaceId) => <LastRun activity={activity} workspaceId={workspaceId} />),
  },
  {
    id: 'failed',
    header: i18n.t('Failed (24 h)'),
    cell: ofActivity((activity, workspaceId) => <Failed activity={activity} workspaceId={workspaceId} />),
  },
  { id: 'description', header: i18n.t('Description'), cell: ofWorkflow(({ description }) => description) },
  { id: 'runs', header: i18n.t('Runs'), cell: ofWorkflow((workflow) => <RunsOf workflow={workflow} />) },
  { id: 'updatedAt', header: i18n.t('Changed'), cell: ofWorkflow(({ updatedAt }) => <RelativeTime at={updatedAt} />) },
  {
    id: 'menu',
    header: '',
    cell: ({ row: { original } }) =>
      original.kind === 'folder' ? (
        <FolderMenu folder={original.folder} />
      ) : (
        <WorkflowMenu workflow={original.workflow} />
      ),
  },
];

/** Columns of a folder's content. */
const COLUMNS: Columns<Row> = [...NAME, ...REST];

/** Columns of search results from several folders. */
const COLUMNS_FOUND: Columns<Row> = [
  ...NAME,
  { id: 'folder', header: i18n.t('Folder'), cell: ({ row: { original } }) => <Place row={original} /> },
  ...REST,
];

function Name({ row }: { row: Row }) {
  const { id, name, workspaceId } = row;
  if (row.kind === 'folder') {
    return (
      <Link to="/w/$workspaceId/workflows" params={{ workspaceId }} search={{ folderId: id }}>
        <Folder size={18} className={classes.folder} role="img" aria-label={i18n.t('Folder')} /> {name}
      </Link>
    );
  }
  return (
    <Link to="/w/$workspaceId/workflows/$workflowId" params={{ workspaceId, workflowId: id }}>
      <Workflow size={18} className={classes.workflow} aria-hidden /> {name}
    </Link>
  );
}

/** Adds a workflow to the favorites of the person in this browser, or removes it. */
function Favorite({ workflow: { id, name, workspaceId } }: { workflow: WorkflowEntry }) {
  const { user } = useWorkspace();
  const [ids, toggle] = useFavorites(user.id, workspaceId);
  const isFavorite = ids.includes(id);
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      aria-pressed={isFavorite}
      aria-label={i18n.t('Favorite {name}', { name })}
      onClick={() => toggle(id)}
    >
      <Star size={16} aria-hidden className={isFavorite ? classes.favorite : undefined} />
    </ActionIcon>
  );
}

/** The folder that contains a row. */
function Place({ row: { path, workspaceId } }: { row: Row }) {
  const folder = path.at(-1);
  if (!folder) return null;
  return (
    <AnchorLink size="sm" to="/w/$workspaceId/workflows" params={{ workspaceId }} search={{ folderId: folder.id }}>
      {describePath(path)}
    </AnchorLink>
  );
}

/** What starts runs of a workflow by itself. */
const TRIGGERS: Readonly<Record<Activity['triggers'][number], string>> = {
  webhook: i18n.t('Webhook'),
  schedule: i18n.t('Schedule'),
  event: i18n.t('Event'),
};

function LastRun({ activity: { lastRun }, workspaceId }: { activity: Activity; workspaceId: string }) {
  if (lastRun === null) return null;
  return (
    <AnchorLink size="sm" to="/w/$workspaceId/runs/$executionId" params={{ workspaceId, executionId: lastRun.id }}>
      <StatusBadge status={lastRun.status} /> <RelativeTime at={lastRun.startedAt} />
    </AnchorLink>
  );
}

/** Leads to the failed runs of the last day; nothing without any. */
function Failed({ activity: { workflowId, failedRuns }, workspaceId }: { activity: Activity; workspaceId: string }) {
  if (failedRuns === 0) return null;
  return (
    <AnchorLink
      size="sm"
      to="/w/$workspaceId/runs"
      params={{ workspaceId }}
      search={{ workflowId, status: 'failed,timeout', within: '24h' }}
    >
      {formatNumber(failedRuns)}
    </AnchorLink>
  );
}

function RunsOf({ workflow: { id, name, workspaceId } }: { workflow: WorkflowEntry }) {
  return (
    <AnchorLink
      size="sm"
      to="/w/$workspaceId/runs"
      params={{ workspaceId }}
      search={{ workflowId: id }}
      aria-label={i18n.t('Runs of {name}', { name })}
    >
      {i18n.t('Runs')}
    </AnchorLink>
  );
}
