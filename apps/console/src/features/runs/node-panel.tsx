import { type Definition, type Execution, isFinished, type NodeDefinition } from '@deckhand/contracts';
import { Button, CloseButton, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { approvalsQuery, humanTasksQuery } from '../../api/approvals.ts';
import { useNodeTypes } from '../../api/workflows.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { i18n } from '../../language/i18n.ts';
import { Decision } from '../approvals/decision.tsx';
import { HumanForm } from '../approvals/human-form.tsx';
import { MayNotAnswer } from '../approvals/may-not-answer.tsx';
import { loopsAround } from './iteration.ts';
import { NodeData } from './node-data.tsx';
import { mayRerunFromNodes, useRerunChoices } from './rerun-versions.ts';
import { useRerun } from './run-actions.tsx';

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
  const { can } = useWorkspace();
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
      {can('runs.start') && isFinished(run.status) && mayRerunFromNodes(run, can) && (
        <RerunFailed run={run} nodeId={nodeId} definition={definition} titles={titles} />
      )}
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

/** Re-runs the failed iterations of a node, or of each node in a loop. */
function RerunFailed({
  run,
  nodeId,
  definition,
  titles,
}: {
  run: Execution;
  nodeId: string;
  definition: Definition;
  titles: ReadonlyMap<string, string>;
}) {
  const types = useNodeTypes();
  const again = useRerun(run);
  const [usual] = useRerunChoices(run);
  const failed = Object.entries(run.progress)
    // No rerun begins at the steps of an agent, which are not in the definition.
    .filter(([id, { iterationCounts }]) => titles.has(id) && (iterationCounts?.failed ?? 0) > 0)
    .map(([id]) => id)
    .filter((id) => id === nodeId || loopsAround(id, definition, types).includes(nodeId));
  return failed.map((id) => (
    <Button
      key={id}
      size="xs"
      variant="default"
      leftSection={<RotateCw size={14} aria-hidden />}
      loading={again.isPending}
      disabled={usual === undefined}
      title={usual && i18n.t('With {title}', { title: usual.title })}
      onClick={() => usual && again.mutate({ version: usual.version, fromNodeId: id, iterations: 'failed' })}
    >
      {id === nodeId
        ? i18n.t('Re-run failed iterations')
        : i18n.t('Re-run failed iterations of {node}', { node: titles.get(id) ?? id })}
    </Button>
  ));
}

/** The form for a waiting node: an approval or a human task. */
function AnswerNode({ executionId, node }: { executionId: string; node: NodeDefinition }) {
  const category = useNodeTypes().get(node.type)?.category;
  if (category !== 'person') return null;
  return (
    <>
      <OpenDecision executionId={executionId} nodeId={node.id} />
      <OpenForms executionId={executionId} nodeId={node.id} />
    </>
  );
}

function OpenDecision({ executionId, nodeId }: { executionId: string; nodeId: string }) {
  const { workspaceId } = useWorkspace();
  const open = useQuery(approvalsQuery(workspaceId)).data?.data ?? [];
  const entry = open.find(({ id, currentNodeId }) => id === executionId && currentNodeId === nodeId);
  if (!entry) return null;
  return (
    <Stack gap="xs">
      <Text fw={600}>{entry.message}</Text>
      {entry.canAnswer ? <Decision key={entry.waitId} entry={entry} /> : <MayNotAnswer />}
    </Stack>
  );
}

/** The forms of a node; in a loop, several may be open. */
function OpenForms({ executionId, nodeId }: { executionId: string; nodeId: string }) {
  const { workspaceId } = useWorkspace();
  const open = useQuery(humanTasksQuery(workspaceId)).data?.data ?? [];
  return open
    .filter((task) => task.executionId === executionId && task.nodeId === nodeId)
    .map((task) => (
      <Stack key={task.waitId} gap="xs">
        <Text fw={600}>{task.title}</Text>
        {task.canAnswer ? <HumanForm task={task} /> : <MayNotAnswer />}
      </Stack>
    ));
}
