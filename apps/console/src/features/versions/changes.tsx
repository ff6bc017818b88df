import type { Definition, NodeDefinition, NodeTypeEntry } from '@deckhand/contracts';
import { Group, Text, Title } from '@mantine/core';
import { useMemo, useState } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { toFields } from '../../forms/schema.ts';
import { ChangeMark } from '../../graph/change-mark.tsx';
import { diffDefinitions, type NodeChange, type ValueChange } from '../../graph/diff-definitions.ts';
import { DiffGraph } from '../../graph/diff-graph.tsx';
import type { NodeTypes } from '../../graph/handles.ts';
import { i18n } from '../../language/i18n.ts';
import { ChangeList } from './change-list.tsx';
import classes from './comparison.module.css';
import { labelNodeValue, labelSetting, summarise } from './describe-diff.ts';
import { ValueChanges } from './value-changes.tsx';

/** The differences of two definitions: on their graph, as a list, and value by value. */
export function Changes({ before, after, types }: { before: Definition; after: Definition; types: NodeTypes }) {
  const diff = useMemo(() => diffDefinitions(before, after), [before, after]);
  const nodes = useMemo(
    () => new Map([...before.nodes, ...after.nodes].map((node) => [node.id, node])),
    [before, after],
  );
  const [selected, select] = useState(
    () => (diff.nodes.find(({ change }) => change === 'changed') ?? diff.nodes[0])?.node.id,
  );
  const summary = summarise(diff);
  const chosen = selected === undefined ? undefined : nodes.get(selected);
  return (
    <>
      <p className={classes.summary} role="status">
        {summary === '' ? i18n.t('No differences.') : `${summary}.`}
      </p>
      <section className={classes.graph} aria-label={i18n.t('Graph')}>
        <DiffGraph before={before} after={after} diff={diff} types={types} selected={selected} onSelect={select} />
      </section>
      {summary === '' ? (
        <EmptyState title={i18n.t('No changes')}>
          {i18n.t('At most the positions of nodes and notes on the canvas differ.')}
        </EmptyState>
      ) : (
        <div className={classes.columns}>
          <ChangeList diff={diff} nodes={nodes} types={types} selected={selected} onSelect={select} />
          <section className={classes.panel} aria-label={chosen ? i18n.t('Node') : i18n.t('Settings')}>
            {chosen ? (
              <NodeChanges
                key={chosen.id}
                node={chosen}
                change={diff.nodes.find(({ node }) => node.id === chosen.id)}
                type={types.get(chosen.type)}
              />
            ) : (
              <SettingChanges values={diff.settings} />
            )}
          </section>
        </div>
      )}
    </>
  );
}

/** The differences of the workflow's settings. */
function SettingChanges({ values }: { values: readonly ValueChange[] }) {
  return (
    <>
      <Title order={2} size="h5" mb="sm">
        {i18n.t('Workflow settings')}
      </Title>
      {values.length > 0 ? (
        <ValueChanges change="changed" values={values} labelOf={labelSetting} isSecret={() => false} />
      ) : (
        <Text size="sm" c="dimmed">
          {i18n.t('No changes. Select a node to see its changes.')}
        </Text>
      )}
    </>
  );
}

/** The differences of a node, value by value. */
function NodeChanges({
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
