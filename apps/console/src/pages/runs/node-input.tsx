import type { EdgeDefinition, Execution } from '@deckhand/contracts';
import { Stack, Text } from '@mantine/core';
import { JsonTree } from '../../components/json-tree.js';
import { Output } from './output.js';
import { sourcesOf } from './sources.js';

/** The input of a node: the outputs of its predecessors that ran, or the trigger data. */
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
  /** The iteration of the node; predecessors in the same loop are shown at the same one. */
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
