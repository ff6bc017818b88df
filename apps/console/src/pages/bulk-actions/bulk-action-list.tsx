import type { BulkAction } from '@deckhand/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { bulkActionsQuery } from '../../api/bulk-actions.js';
import { useWorkspace } from '../../api/use-workspace.js';
import type { Columns } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { Listing } from '../../components/listing.js';
import { Page } from '../../components/page.js';
import { RelativeTime } from '../../components/relative-time.js';
import { StatusBadge } from '../../components/status-badge.js';
import { i18n } from '../../language/i18n.js';
import { describeAction, describeRest } from './describe-action.js';
import { Abort, Settled } from './progress.js';

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
