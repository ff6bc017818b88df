import type { NodeDefinition } from '@deckhand/contracts';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { approvalsQuery, humanTasksQuery } from '../../api/approvals.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { Decision } from '../approvals/decision.tsx';
import { HumanForm } from '../approvals/human-form.tsx';

/** The form for a waiting node: an approval or a human task. */
export function AnswerNode({ executionId, node }: { executionId: string; node: NodeDefinition }) {
  const { can } = useWorkspace();
  if (!can('editor')) return null;
  if (node.type === 'approval') return <OpenDecision executionId={executionId} nodeId={node.id} />;
  if (node.type === 'human') return <OpenForms executionId={executionId} nodeId={node.id} />;
  return null;
}

function OpenDecision({ executionId, nodeId }: { executionId: string; nodeId: string }) {
  const { workspaceId } = useWorkspace();
  const open = useQuery(approvalsQuery(workspaceId)).data?.data ?? [];
  const entry = open.find(({ id, currentNodeId }) => id === executionId && currentNodeId === nodeId);
  if (!entry) return null;
  return (
    <Stack gap="xs">
      <Text fw={600}>{entry.message}</Text>
      <Decision key={entry.waitId} entry={entry} />
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
        <HumanForm task={task} />
      </Stack>
    ));
}
