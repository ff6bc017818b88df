import type { Definition, Execution, NodeDefinition } from '@deckhand/contracts';
import { CloseButton, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { i18n } from '../../language/i18n.ts';
import { AnswerNode } from './answer-node.tsx';
import { NodeData } from './node-data.tsx';

/** The details of a node in a run: status, times, input and output. */
export function NodePanel({
  run,
  nodeId,
  title,
  node,
  definition,
  titles,
  iteration,
  onIteration,
  onClose,
}: {
  run: Execution;
  nodeId: string;
  title: string;
  node: NodeDefinition | undefined;
  /** That of the run's version. */
  definition: Definition;
  titles: ReadonlyMap<string, string>;
  iteration: string | undefined;
  onIteration: (iteration: string | undefined) => void;
  onClose: () => void;
}) {
  const progress = run.progress[nodeId];
  const [tab, setTab] = useState('output');
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
        <CloseButton aria-label={i18n.t('Close')} onClick={onClose} />
      </Group>
      {node && progress?.status === 'waiting' && <AnswerNode executionId={run.id} node={node} />}
      {progress ? (
        <NodeData
          run={run}
          nodeId={nodeId}
          progress={progress}
          definition={definition}
          titles={titles}
          tab={tab}
          onTab={setTab}
          iteration={iteration}
          onIteration={onIteration}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {i18n.t('The run has not reached this node.')}
        </Text>
      )}
    </Stack>
  );
}
