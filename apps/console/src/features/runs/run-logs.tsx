import { type Execution, isFinished, type NodeProgress } from '@deckhand/contracts';
import { Anchor, Text } from '@mantine/core';
import { useThrottledValue } from '@mantine/hooks';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { consoleQuery, formerConsole } from '../../api/console-output.ts';
import { describeDuration } from '../../components/durations.ts';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';
import classes from './run-logs.module.css';

/** Most nodes whose console output is read: each is a request. */
const MAX_NODES = 50;
/** How often nodes of a run in progress are read again, in ms: those in loops end with each iteration. */
const REREAD_MS = 5_000;

/** A node that has ended, and when. */
interface Ended {
  readonly nodeId: string;
  readonly startedAt: string;
  readonly finishedAt: string | null;
}

/** The console output of all nodes of a debug run, in the order of their starts. Lines have no times of their own. */
export function RunLogs({
  run,
  titles,
  onSelect,
}: {
  run: Execution;
  titles: ReadonlyMap<string, string>;
  onSelect: (nodeId: string) => void;
}) {
  const queryClient = useQueryClient();
  const recent = useThrottledValue(run.progress, REREAD_MS);
  const ended = endedNodes(isFinished(run.status) ? run.progress : recent);
  const shown = ended.slice(0, MAX_NODES);
  const logs = useQueries({
    queries: shown.map(({ nodeId, finishedAt }) => ({
      ...consoleQuery(run.id, nodeId, finishedAt),
      placeholderData: () => formerConsole(queryClient, run.id, nodeId),
    })),
  });
  const written = shown.flatMap(({ nodeId, startedAt }, index) => {
    const { data: lines = [], error = null } = logs[index] ?? {};
    return lines.length === 0 && error === null ? [] : [{ nodeId, startedAt, lines, error }];
  });
  const isLoading = logs.some(({ isPending }) => isPending);
  return (
    <>
      {written.length === 0 && isLoading && <Loading />}
      {written.length === 0 && !isLoading && (
        <Text size="sm" c="dimmed">
          {isFinished(run.status) ? i18n.t('No node wrote to the console.') : i18n.t('No console output yet.')}
        </Text>
      )}
      <ol className={classes.logs} aria-label={i18n.t('Logs of the run')}>
        {written.map(({ nodeId, startedAt, lines, error }) => (
          <li key={nodeId}>
            <Anchor component="button" type="button" size="sm" onClick={() => onSelect(nodeId)}>
              {titles.get(nodeId) ?? nodeId}
            </Anchor>{' '}
            <Text span size="xs" c="dimmed">
              {`+${describeDuration(sinceStart(run, startedAt))}`}
            </Text>
            {lines.length > 0 && <pre className={classes.lines}>{lines.join('\n')}</pre>}
            <Problem error={error} />
          </li>
        ))}
      </ol>
      {ended.length > MAX_NODES && (
        <Text size="xs" c="dimmed">
          {i18n.t('Only the first {count} nodes are shown', { count: MAX_NODES })}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {i18n.t('Of a node in a loop, the last iteration.')}
      </Text>
    </>
  );
}

/** Returns the nodes that have ended, the earliest start first. */
function endedNodes(progress: Readonly<Record<string, NodeProgress>>): Ended[] {
  return Object.entries(progress)
    .flatMap(([nodeId, { startedAt, finishedAt, status }]) =>
      startedAt === null || finishedAt === null || status === 'skipped' ? [] : [{ nodeId, startedAt, finishedAt }],
    )
    .sort((one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt));
}

function sinceStart({ startedAt, createdAt }: Execution, time: string): number {
  return Math.max(0, Date.parse(time) - Date.parse(startedAt ?? createdAt));
}
