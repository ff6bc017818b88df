import type { RunStats, WorkflowTimes } from '@deckhand/contracts';
import { Group, SegmentedControl, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { slowWorkflowsQuery, statsQuery } from '../../api/monitoring.ts';
import { Broken } from '../../components/broken.tsx';
import { type Columns, DataTable } from '../../components/data-table.tsx';
import { describeDuration } from '../../components/durations.ts';
import { Loading } from '../../components/loading.tsx';
import { formatNumber, i18n } from '../../language/i18n.ts';
import figures from '../../components/figures.module.css';
import { RunChart } from './run-chart.tsx';

/** Statistics of the workspace's runs in a period: number, failures, durations. */
export function RunFigures({ workspaceId }: { workspaceId: string }) {
  const [period, setPeriod] = useState<Period>(PERIODS[1]);
  const stats = useQuery({ ...statsQuery(workspaceId, period.ms), placeholderData: (before) => before });
  return (
    <section aria-label={i18n.t('Runs')}>
      <Group justify="space-between" mt="lg" mb="sm">
        <Title order={2} size="h4">
          {i18n.t('Runs of this workspace')}
        </Title>
        <SegmentedControl
          size="xs"
          aria-label={i18n.t('Period')}
          data={PERIODS.map(({ value, label }) => ({ value, label }))}
          value={period.value}
          onChange={(value) => setPeriod(PERIODS.find((entry) => entry.value === value) ?? PERIODS[1])}
        />
      </Group>
      {stats.data ? (
        <Stats stats={stats.data} period={period} />
      ) : stats.isError ? (
        <Broken error={stats.error} reset={() => void stats.refetch()} />
      ) : (
        <Loading />
      )}
      <SlowWorkflows workspaceId={workspaceId} period={period} />
    </section>
  );
}

function Stats({ stats, period }: { stats: RunStats; period: Period }) {
  const { statuses, total, runMs, waitMs } = stats;
  const failures = statuses.failed + statuses.timeout;
  return (
    <>
      <dl className={figures.numbers}>
        <Figure name={i18n.t('Runs')} value={String(total)} />
        <Figure
          name={i18n.t('Runs per minute (average)')}
          value={formatNumber(total / (period.ms / 60_000), { atMost: 2, atLeast: 2 })}
        />
        <Figure name={i18n.t('Failed or timed out')} value={describeShare(failures, total)} isBad={failures > 0} />
        <Figure name={i18n.t('Queue time (p95)')} value={waitMs ? describeDuration(waitMs.p95) : '–'} />
        <Figure name={i18n.t('Duration (p50)')} value={runMs ? describeDuration(runMs.p50) : '–'} />
        <Figure name={i18n.t('Duration (p95)')} value={runMs ? describeDuration(runMs.p95) : '–'} />
      </dl>
      {total > 0 && <RunChart stats={stats} period={period.inSentence} />}
    </>
  );
}

function describeShare(part: number, whole: number): string {
  if (part === 0) return '0';
  return `${formatNumber(part)} (${formatNumber((part / whole) * 100, { atMost: 1, atLeast: 1 })} %)`;
}

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
function SlowWorkflows({ workspaceId, period }: { workspaceId: string; period: Period }) {
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

const MINUTE_MS = 60_000;

/** The periods that can be selected. `inSentence` is how other texts name them. */
const PERIODS = [
  { value: 'hour', label: i18n.t('Last hour'), inSentence: i18n.t('last hour'), ms: 60 * MINUTE_MS },
  { value: 'day', label: i18n.t('Last day'), inSentence: i18n.t('last day'), ms: 24 * 60 * MINUTE_MS },
  { value: 'week', label: i18n.t('Last week'), inSentence: i18n.t('last week'), ms: 7 * 24 * 60 * MINUTE_MS },
] as const;

/** One of the periods. */
type Period = (typeof PERIODS)[number];

/** A number with its label. */
export function Figure({ name, value, isBad = false }: { name: string; value: string; isBad?: boolean }) {
  return (
    <div className={figures.figure}>
      <dt>{name}</dt>
      <dd data-bad={isBad}>{value}</dd>
    </div>
  );
}
