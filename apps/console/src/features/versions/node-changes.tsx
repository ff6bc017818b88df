import type { NodeDefinition, NodeTypeEntry } from '@deckhand/contracts';
import { Group, Text, Title } from '@mantine/core';
import { toFields } from '../../forms/schema.ts';
import { ChangeMark } from '../../graph/change-mark.tsx';
import type { NodeChange, ValueChange } from '../../graph/diff-definitions.ts';
import { i18n } from '../../language/i18n.ts';
import { labelNodeValue } from './describe-diff.ts';
import { ValueChanges } from './value-changes.tsx';

/** The differences of a node, value by value. */
export function NodeChanges({
  node,
  change,
  type,
}: {
  node: NodeDefinition;
  /** Undefined if nothing differs. */
  change: NodeChange | undefined;
  type: NodeTypeEntry | undefined;
}) {
  const secrets = new Set(toFields(type?.parameters ?? {}).flatMap(({ name, isSecret }) => (isSecret ? [name] : [])));
  const isSecret = ({ path: [first, name] }: ValueChange): boolean =>
    first === 'parameters' && typeof name === 'string' && secrets.has(name);
  return (
    <>
      <Group justify="space-between" align="flex-start" wrap="nowrap" mb="sm">
        <div>
          <Title order={2} size="h5">
            {node.name ?? node.id}
          </Title>
          <Text size="xs" c="dimmed">
            {i18n.t('{type}, id {id}', { type: type?.title ?? node.type, id: node.id })}
          </Text>
        </div>
        {change && <ChangeMark change={change.change} />}
      </Group>
      {change ? (
        <ValueChanges change={change.change} values={change.values} labelOf={labelNodeValue} isSecret={isSecret} />
      ) : (
        <Text size="sm" c="dimmed">
          {i18n.t('No changes in this node.')}
        </Text>
      )}
    </>
  );
}
