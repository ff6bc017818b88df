import type { EdgeDefinition, Execution } from '@deckhand/contracts';
import { Stack, Text } from '@mantine/core';
import { JsonTree } from '../../components/json-tree.js';
import { Output } from './output.js';
import { sourcesOf } from './sources.js';

/** What came to a node: the outputs of those before it that ran, or the trigger's data. */
export function NodeInput({
  run,
  nodeId,
  edges,
  titles,
  iteration,
}: {
  run: Execution;
  nodeId: string;
  edges: readonly EdgeDefinition[];
  titles: ReadonlyMap<string, string>;
  /** Of the node; those before it in the same loop are shown at the same one. */
  iteration: number | undefined;
}) {
  if (nodeId === run.data.triggerNodeId) return <JsonTree label={`Input of ${nodeId}`} value={run.data.trigger} />;
  const sources = sourcesOf(nodeId, edges, run.progress);
  if (sources.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No input: no previous node has an output.
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      {sources.map((source) => {
        const progress = run.progress[source];
        const isInLoop = iteration !== undefined && progress?.iterations !== undefined;
        return (
          <section key={source} aria-label={`From ${titles.get(source) ?? source}`}>
            <Text size="sm" mb={6}>
              From <strong>{titles.get(source) ?? source}</strong>
            </Text>
            <Output
              executionId={run.id}
              nodeId={source}
              finishedAt={progress?.finishedAt ?? null}
              {...(isInLoop ? { iteration: String(iteration) } : {})}
            />
          </section>
        );
      })}
    </Stack>
  );
}
