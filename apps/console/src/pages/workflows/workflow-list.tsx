import { WORKFLOW_STATUSES, type WorkflowEntry } from '@deckhand/contracts';
import { Button, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Plus, Search } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useWorkspace } from '../../api/use-workspace.js';
import { type WorkflowFilter, workflowsQuery } from '../../api/workflows.js';
import { choice, optional } from '../../app/search.js';
import { AnchorLink } from '../../parts/anchor-link.js';
import { Broken } from '../../parts/broken.js';
import { type Columns, DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Loading } from '../../parts/loading.js';
import { Moment } from '../../parts/moment.js';
import { Page } from '../../parts/page.js';
import { STATUS_LOOKS, StatusBadge } from '../../parts/status-badge.js';
import { CreateWorkflow } from './create-workflow.js';

const route = getRouteApi('/w/$workspaceId/workflows');

/** How long a search rests before it is asked, in ms. */
const TYPING_MS = 250;

const COLUMNS: Columns<WorkflowEntry> = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ row: { original } }) => (
      <Link
        to="/w/$workspaceId/workflows/$workflowId"
        params={{ workspaceId: original.workspaceId, workflowId: original.id }}
      >
        {original.name}
      </Link>
    ),
  },
  { id: 'status', header: 'Status', cell: ({ row: { original } }) => <StatusBadge status={original.status} /> },
  { id: 'description', header: 'Description', cell: ({ row: { original } }) => original.description },
  {
    id: 'runs',
    header: 'Runs',
    cell: ({ row: { original } }) => (
      <AnchorLink
        size="sm"
        to="/w/$workspaceId/runs"
        params={{ workspaceId: original.workspaceId }}
        search={{ workflowId: original.id }}
        aria-label={`Runs of ${original.name}`}
      >
        Runs
      </AnchorLink>
    ),
  },
  { id: 'updatedAt', header: 'Changed', cell: ({ row: { original } }) => <Moment at={original.updatedAt} /> },
];

/** The workflows of a workspace. */
export function WorkflowList() {
  const { workspaceId, can } = useWorkspace();
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(workflowsQuery(workspaceId, filter));
  const [isCreating, creating] = useDisclosure(false);
  const rows = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const narrow = (change: WorkflowFilter): void =>
    void navigate({ search: (before) => optional({ ...before, ...change }), replace: true });
  const newButton = can('editor') && (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={creating.open}>
      New workflow
    </Button>
  );
  const isFiltered = filter.search !== undefined || filter.status !== undefined;
  return (
    <Page title="Workflows" actions={newButton}>
      <Filters filter={filter} onChange={narrow} />
      {query.isError && rows.length === 0 ? (
        <Broken error={query.error} reset={() => void query.refetch()} />
      ) : query.isPending ? (
        <Loading />
      ) : rows.length > 0 ? (
        <DataTable label="Workflows" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} onNearEnd={more} />
      ) : isFiltered ? (
        <EmptyState title="No workflow matches">Search for another word, or choose another status.</EmptyState>
      ) : (
        <EmptyState title="No workflow yet" action={newButton}>
          A workflow is a graph of nodes that a trigger starts: a request, a time, or your click.
        </EmptyState>
      )}
      <CreateWorkflow workspaceId={workspaceId} isOpen={isCreating} onClose={creating.close} />
    </Page>
  );
}

function Filters({ filter, onChange }: { filter: WorkflowFilter; onChange: (change: WorkflowFilter) => void }) {
  const [search, setSearch] = useState(filter.search ?? '');
  const apply = useDebouncedCallback((text: string) => onChange({ search: text === '' ? undefined : text }), TYPING_MS);
  return (
    <Group mb="md" gap="sm" role="search" aria-label="Filter the workflows">
      <TextInput
        aria-label="Search by name or description"
        placeholder="Search"
        leftSection={<Search size={16} aria-hidden />}
        value={search}
        onChange={({ currentTarget: { value } }) => {
          setSearch(value);
          apply(value);
        }}
        flex="1 1 220px"
        maw={360}
      />
      <Select
        aria-label="Status"
        placeholder="Any status"
        clearable
        data={WORKFLOW_STATUSES.map((status) => ({ value: status, label: STATUS_LOOKS[status].label }))}
        value={filter.status ?? null}
        onChange={(value) => onChange({ status: choice(WORKFLOW_STATUSES, value) })}
        w={160}
      />
    </Group>
  );
}
