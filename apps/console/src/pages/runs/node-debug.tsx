import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { debugQuery } from '../../api/executions.js';
import { JsonTree } from '../../components/json-tree.js';
import { Loading } from '../../components/loading.js';
import { Problem } from '../../components/problem.js';

const PARTS = [
  ['Parameters', 'parameters'],
  ['Input', 'input'],
  ['Console', 'console'],
] as const;

/** What a debug run has kept of a node: its evaluated parameters, its input and its console output. */
export function NodeDebugData({
  executionId,
  nodeId,
  iteration,
  finishedAt,
}: {
  executionId: string;
  nodeId: string;
  iteration: number | undefined;
  finishedAt: string | null;
}) {
  const debug = useQuery(debugQuery(executionId, nodeId, iteration, finishedAt));
  if (debug.isError) return <Problem error={debug.error} />;
  if (debug.data === undefined) return <Loading />;
  const { data } = debug;
  if (data === null) {
    return (
      <Text size="sm" c="dimmed">
        No debug data of this node.
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      {PARTS.map(([title, part]) => {
        const value = data[part];
        if (value === undefined) return null;
        return (
          <section key={part} aria-label={title}>
            <Text size="sm" fw={600} mb={6}>
              {title}
            </Text>
            <JsonTree label={`${title} of ${nodeId}`} value={value} />
          </section>
        );
      })}
    </Stack>
  );
}
