import type { WorkflowTimes } from '@deckhand/contracts';
import { Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { slowWorkflowsQuery } from '../../api/monitoring.ts';
import { type Columns, DataTable } from '../../components/data-table.tsx';
import { describeDuration } from '../../components/durations.ts';
import { i18n } from '../../language/i18n.ts';
import type { Period } from './period.ts';

type Row = WorkflowTimes['data'][number];

const COLUMNS: Columns<Row> = [
  {
    id: 'name',
    header: i18n.t('Workflow'),
    cell: ({ row: { original } }) => (
      <Link from="/w/$workspaceId/fleet" to="/w/$workspaceId/runs" search={{ workflowId: original.workflowId }}>
        {original.name}
      </Link>
    ),
  },
  { id: 'p95', header: 'p95', cell: ({ row: { original } }) => describeDuration(original.runMs.p95) },
  { id: 'p50', header: 'p50', cell: ({ row: { original } }) => describeDuration(original.runMs.p50) },
  { id: 'total', header: i18n.t('Runs'), cell: ({ row: { original } }) => original.total },
  { id: 'failed', header: i18n.t('Failed'), cell: ({ row: { original } }) => original.failed },
];

/** The workflows with the longest runs; nothing without runs. */
export function SlowWorkflows({ workspaceId, period }: { workspaceId: string; period: Period }) {
  const query = useQuery({ ...slowWorkflowsQuery(workspaceId, period.ms), placeholderData: (before) => before });
  if (!query.data || query.data.data.length === 0) return null;
  return (
    <>
      <Title order={3} size="h5" mt="lg" mb="sm">
        {i18n.t('Slowest workflows')}
      </Title>
      <DataTable
        label={i18n.t('Slowest workflows')}
        columns={COLUMNS}
        rows={query.data.data}
        keyOf={({ workflowId }) => workflowId}
      />
    </>
  );
}
