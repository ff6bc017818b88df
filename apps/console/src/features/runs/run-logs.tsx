import { type Execution, isFinished, type NodeProgress } from '@deckhand/contracts';
import { Anchor, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { debugQuery } from '../../api/executions.ts';
import { describeDuration } from '../../components/durations.ts';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';
import classes from './run-logs.module.css';

/** Most nodes whose console output is read: each is a request. */
const MAX_NODES = 50;

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
  const ended = endedNodes(run.progress);
  const shown = ended.slice(0, MAX_NODES);
  const logs = useQueries({
    queries: shown.map(({ nodeId, finishedAt }) => debugQuery(run.id, nodeId, undefined, finishedAt)),
  });
  const failed = logs.find(({ isError }) => isError);
  if (failed) return <Problem error={failed.error} />;
  if (logs.some(({ data }) => data === undefined)) return <Loading />;
  const written = shown.flatMap(({ nodeId, startedAt }, index) => {
    const lines = linesOf(logs[index]?.data?.console);
    return lines.length === 0 ? [] : [{ nodeId, startedAt, lines }];
  });
  return (
    <>
      {written.length === 0 && (
        <Text size="sm" c="dimmed">
          {isFinished(run.status) ? i18n.t('No node wrote to the console.') : i18n.t('No console output yet.')}
        </Text>
      )}
      <ol className={classes.logs} aria-label={i18n.t('Logs of the run')}>
        {written.map(({ nodeId, startedAt, lines }) => (
          <li key={nodeId}>
            <Anchor component="button" type="button" size="sm" onClick={() => onSelect(nodeId)}>
              {titles.get(nodeId) ?? nodeId}
            </Anchor>{' '}
            <Text span size="xs" c="dimmed">
              {`+${describeDuration(sinceStart(run, startedAt))}`}
            </Text>
            <pre className={classes.lines}>{lines.join('\n')}</pre>
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

function linesOf(console: unknown): string[] {
  return Array.isArray(console) ? console.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))) : [];
}

function sinceStart({ startedAt, createdAt }: Execution, time: string): number {
  return Math.max(0, Date.parse(time) - Date.parse(startedAt ?? createdAt));
}
