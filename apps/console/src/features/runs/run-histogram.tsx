import { EXECUTION_STATUSES, type ExecutionHistogram, type ExecutionStatus } from '@deckhand/contracts';
import { useQuery } from '@tanstack/react-query';
import { histogramQuery } from '../../api/executions.ts';
import type { RunFilter } from '../../api/run-filter.ts';
import { choicesOf, text } from '../../app/search.ts';
import { STATUS_LOOKS } from '../../components/status-badge.tsx';
import { dateLocale, formatNumber, i18n } from '../../language/i18n.ts';
import classes from './run-histogram.module.css';

/** Polling interval of a live histogram, in ms. */
const LIVE_MS = 10_000;

type Counts = ExecutionHistogram['statuses'];

/**
 * When the runs of a list started, by status: a bar narrows the list to its time, a status to its runs. Nothing for a
 * search, whose matches are not counted.
 */
export function RunHistogram({
  workspaceId,
  filter,
  isLive,
  onChange,
}: {
  workspaceId: string;
  filter: RunFilter;
  isLive: boolean;
  onChange: (change: RunFilter) => void;
}) {
  const isCounted = (filter.search ?? filter.errorContains) === undefined;
  // Counted whatever their status: the counts lead from one status to another.
  const counted = useQuery({
    ...histogramQuery(workspaceId, { ...filter, status: undefined }),
    enabled: isCounted,
    refetchInterval: isLive ? LIVE_MS : false,
    placeholderData: (before, query) => (isSamePlace(query?.queryKey, workspaceId, filter) ? before : undefined),
  }).data;
  const chosen = choicesOf(EXECUTION_STATUSES, filter.status);
  if (!isCounted || counted === undefined || (sum(counted.statuses) === 0 && chosen.length === 0)) return null;
  const toggle = (status: ExecutionStatus): void => {
    const next = chosen.includes(status) ? chosen.filter((other) => other !== status) : [...chosen, status];
    onChange({ status: text(next.join(',')) });
  };
  return (
    <section className={classes.histogram} aria-label={i18n.t('Runs by start')}>
      <div className={classes.statuses}>
        {EXECUTION_STATUSES.filter((status) => counted.statuses[status] > 0 || chosen.includes(status)).map(
          (status) => (
            <StatusCount
              key={status}
              status={status}
              count={counted.statuses[status]}
              isChosen={chosen.includes(status)}
              onToggle={() => toggle(status)}
            />
          ),
        )}
        <span className={classes.note}>
          {i18n.t('since {when}', { when: describeTime(counted.from) })}
          {!counted.isComplete && ` · ${i18n.t('Only the last runs are counted')}`}
        </span>
      </div>
      <Bars
        counted={counted}
        shown={chosen.length === 0 ? EXECUTION_STATUSES : chosen}
        onChoose={(from, to) => onChange({ within: undefined, from, to })}
      />
    </section>
  );
}

/** Whether counts are of the same workspace and workflow: others are not shown while new ones are loaded. */
function isSamePlace(key: readonly unknown[] | undefined, workspaceId: string, filter: RunFilter): boolean {
  const [, ofWorkspace, of] = key ?? [];
  const ofWorkflow = typeof of === 'object' && of !== null && 'workflowId' in of ? of.workflowId : undefined;
  return ofWorkspace === workspaceId && ofWorkflow === filter.workflowId;
}

function StatusCount({
  status,
  count,
  isChosen,
  onToggle,
}: {
  status: ExecutionStatus;
  count: number;
  isChosen: boolean;
  onToggle: () => void;
}) {
  const { label, tone } = STATUS_LOOKS[status];
  return (
    <button type="button" className={classes.status} data-tone={tone} aria-pressed={isChosen} onClick={onToggle}>
      {label} <strong>{formatNumber(count)}</strong>
    </button>
  );
}

/** A bar per bucket, with trouble at its base. */
function Bars({
  counted: { buckets, bucketSeconds },
  shown,
  onChoose,
}: {
  counted: ExecutionHistogram;
  shown: readonly ExecutionStatus[];
  onChoose: (from: string, to: string) => void;
}) {
  const totalOf = (statuses: Counts): number => shown.reduce((total, status) => total + statuses[status], 0);
  const most = Math.max(1, ...buckets.map(({ statuses }) => totalOf(statuses)));
  return (
    <div className={classes.bars}>
      {buckets.map(({ from, statuses }) => {
        const total = totalOf(statuses);
        const failed = TROUBLE.reduce((sum, status) => (shown.includes(status) ? sum + statuses[status] : sum), 0);
        const label = i18n.t('{when}: {total} runs, {failed} failed', { when: describeTime(from), total, failed });
        const to = new Date(Date.parse(from) + bucketSeconds * 1_000 - 1).toISOString();
        return (
          <button
            key={from}
            type="button"
            className={classes.bar}
            title={label}
            aria-label={label}
            disabled={total === 0}
            onClick={() => onChoose(from, to)}
          >
            <span className={classes.rest} style={{ height: `${((total - failed) / most) * 100}%` }} />
            <span className={classes.failed} style={{ height: `${(failed / most) * 100}%` }} />
          </button>
        );
      })}
    </div>
  );
}

const TROUBLE = ['failed', 'timeout'] as const satisfies readonly ExecutionStatus[];

function sum(counts: Counts): number {
  return EXECUTION_STATUSES.reduce((total, status) => total + counts[status], 0);
}

function describeTime(time: string): string {
  return new Date(time).toLocaleString(dateLocale(), { dateStyle: 'medium', timeStyle: 'short' });
}
