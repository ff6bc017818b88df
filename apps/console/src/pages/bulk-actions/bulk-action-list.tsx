import type { BulkAction } from '@deckhand/contracts';
import { Progress, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { abortBulkAction, bulkActionsQuery } from '../../api/bulk-actions.js';
import { useWorkspace } from '../../api/use-workspace.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import type { Columns } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { Listing } from '../../components/listing.js';
import { Page } from '../../components/page.js';
import { RelativeTime } from '../../components/relative-time.js';
import { StatusBadge } from '../../components/status-badge.js';
import { describeAction, describeRest } from './describe-action.js';

const COLUMNS: Columns<BulkAction> = [
  { id: 'action', header: 'Action', cell: ({ row: { original } }) => describeAction(original) },
  { id: 'status', header: 'Status', cell: ({ row: { original } }) => <StatusBadge status={original.status} /> },
  { id: 'progress', header: 'Progress', cell: ({ row: { original } }) => <Settled action={original} /> },
  { id: 'rest', header: 'Result', cell: ({ row: { original } }) => describeRest(original) },
  { id: 'who', header: 'Who', cell: ({ row: { original } }) => original.createdByUser?.email ?? 'Former member' },
  { id: 'createdAt', header: 'Started', cell: ({ row: { original } }) => <RelativeTime at={original.createdAt} /> },
  { id: 'abort', header: '', cell: ({ row: { original } }) => <Abort action={original} /> },
];

/** The latest bulk actions of a workspace, with their progress. */
export function BulkActionList() {
  const { workspaceId } = useWorkspace();
  const query = useQuery(bulkActionsQuery(workspaceId));
  return (
    <Page title="Bulk actions">
      <Listing
        label="Bulk actions"
        query={query}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No bulk actions yet">
            A bulk action stops, re-runs or deletes many runs in the background. Start one from the list of runs.
          </EmptyState>
        }
      />
    </Page>
  );
}

function Settled({ action: { done, failed, skipped, total, ...action } }: { action: BulkAction }) {
  const settled = done + failed + skipped;
  return (
    <>
      <Text size="sm">
        {settled.toLocaleString('en')} of {total.toLocaleString('en')}
      </Text>
      <Progress
        size="sm"
        value={total === 0 ? 100 : (settled / total) * 100}
        aria-label={`Progress: ${describeAction({ ...action, done, failed, skipped, total })}`}
      />
    </>
  );
}

function Abort({ action }: { action: BulkAction }) {
  const { workspaceId, can } = useWorkspace();
  const queryClient = useQueryClient();
  if (action.status !== 'running' || !can('editor')) return null;
  return (
    <ConfirmButton
      label="Abort"
      of={describeAction(action)}
      question="Abort this bulk action?"
      consequence="It acts on no further run. What it did is not undone."
      act={async () => {
        await abortBulkAction(action.id);
        await queryClient.invalidateQueries({ queryKey: bulkActionsQuery(workspaceId).queryKey });
      }}
    />
  );
}
