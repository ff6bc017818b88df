import type { Definition } from '@deckhand/contracts';
import { useMemo, useState } from 'react';
import { DiffGraph } from '../../graph/diff-graph.tsx';
import { diffDefinitions } from '../../graph/diff-definitions.ts';
import type { NodeTypes } from '../../graph/handles.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { i18n } from '../../language/i18n.ts';
import { ChangeList } from './change-list.tsx';
import classes from './comparison.module.css';
import { summarise } from './describe-diff.ts';
import { NodeChanges } from './node-changes.tsx';
import { SettingChanges } from './setting-changes.tsx';

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
