import type { JsonObject, NodeDefinition } from '@deckhand/contracts';
import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { approvalsQuery, completeHuman } from '../../api/approvals.js';
import { useWorkspace } from '../../api/use-workspace.js';
import { SchemaForm } from '../../forms/schema-form.js';
import { notify } from '../../components/notice-board.js';
import { Problem } from '../../components/problem.js';
import { Decision } from '../approvals/decision.js';

/** The form for a waiting node: an approval or a human task. */
export function AnswerNode({ executionId, node }: { executionId: string; node: NodeDefinition }) {
  const { can } = useWorkspace();
  if (!can('editor')) return null;
  if (node.type === 'approval') return <OpenDecision executionId={executionId} nodeId={node.id} />;
  if (node.type === 'human') return <OpenForm executionId={executionId} node={node} />;
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

function OpenForm({ executionId, node }: { executionId: string; node: NodeDefinition }) {
  const [data, setData] = useState<JsonObject>({});
  const completion = useMutation({
    mutationFn: () => completeHuman(executionId, node.id, data),
    onSuccess: () => notify('Form submitted. Run resumed.'),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        completion.mutate();
      }}
    >
      <Stack gap="sm">
        <SchemaForm schema={node.parameters?.schema ?? {}} value={data} onChange={setData} />
        <Problem error={completion.error} />
        <Button type="submit" loading={completion.isPending} disabled={completion.isSuccess} w="fit-content">
          Submit
        </Button>
      </Stack>
    </form>
  );
}
