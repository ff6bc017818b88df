import type { Insights, InsightsFigures } from '@deckhand/contracts';
import { Link } from '@tanstack/react-router';
import type { Columns } from '../../components/data-table.tsx';
import { formatNumber, i18n } from '../../language/i18n.ts';
import { describeDay, describeMs, describeRate } from './describe.ts';

type Day = Insights['days'][number];
type Workflow = Insights['workflows'][number];

function figureColumns<T extends InsightsFigures>(): Columns<T> {
  return [
    { id: 'runs', header: i18n.t('Runs'), cell: ({ row: { original } }) => formatNumber(original.runs) },
    {
      id: 'failed',
      header: i18n.t('Failed or timed out'),
      cell: ({ row: { original } }) => formatNumber(original.failed + original.timeout),
    },
    {
      id: 'failureRate',
      header: i18n.t('Failure rate'),
      cell: ({ row: { original } }) => describeRate(original.failureRate),
    },
    { id: 'p50', header: 'p50', cell: ({ row: { original } }) => describeMs(original.durationMs?.p50) },
    { id: 'p95', header: 'p95', cell: ({ row: { original } }) => describeMs(original.durationMs?.p95) },
  ];
}

/** Columns of the days of a period. */
export const DAY_COLUMNS: Columns<Day> = [
  { id: 'day', header: i18n.t('Day'), cell: ({ row: { original } }) => describeDay(original.day) },
  ...figureColumns<Day>(),
];

/** Columns of the workflows of a workspace. */
export const WORKFLOW_COLUMNS: Columns<Workflow> = [
  {
    id: 'workflow',
    header: i18n.t('Workflow'),
    cell: ({ row: { original } }) => (
      <Link
        from="/w/$workspaceId/insights"
        to="/w/$workspaceId/insights"
        search={(before) => ({ ...before, workflowId: original.workflowId })}
      >
        {original.workflowName ?? i18n.t('Deleted workflow {id}', { id: original.workflowId.slice(0, 8) })}
      </Link>
    ),
  },
  ...figureColumns<Workflow>(),
  {
    id: 'before',
    header: i18n.t('Failure rate before'),
    cell: ({ row: { original } }) => describeRate(original.previous.failureRate),
  },
];
