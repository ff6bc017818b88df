import type { Execution, NodeDefinition, NodeProgress } from '@deckhand/contracts';
import { CloseButton, Group, NumberInput, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { outputQuery } from '../../api/executions.js';
import { describeBytes } from '../../parts/durations.js';
import { JsonTree } from '../../parts/json-tree.js';
import { Loading } from '../../parts/loading.js';
import { Problem } from '../../parts/problem.js';
import { StatusBadge } from '../../parts/status-badge.js';
import { AnswerNode } from './answer-node.js';
import { Duration } from './duration.js';

/** What became of one node of a run: how it went, and what it put out. */
export function NodePanel({
  run,
  nodeId,
  title,
  node,
  onClose,
}: {
  run: Execution;
  nodeId: string;
  title: string;
  node: NodeDefinition | undefined;
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
        <CloseButton aria-label="Close the node" onClick={onClose} />
      </Group>
      {node && progress?.status === 'waiting' && <AnswerNode executionId={run.id} node={node} />}
      {progress ? (
        <Progress run={run} nodeId={nodeId} progress={progress} />
      ) : (
        <Text size="sm" c="dimmed">
          The run has not come to this node.
        </Text>
      )}
    </Stack>
  );
}

function Progress({ run, nodeId, progress }: { run: Execution; nodeId: string; progress: NodeProgress }) {
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
        <NumberInput
          label="Iteration"
          description={`0 to ${iterations - 1}; the last one when it is empty`}
          min={0}
          max={iterations - 1}
          size="xs"
          value={iteration ?? ''}
          onChange={(value) => setIteration(typeof value === 'number' ? value : undefined)}
        />
      )}
      {(status === 'success' || outputBytes > 0) && (
        <Output
          executionId={run.id}
          nodeId={nodeId}
          finishedAt={finishedAt}
          {...(iteration === undefined ? {} : { iteration: String(iteration) })}
        />
      )}
    </>
  );
}

function Output({
  executionId,
  nodeId,
  iteration,
  finishedAt,
}: {
  executionId: string;
  nodeId: string;
  iteration?: string;
  finishedAt: string | null;
}) {
  const output = useQuery(outputQuery(executionId, nodeId, iteration, finishedAt));
  if (output.isError) return <Problem error={output.error} />;
  if (!output.data) return <Loading />;
  return <JsonTree key={output.dataUpdatedAt} label={`Output of ${nodeId}`} value={output.data.output} />;
}
