import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { debugQuery } from '../../api/executions.ts';
import type { Picking } from '../../components/json-tree.tsx';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';
import { RunValue } from './run-value.tsx';

const TITLES = { parameters: i18n.t('Parameters'), input: i18n.t('Input'), console: i18n.t('Console') } as const;

/** What a debug run has kept of a node: its evaluated parameters, its input or its console output. */
export function NodeDebugData({
  parts,
  executionId,
  nodeId,
  iteration,
  finishedAt,
  picking,
}: {
  parts: readonly (keyof typeof TITLES)[];
  executionId: string;
  nodeId: string;
  iteration: string | undefined;
  finishedAt: string | null;
  picking?: Picking | undefined;
}) {
  const debug = useQuery(debugQuery(executionId, nodeId, iteration, finishedAt));
  if (debug.isError) return <Problem error={debug.error} />;
  if (debug.data === undefined) return <Loading />;
  const { data } = debug;
  const kept = parts.flatMap((part) => {
    const value = data?.[part];
    return value === undefined ? [] : [{ title: TITLES[part], value }];
  });
  if (kept.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {i18n.t('None was kept of this node.')}
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      {kept.map(({ title, value }) => (
        <section key={title} aria-label={title}>
          {parts.length > 1 && (
            <Text size="sm" fw={600} mb={6}>
              {title}
            </Text>
          )}
          <RunValue
            executionId={executionId}
            label={i18n.t('{title} of {nodeId}', { title, nodeId })}
            value={value}
            picking={picking}
          />
        </section>
      ))}
    </Stack>
  );
}
