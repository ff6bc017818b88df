import type { Definition, Execution, IterationEntry } from '@deckhand/contracts';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type CSSProperties, useEffect, useState } from 'react';
import {
  type ChildRun,
  childRunsQuery,
  failedIterationsQuery,
  iterationsQuery,
  MAX_ITERATIONS,
} from '../../api/executions.ts';
import { useNodeTypes } from '../../api/workflows.ts';
import { describeDuration, durationMs } from '../../components/durations.ts';
import { STATUS_LOOKS, StatusBadge } from '../../components/status-badge.tsx';
import { statusOf } from '../../graph/node-status.ts';
import { i18n } from '../../language/i18n.ts';
import { describeAttempt } from './describe-attempt.ts';
import { Duration } from './duration.tsx';
import { type AttemptSpan, type Bar, type RunTimes, type Span, toTimes } from './bars.ts';
import { TimelineAxis } from './timeline-axis.tsx';
import { clipped, inView, WHOLE } from './timeline-view.ts';
import classes from './timeline.module.css';

const TICK_MS = 500;
const INDENT_PX = 16;
/** The type of nodes that start runs. */
const STARTS_RUNS = 'workflow';

/** A bar per node, from its start to its end, in the order of their starts, on an axis of time. */
export function Timeline({
  run,
  definition,
  titles,
  selected,
  onSelect,
}: {
  run: Execution;
  /** That of the run's version. */
  definition: Definition;
  titles: ReadonlyMap<string, string>;
  selected: string | undefined;
  /** @param iteration the one whose part of a bar was clicked. */
  onSelect: (nodeId: string, iteration?: string) => void;
}) {
  const types = useNodeTypes();
  const isRunning = run.finishedAt === null;
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  const [view, setView] = useState(WHOLE);
  const startsRuns = definition.nodes.some(({ type }) => type === STARTS_RUNS);
  const started = useQuery({ ...childRunsQuery(run), enabled: startsRuns });
  const children = started.data?.data ?? [];
  const times = toTimes(run, { definition, types }, now);
  const chosen = times.bars.find(({ nodeId, isReused }) => nodeId === selected && !isReused);
  const center = chosen === undefined ? undefined : chosen.left + chosen.width / 2;
  if (times.bars.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {i18n.t('No node has started.')}
      </Text>
    );
  }
  return (
    <div className={classes.timeline} data-zoomed={view.width < 100 || undefined}>
      <TimelineAxis ticksOf={times.ticksOf} view={view} center={center} onView={setView} />
      <ol className={classes.list} aria-label={i18n.t('Timeline of nodes')}>
        {times.queue && (
          <li className={classes.row}>
            <span className={classes.name}>{i18n.t('Queue')}</span>
            <span className={classes.track}>
              <span className={classes.queue} style={toStyle(inView(times.queue, view))} />
            </span>
            <span className={classes.time}>{describeDuration(times.queue.ms)}</span>
          </li>
        )}
        {times.bars.map((bar) => (
          <li key={bar.nodeId}>
            <button
              type="button"
              className={classes.row}
              aria-pressed={bar.nodeId === selected}
              onClick={({ target }) =>
                onSelect(bar.nodeId, target instanceof HTMLElement ? target.dataset.iteration : undefined)
              }
            >
              <span className={classes.name} style={{ paddingInlineStart: bar.depth * INDENT_PX }}>
                {titles.get(bar.nodeId) ?? bar.nodeId}
                {bar.iterations > 1 && <span className={classes.rounds}> × {bar.iterations}</span>}
                {bar.attempts > 1 && bar.iterations === 0 && (
                  <span className={classes.rounds}>
                    {' · '}
                    {i18n.t('{count, plural, one {# attempt} other {# attempts}}', { count: bar.attempts })}
                  </span>
                )}
              </span>
              <span className={classes.status}>
                <StatusBadge status={statusOf(bar)} />
              </span>
              <span className={classes.track}>
                {!bar.isReused && <Track run={run} bar={bar} spanOf={times.spanOf} view={view} />}
              </span>
              <span className={classes.time}>
                {bar.isReused ? (
                  <span className={classes.reused}>{i18n.t('Reused')}</span>
                ) : (
                  describeDuration(durationMs(bar.startedAt, bar.finishedAt, now) ?? 0)
                )}
              </span>
            </button>
            {children
              .filter(({ parentNodeId }) => parentNodeId === bar.nodeId)
              .map((child) => (
                <ChildRow
                  key={child.id}
                  workspaceId={run.workspaceId}
                  child={child}
                  depth={bar.depth + 1}
                  span={inView(clipped(times.spanOf(child.startedAt ?? child.createdAt, child.finishedAt)), view)}
                />
              ))}
          </li>
        ))}
      </ol>
      {started.data?.hasMore === true && (
        <Text size="xs" c="dimmed" px="sm" py={4}>
          {i18n.t('Only the first {count} runs that it started are shown', { count: children.length })}
        </Text>
      )}
    </div>
  );
}

/** A run that a node has started, below that node; its details are on its own page. */
function ChildRow({
  workspaceId,
  child: { id, workflowId, workflowName, status, startedAt, finishedAt },
  depth,
  span,
}: {
  workspaceId: string;
  child: ChildRun;
  depth: number;
  span: Span;
}) {
  return (
    <Link className={classes.row} to="/w/$workspaceId/runs/$executionId" params={{ workspaceId, executionId: id }}>
      <span className={classes.child} style={{ paddingInlineStart: depth * INDENT_PX }}>
        {workflowName ?? i18n.t('Deleted workflow {id}', { id: workflowId.slice(0, 8) })}
      </span>
      <span className={classes.status}>
        <StatusBadge status={status} />
      </span>
      <span className={classes.track}>
        {startedAt !== null && <span className={classes.bar} style={toStyle(span, status)} />}
      </span>
      <span className={classes.time}>
        <Duration from={startedAt} to={finishedAt} />
      </span>
    </Link>
  );
}

/**
 * The bar of a node: one of each attempt, or, once the run is finished, one of each iteration. Of more iterations, and
 * while the run is in progress, those that failed are on top of the bar.
 */
function Track({
  run,
  bar,
  spanOf,
  view,
}: {
  run: Execution;
  bar: Bar;
  spanOf: RunTimes['spanOf'];
  /** The part of the timeline that is shown. */
  view: Span;
}) {
  const { nodeId, iterations, attemptSpans } = bar;
  const failedCount = bar.iterationCounts?.failed ?? 0;
  const isSplit = run.finishedAt !== null && iterations > 1 && iterations <= MAX_ITERATIONS;
  const all = useQuery({ ...iterationsQuery(run.id, nodeId), enabled: isSplit });
  const hasFailed = !isSplit && iterations > 1 && failedCount > 0;
  const failed = useQuery({ ...failedIterationsQuery(run.id, nodeId, failedCount), enabled: hasFailed });
  const entries = isSplit ? all.data?.data : hasFailed ? failed.data?.data : undefined;
  // The attempts are those of the latest iteration.
  const parts =
    iterations > 1 ? (entries ?? []).flatMap((entry) => iterationPart(entry, spanOf)) : attemptSpans.map(attemptPart);
  const isWhole = parts.length === 0 || hasFailed;
  return (
    <>
      {isWhole && <span className={classes.bar} style={toStyle(inView(bar, view), bar.status)} />}
      {iterations <= 1 && attemptSpans.length > 0 && (
        <span className={classes.delays} style={toStyle(inView(bar, view))} />
      )}
      {parts.map(({ key, title, span, status, iteration }) => (
        <span
          key={key}
          className={classes.bar}
          data-part
          data-iteration={iteration}
          data-failed={status === 'failed' || undefined}
          title={title}
          style={toStyle(inView(span, view), status)}
        />
      ))}
    </>
  );
}

/** A part of the bar of a node. */
interface Part {
  readonly key: string | number;
  readonly title: string;
  readonly span: Span;
  readonly status: Bar['status'];
  readonly iteration?: string;
}

function attemptPart(attempt: AttemptSpan): Part {
  const { number, status } = attempt;
  const title = i18n.t('Attempt {number}: {result}', { number, result: describeAttempt(attempt) });
  return { key: number, title, span: attempt, status };
}

/** Returns the part of an iteration; none if it has not started. */
function iterationPart(
  { iteration, status, startedAt, finishedAt }: IterationEntry,
  spanOf: RunTimes['spanOf'],
): Part[] {
  if (startedAt === null) return [];
  const title = i18n.t('Iteration {iteration}: {status}', { iteration, status: STATUS_LOOKS[status].label });
  return [{ key: iteration, title, span: spanOf(startedAt, finishedAt), status, iteration }];
}

function toStyle({ left, width }: Span, status?: Bar['status'] | ChildRun['status']): CSSProperties {
  const background = status && `var(--status-${STATUS_LOOKS[status].tone})`;
  return { left: `${left}%`, width: `${width}%`, ...(background !== undefined && { background }) };
}
