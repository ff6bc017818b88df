import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { JsonValue } from '@deckhand/contracts';
import { outputQuery } from '../../api/executions.ts';
import { describeBytes } from '../../components/durations.ts';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { diffValues } from '../../graph/diff-definitions.ts';
import { i18n } from '../../language/i18n.ts';
import { labelPath } from '../versions/describe-diff.ts';
import { ValueChanges } from '../versions/value-changes.tsx';
import { hasOutput, sourcesOf } from '../runs/sources.ts';
import type { NodePair, Side } from './compare-nodes.ts';

/** Number of differences that are shown. */
const MAX_SHOWN = 50;
/** Largest output that is compared value by value, in bytes. */
const MAX_COMPARED_BYTES = 1_048_576;
const SIDES = { before: i18n.t('First run'), after: i18n.t('Second run') } as const;

/** What differs in the input and the output of a node; of a node in a loop, in its last iteration. */
export function NodeDifference({ pair, left, right }: { pair: NodePair; left: Side; right: Side }) {
  const { nodeId, title } = pair;
  const errors = [pair.left?.error, pair.right?.error];
  const titles = new Map([...left.definition.nodes, ...right.definition.nodes].map(({ id, name }) => [id, name ?? id]));
  const isTrigger = nodeId === right.run.data.triggerNodeId || nodeId === left.run.data.triggerNodeId;
  const sources = [left, right].flatMap(({ run, definition }) => sourcesOf(nodeId, definition.edges, run.progress));
  return (
    <Stack gap="md">
      <div>
        <Title order={2} size="h5">
          {title}
        </Title>
        <Text size="xs" c="dimmed">
          {nodeId}
          {((pair.left?.iterations ?? 0) > 0 || (pair.right?.iterations ?? 0) > 0) && `, ${i18n.t('last iteration')}`}
        </Text>
      </div>
      {errors.some((error) => error !== undefined) && (
        <Part title={i18n.t('Error')}>
          <Differences
            before={errors[0] && `${errors[0].code}: ${errors[0].message}`}
            after={errors[1] && `${errors[1].code}: ${errors[1].message}`}
          />
        </Part>
      )}
      {isTrigger ? (
        <Part title={i18n.t('Trigger data')}>
          <Differences before={left.run.data.trigger} after={right.run.data.trigger} />
        </Part>
      ) : (
        [...new Set(sources)].map((source) => (
          <Part key={source} title={i18n.t('Input from {title}', { title: titles.get(source) ?? source })}>
            <OutputDifference nodeId={source} left={left} right={right} />
          </Part>
        ))
      )}
      <Part title={i18n.t('Output')}>
        <OutputDifference nodeId={nodeId} left={left} right={right} />
      </Part>
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Text size="sm" fw={600} mb={6}>
        {title}
      </Text>
      {children}
    </section>
  );
}

function OutputDifference({ nodeId, left, right }: { nodeId: string; left: Side; right: Side }) {
  const sizes = [left, right].map(({ run }) => run.progress[nodeId]?.outputBytes ?? 0);
  const isLarge = sizes.some((bytes) => bytes > MAX_COMPARED_BYTES);
  const [before, after] = [useOutput(nodeId, left, !isLarge), useOutput(nodeId, right, !isLarge)];
  if (isLarge) {
    const [first, second] = sizes.map(describeBytes);
    return (
      <Text size="sm" c="dimmed">
        {i18n.t('Too large to compare: {first} and {second}.', { first, second })}
      </Text>
    );
  }
  if (before.error ?? after.error) return <Problem error={before.error ?? after.error} />;
  if (before.isLoading || after.isLoading) return <Loading />;
  return <Differences before={before.data?.output} after={after.data?.output} />;
}

function useOutput(nodeId: string, { run }: Side, isWanted: boolean) {
  const progress = run.progress[nodeId];
  return useQuery({
    ...outputQuery(run.id, nodeId, undefined, progress?.finishedAt),
    enabled: isWanted && hasOutput(progress),
  });
}

/** The values that differ, side by side. */
function Differences({ before, after }: { before: JsonValue | undefined; after: JsonValue | undefined }) {
  const values = diffValues(before, after);
  if (values.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {before === undefined ? i18n.t('None in either run.') : i18n.t('No differences.')}
      </Text>
    );
  }
  return (
    <>
      <ValueChanges
        change="changed"
        values={values.slice(0, MAX_SHOWN)}
        labelOf={({ path }) => (path.length === 0 ? i18n.t('All of it') : labelPath(path))}
        isSecret={() => false}
        sides={SIDES}
      />
      {values.length > MAX_SHOWN && (
        <Text size="sm" c="dimmed" mt="sm">
          {i18n.t('{count} more differences are not shown.', { count: values.length - MAX_SHOWN })}
        </Text>
      )}
    </>
  );
}
