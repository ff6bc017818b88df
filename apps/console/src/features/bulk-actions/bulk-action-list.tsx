import type { BulkAction } from '@deckhand/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { bulkActionsQuery } from '../../api/bulk-actions.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import type { Columns } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Listing } from '../../components/listing.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { i18n } from '../../language/i18n.ts';
import { describeAction, describeRest } from './describe-action.ts';
import { Abort, Settled } from './progress.tsx';

const COLUMNS: Columns<BulkAction> = [
  {
    id: 'action',
    header: i18n.t('Action'),
    cell: ({ row: { original } }) => (
      <Link
        to="/w/$workspaceId/bulk-actions/$actionId"
        params={{ workspaceId: original.workspaceId, actionId: original.id }}
      >
        {describeAction(original)}
      </Link>
    ),
  },
  { id: 'status', header: i18n.t('Status'), cell: ({ row: { original } }) => <StatusBadge status={original.status} /> },
  { id: 'progress', header: i18n.t('Progress'), cell: ({ row: { original } }) => <Settled action={original} /> },
  { id: 'rest', header: i18n.t('Result'), cell: ({ row: { original } }) => describeRest(original) },
  {
    id: 'who',
    header: i18n.t('Who'),
    cell: ({ row: { original } }) => original.createdByUser?.email ?? i18n.t('Former member'),
  },
  {
    id: 'createdAt',
    header: i18n.t('Started'),
    cell: ({ row: { original } }) => <RelativeTime at={original.createdAt} />,
  },
  { id: 'abort', header: '', cell: ({ row: { original } }) => <Abort action={original} /> },
];

/** The latest bulk actions of a workspace, with their progress. */
export function BulkActionList() {
  const { workspaceId } = useWorkspace();
  const query = useQuery(bulkActionsQuery(workspaceId));
  return (
    <Page title={i18n.t('Bulk actions')}>
      <Listing
        label={i18n.t('Bulk actions')}
        query={query}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={i18n.t('No bulk actions yet')}>
            {i18n.t(
              'A bulk action stops, re-runs or deletes many runs in the background. Start one from the list of runs.',
            )}
          </EmptyState>
        }
      />
    </Page>
  );
}
