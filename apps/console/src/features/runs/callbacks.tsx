import type { Callback } from '@deckhand/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { callbacksQuery, replayCallback } from '../../api/executions.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { type Columns, DataTable } from '../../components/data-table.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { ReplayButton } from '../../components/replay-button.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { i18n } from '../../language/i18n.ts';
import { Attempts } from '../event-endpoints/attempts.tsx';

/** A callback and its run. */
type Row = Callback & { readonly executionId: string };

const COLUMNS: Columns<Row> = [
  { id: 'type', header: i18n.t('Event'), cell: ({ row: { original } }) => original.type },
  { id: 'status', header: i18n.t('Status'), cell: ({ row: { original } }) => <StatusBadge status={original.status} /> },
  { id: 'attempts', header: i18n.t('Attempts'), cell: ({ row: { original } }) => <Attempts delivery={original} /> },
  { id: 'at', header: i18n.t('Occurred'), cell: ({ row: { original } }) => <RelativeTime at={original.occurredAt} /> },
  { id: 'replay', header: '', cell: ({ row: { original } }) => <Replay callback={original} /> },
];

/** What was sent to the callback URL of a run. */
export function Callbacks({ executionId, callbacks }: { executionId: string; callbacks: readonly Callback[] }) {
  const rows = callbacks.map((callback) => ({ ...callback, executionId }));
  return <DataTable label={i18n.t('Callbacks')} columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />;
}

function Replay({ callback: { id, executionId, type, status } }: { callback: Row }) {
  const { can } = useWorkspace();
  const queryClient = useQueryClient();
  if (status === 'pending' || !can('editor')) return null;
  return (
    <ReplayButton
      type={type}
      replay={() => replayCallback(executionId, id)}
      onSettled={() => queryClient.invalidateQueries({ queryKey: callbacksQuery(executionId).queryKey })}
    />
  );
}
