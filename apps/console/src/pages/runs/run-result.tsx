import { type Execution, isFinished } from '@deckhand/contracts';
import { Stack, Text, Title } from '@mantine/core';
import { JsonTree } from '../../components/json-tree.js';
import { RelativeTime } from '../../components/relative-time.js';

/** The result of a run, and the decisions of people. */
export function RunResult({ run, titles }: { run: Execution; titles: ReadonlyMap<string, string> }) {
  const { approvals } = run.data;
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        Result
      </Title>
      {run.result === null ? (
        <Text size="sm" c="dimmed">
          {isFinished(run.status)
            ? 'No End node set a result. Select a node to see its output.'
            : 'The run is in progress. Select a node to see its output.'}
        </Text>
      ) : (
        <JsonTree label="Result" value={run.result} />
      )}
      {approvals.length > 0 && (
        <>
          <Title order={2} size="h5">
            Decisions
          </Title>
          {approvals.map(({ nodeId, decision, comment, by, byUser, at }) => (
            <Text key={nodeId + at} size="sm">
              <strong>{decision}</strong> in {titles.get(nodeId) ?? nodeId} by{' '}
              {by === null ? 'a link' : (byUser?.name ?? 'Former member')}, <RelativeTime at={at} />
              {comment !== null && comment !== '' && `: ${comment}`}
            </Text>
          ))}
        </>
      )}
    </Stack>
  );
}
