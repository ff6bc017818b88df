import type { Insights, InsightsFigures } from '@deckhand/contracts';
import { Button, Group, SegmentedControl, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useMemo } from 'react';
import {
  DEFAULT_PERIOD,
  exportInsights,
  INSIGHTS_PERIOD_NAMES,
  INSIGHTS_PERIODS,
  type InsightsFilter,
  insightsQuery,
} from '../../api/insights.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { choice, optional } from '../../app/search.ts';
import { Broken } from '../../components/broken.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loading } from '../../components/loading.tsx';
import { notifyProblem } from '../../components/notice-board.ts';
import { Page } from '../../components/page.tsx';
import { saveAs } from '../../components/save-as.ts';
import { WorkflowSelect } from '../../forms/workflow-select.tsx';
import { formatNumber, i18n } from '../../language/i18n.ts';
import { DAY_COLUMNS, WORKFLOW_COLUMNS } from './columns.tsx';
import { describeMs, describeRate } from './describe.ts';
import { InsightsChart } from './insights-chart.tsx';
import figures from '../../components/figures.module.css';

const route = getRouteApi('/w/$workspaceId/insights');

/** How the runs of a workspace, or of one of its workflows, ended over the last days. */
export function InsightsPage() {
  const { workspaceId } = useWorkspace();
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({ ...insightsQuery(workspaceId, filter), placeholderData: (before) => before });
  const download = useMutation({
    mutationFn: async () => saveAs('insights.csv', await exportInsights(workspaceId, filter)),
    onError: notifyProblem,
  });
  const narrow = (change: InsightsFilter): void =>
    void navigate({ search: (before) => optional({ ...before, ...change }), replace: true });
  return (
    <Page
      title={i18n.t('Insights')}
      actions={
        <Button
          variant="default"
          leftSection={<Download size={16} aria-hidden />}
          loading={download.isPending}
          onClick={() => download.mutate()}
        >
          {i18n.t('Export as CSV')}
        </Button>
      }
    >
      <Group mb="md" gap="sm" align="flex-end">
        <WorkflowSelect
          label={i18n.t('Workflow')}
          placeholder={i18n.t('All')}
          clearable
          value={filter.workflowId ?? null}
          onChange={(workflowId) => narrow({ workflowId: workflowId ?? undefined })}
          flex="1 1 130px"
          maw={260}
        />
        <SegmentedControl
          aria-label={i18n.t('Period')}
          data={INSIGHTS_PERIOD_NAMES.map((value) => ({
            value,
            label: i18n.t('{days} days', { days: INSIGHTS_PERIODS[value] }),
          }))}
          value={filter.within ?? DEFAULT_PERIOD}
          onChange={(value) => narrow({ within: choice(INSIGHTS_PERIOD_NAMES, value) })}
        />
      </Group>
      {query.data ? (
        <Found insights={query.data} />
      ) : query.isError ? (
        <Broken error={query.error} reset={() => void query.refetch()} />
      ) : (
        <Loading />
      )}
    </Page>
  );
}

function Found({ insights }: { insights: Insights }) {
  const { workflows, days } = insights;
  const latest = useMemo(() => days.toReversed(), [days]);
  if (insights.runs === 0 && insights.previous.runs === 0) {
    return (
      <EmptyState title={i18n.t('No runs in this period')}>
        {i18n.t('Runs are counted by the day of their end, and stay counted when they are deleted.')}
      </EmptyState>
    );
  }
  return (
    <>
      <Numbers insights={insights} />
      <InsightsChart days={days} />
      {workflows.length > 0 && (
        <>
          <Title order={2} size="h4" mt="lg" mb="sm">
            {i18n.t('By workflow')}
          </Title>
          <DataTable
            label={i18n.t('By workflow')}
            columns={WORKFLOW_COLUMNS}
            rows={workflows}
            keyOf={({ workflowId }) => workflowId}
          />
        </>
      )}
      <Title order={2} size="h4" mt="lg" mb="sm">
        {i18n.t('By day')}
      </Title>
      {/* A list that begins elsewhere on the page is measured anew. */}
      <DataTable
        key={workflows.length}
        label={i18n.t('By day')}
        columns={DAY_COLUMNS}
        rows={latest}
        keyOf={({ day }) => day}
      />
      <Text size="sm" c="dimmed" mt="sm">
        {i18n.t('Days are those of UTC, and today is counted up to now. Durations are at most 5 % off.')}
      </Text>
    </>
  );
}

/** The figures of the period, with those of the one before it. */
function Numbers({ insights }: { insights: Insights }) {
  const { previous } = insights;
  const entries: [name: string, show: (figures: InsightsFigures) => string][] = [
    [i18n.t('Runs'), ({ runs }) => formatNumber(runs)],
    [i18n.t('Failure rate'), ({ failureRate }) => describeRate(failureRate)],
    [i18n.t('Duration (p50)'), ({ durationMs }) => describeMs(durationMs?.p50)],
    [i18n.t('Duration (p95)'), ({ durationMs }) => describeMs(durationMs?.p95)],
  ];
  return (
    <dl className={figures.numbers}>
      {entries.map(([name, show]) => (
        <div key={name} className={figures.figure}>
          <dt>{name}</dt>
          <dd>{show(insights)}</dd>
          <dd className={figures.before}>{i18n.t('Before: {value}', { value: show(previous) })}</dd>
        </div>
      ))}
    </dl>
  );
}
