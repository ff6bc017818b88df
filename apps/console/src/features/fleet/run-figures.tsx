import type { RunStats } from '@deckhand/contracts';
import { Group, SegmentedControl, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { statsQuery } from '../../api/monitoring.ts';
import { Broken } from '../../components/broken.tsx';
import { describeDuration } from '../../components/durations.ts';
import { Loading } from '../../components/loading.tsx';
import { i18n } from '../../language/i18n.ts';
import { Figure } from './figure.tsx';
import classes from './fleet-page.module.css';
import { type Period, PERIODS } from './period.ts';
import { RunChart } from './run-chart.tsx';
import { SlowWorkflows } from './slow-workflows.tsx';

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
      <dl className={classes.numbers}>
        <Figure name={i18n.t('Runs')} value={String(total)} />
        <Figure name={i18n.t('Runs per minute (average)')} value={(total / (period.ms / 60_000)).toFixed(2)} />
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
  return part === 0 ? '0' : `${part} (${((part / whole) * 100).toFixed(1)} %)`;
}
