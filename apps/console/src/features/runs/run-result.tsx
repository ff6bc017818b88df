import { type Execution, isFinished } from '@deckhand/contracts';
import { Trans } from '@lingui/react';
import { Stack, Text, Title } from '@mantine/core';
import { JsonTree } from '../../components/json-tree.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { i18n } from '../../language/i18n.ts';

/** The result of a run, and the decisions of people. */
export function RunResult({ run, titles }: { run: Execution; titles: ReadonlyMap<string, string> }) {
  const { approvals } = run.data;
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {i18n.t('Result')}
      </Title>
      {run.result === null ? (
        <Text size="sm" c="dimmed">
          {isFinished(run.status)
            ? i18n.t('No End node set a result. Select a node to see its output.')
            : i18n.t('The run is in progress. Select a node to see its output.')}
        </Text>
      ) : (
        <JsonTree label={i18n.t('Result')} value={run.result} />
      )}
      {approvals.length > 0 && (
        <>
          <Title order={2} size="h5">
            {i18n.t('Decisions')}
          </Title>
          {approvals.map(({ nodeId, decision, comment, by, byUser, at }) => {
            const values = {
              decision: <strong>{decision}</strong>,
              node: <>{titles.get(nodeId) ?? nodeId}</>,
              person: <>{byUser?.name ?? i18n.t('Former member')}</>,
              time: <RelativeTime at={at} />,
            };
            return (
              <Text key={nodeId + at} size="sm">
                {by === null ? (
                  <Trans id="{decision} in {node} by a link, {time}" values={values} />
                ) : (
                  <Trans id="{decision} in {node} by {person}, {time}" values={values} />
                )}
                {comment !== null && comment !== '' && `: ${comment}`}
              </Text>
            );
          })}
        </>
      )}
    </Stack>
  );
}
