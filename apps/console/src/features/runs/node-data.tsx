import {
  type Definition,
  type Execution,
  isFinished,
  type IterationEntry,
  type JsonValue,
  type NodeProgress,
} from '@deckhand/contracts';
import { Group, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { failedIterationsQuery, iterationQuery } from '../../api/executions.ts';
import { useNodeTypes } from '../../api/workflows.ts';
import { describeBytes } from '../../components/durations.ts';
import { JsonTree, type Picking } from '../../components/json-tree.tsx';
import { Problem } from '../../components/problem.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { i18n } from '../../language/i18n.ts';
import { attemptsOf } from './attempts.ts';
import { describeAttempt } from './describe-attempt.ts';
import { Duration } from './duration.tsx';
import { loopsAround } from './iteration.ts';
import { useLoopItems } from './loop-items.ts';
import classes from './node-data.module.css';
import { NodeDebugData } from './node-debug.tsx';
import { NodeInput } from './node-input.tsx';
import { NodeIterations } from './node-iterations.tsx';
import { Output } from './output.tsx';
import { hasOutput } from './sources.ts';

/** The data of a node in a run: status, times and error, and its input, output and logs. */
export function NodeData({
  run,
  nodeId,
  progress,
  definition,
  titles,
  tab,
  onTab,
  iteration: chosen,
  onIteration,
  earlier,
  pickingOf,
  pinned,
  children,
}: {
  run: Execution;
  nodeId: string;
  progress: NodeProgress;
  /** That of the run's version. */
  definition: Definition;
  titles: ReadonlyMap<string, string>;
  tab: string;
  onTab: (tab: string) => void;
  /** The iteration that is chosen of a node in a loop; undefined for the first that failed, or the last one. */
  iteration: string | undefined;
  onIteration: (iteration: string | undefined) => void;
  /** Further nodes whose outputs the node can read. */
  earlier?: readonly string[] | undefined;
  /** Returns what a click on a key of the data from a node does; keys are plain text without it. */
  pickingOf?: ((nodeId: string) => Picking | undefined) | undefined;
  /** The output that is pinned to the node, shown in place of the run's. */
  pinned?: JsonValue | undefined;
  /** Shown below the facts. */
  children?: ReactNode;
}) {
  const types = useNodeTypes();
  const { iterations = 0, iterationCounts } = progress;
  const isLive = !isFinished(run.status);
  const failedCount = iterationCounts?.failed ?? 0;
  // A person looks for what failed; while the run is in progress, for what happens now.
  const hasDefault = !isLive && failedCount > 0 && chosen === undefined;
  const failed = useQuery({ ...failedIterationsQuery(run.id, nodeId, failedCount), enabled: hasDefault });
  const firstFailed = hasDefault ? failed.data?.data[0]?.iteration : undefined;
  const iteration = chosen ?? firstFailed;
  const items = useLoopItems(run, nodeId, definition);
  const isOne = iteration !== undefined && iterations > 0;
  const one = useQuery({
    ...iterationQuery(run.id, { nodeId, iteration: iteration ?? '', isLive }),
    enabled: isOne,
  });
  const shown = isOne ? progressOf(one.data) : progress;
  const { status, startedAt, finishedAt, attempts, outputBytes, error } = shown;
  const at = { executionId: run.id, nodeId, finishedAt };
  const isDebug = run.executionMode === 'debug';
  return (
    <div className={classes.parts}>
      <Stack gap="sm">
        <Group gap="md">
          {!(isOne && !one.data) && (
            <Text size="sm" component="span">
              <StatusBadge status={status} />
            </Text>
          )}
          <Text size="sm" c="dimmed">
            <Duration from={startedAt} to={finishedAt} />
            {attempts > 1 && `, ${i18n.t('{count, plural, one {# attempt} other {# attempts}}', { count: attempts })}`}
            {outputBytes > 0 && `, ${describeBytes(outputBytes)}`}
          </Text>
        </Group>
        {error && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            <strong>{error.code}</strong>: {error.message}
          </Text>
        )}
        <NodeAttempts progress={shown} />
        <Problem error={one.error} />
        {isOne && one.data === null && (
          <Text size="sm">{i18n.t('The node did not run in iteration {iteration}.', { iteration })}</Text>
        )}
        {iterations > 0 && (
          <NodeIterations
            run={run}
            nodeId={nodeId}
            progress={progress}
            depth={loopsAround(nodeId, definition, types).length}
            items={items}
            iteration={chosen}
            shown={firstFailed}
            onIteration={onIteration}
          />
        )}
        {children}
      </Stack>
      <Tabs
        value={tab === 'debug' && !isDebug ? 'output' : tab}
        onChange={(next) => onTab(next ?? tab)}
        keepMounted={false}
        miw={0}
      >
        <Tabs.List>
          <Tabs.Tab value="input">{i18n.t('Input')}</Tabs.Tab>
          <Tabs.Tab value="output">{i18n.t('Output')}</Tabs.Tab>
          <Tabs.Tab value="logs">{i18n.t('Logs')}</Tabs.Tab>
          {isDebug && <Tabs.Tab value="debug">{i18n.t('Debug')}</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="input" pt="sm">
          <NodeInput
            run={run}
            nodeId={nodeId}
            definition={definition}
            titles={titles}
            iteration={iteration}
            earlier={earlier}
            pickingOf={pickingOf}
          />
        </Tabs.Panel>
        <Tabs.Panel value="output" pt="sm">
          {pinned !== undefined ? (
            <JsonTree
              label={i18n.t('Pinned output of {nodeId}', { nodeId })}
              value={pinned}
              picking={pickingOf?.(nodeId)}
            />
          ) : hasOutput(shown) ? (
            <Output {...at} picking={pickingOf?.(nodeId)} {...(isOne ? { iteration } : {})} />
          ) : (
            <Text size="sm" c="dimmed">
              {i18n.t('No output.')}
            </Text>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="logs" pt="sm">
          {isDebug ? (
            <NodeDebugData parts={['console']} {...at} iteration={iteration} />
          ) : (
            <Text size="sm" c="dimmed">
              {i18n.t('Console output is kept in debug runs only.')}
            </Text>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="debug" pt="sm">
          <NodeDebugData parts={['parameters', 'input']} {...at} iteration={iteration} />
        </Tabs.Panel>
      </Tabs>
    </div>
  );
}

const NOTHING: NodeProgress = { status: 'pending', startedAt: null, finishedAt: null, attempts: 0, outputBytes: 0 };

/** Returns the progress of a node in one iteration. @param entry null or undefined: nothing is known of it. */
function progressOf(entry: IterationEntry | null | undefined): NodeProgress {
  if (!entry) return NOTHING;
  const { error, iteration: _, ...progress } = entry;
  return { ...progress, ...(error && { error }) };
}

/** The latest attempts of a node with several: when each was, how long it took, and what came of it. */
function NodeAttempts({ progress }: { progress: NodeProgress }) {
  const attempts = attemptsOf(progress);
  return (
    attempts.length > 0 && (
      <Text component="details" size="sm">
        <summary>{i18n.t('Attempts')}</summary>
        <ol start={attempts[0]?.number}>
          {attempts.map((attempt) => (
            <li key={attempt.number} style={{ overflowWrap: 'anywhere' }}>
              <RelativeTime at={attempt.startedAt} />,{' '}
              {attempt.finishedAt !== null && (
                <>
                  <Duration from={attempt.startedAt} to={attempt.finishedAt} />,{' '}
                </>
              )}
              {describeAttempt(attempt)}
            </li>
          ))}
        </ol>
      </Text>
    )
  );
}
