import type { EdgeDefinition, Execution, NodeDefinition, NodeProgress } from '@deckhand/contracts';
import { CloseButton, Group, Stack, Tabs, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { describeBytes } from '../../components/durations.js';
import { StatusBadge } from '../../components/status-badge.js';
import { NumberField } from '../../forms/number-field.js';
import { AnswerNode } from './answer-node.js';
import { Duration } from './duration.js';
import { NodeDebugData } from './node-debug.js';
import { NodeInput } from './node-input.js';
import { Output } from './output.js';

/** The details of a node in a run: status, times, input and output. */
export function NodePanel({
  run,
  nodeId,
  title,
  node,
  edges,
  titles,
  onClose,
}: {
  run: Execution;
  nodeId: string;
  title: string;
  node: NodeDefinition | undefined;
  /** The edges of the run's version. */
  edges: readonly EdgeDefinition[];
  titles: ReadonlyMap<string, string>;
  onClose: () => void;
}) {
  const progress = run.progress[nodeId];
  return (
    <Stack gap="sm">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Title order={2} size="h5">
            {title}
          </Title>
          <Text size="xs" c="dimmed">
            {nodeId}
          </Text>
        </div>
        <CloseButton aria-label="Close" onClick={onClose} />
      </Group>
      {node && progress?.status === 'waiting' && <AnswerNode executionId={run.id} node={node} />}
      {progress ? (
        <Progress run={run} nodeId={nodeId} progress={progress} edges={edges} titles={titles} />
      ) : (
        <Text size="sm" c="dimmed">
          The run has not reached this node.
        </Text>
      )}
    </Stack>
  );
}

function Progress({
  run,
  nodeId,
  progress,
  edges,
  titles,
}: {
  run: Execution;
  nodeId: string;
  progress: NodeProgress;
  edges: readonly EdgeDefinition[];
  titles: ReadonlyMap<string, string>;
}) {
  const { status, startedAt, finishedAt, attempts, iterations, outputBytes, error } = progress;
  const [iteration, setIteration] = useState<number | undefined>();
  return (
    <>
      <Group gap="md">
        <Text size="sm" component="span">
          <StatusBadge status={status} />
        </Text>
        <Text size="sm" c="dimmed">
          <Duration from={startedAt} to={finishedAt} />
          {attempts > 1 && `, ${attempts} attempts`}
          {outputBytes > 0 && `, ${describeBytes(outputBytes)}`}
        </Text>
      </Group>
      {error && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <strong>{error.code}</strong>: {error.message}
        </Text>
      )}
      {iterations !== undefined && iterations > 0 && (
        <NumberField
          label="Iteration"
          description={`0 to ${iterations - 1}; leave empty for the last`}
          min={0}
          max={iterations - 1}
          size="xs"
          value={iteration ?? null}
          onChange={(value) => setIteration(value ?? undefined)}
        />
      )}
      <Tabs defaultValue="output" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="output">Output</Tabs.Tab>
          <Tabs.Tab value="input">Input</Tabs.Tab>
          {run.executionMode === 'debug' && <Tabs.Tab value="debug">Debug</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="output" pt="sm">
          {status === 'success' || outputBytes > 0 ? (
            <Output
              executionId={run.id}
              nodeId={nodeId}
              finishedAt={finishedAt}
              {...(iteration === undefined ? {} : { iteration: String(iteration) })}
            />
          ) : (
            <Text size="sm" c="dimmed">
              No output.
            </Text>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="input" pt="sm">
          <NodeInput run={run} nodeId={nodeId} edges={edges} titles={titles} iteration={iteration} />
        </Tabs.Panel>
        <Tabs.Panel value="debug" pt="sm">
          <NodeDebugData executionId={run.id} nodeId={nodeId} iteration={iteration} finishedAt={finishedAt} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
