import type { EdgeDefinition, NodeDefinition } from '@deckhand/contracts';
import type { ReactNode } from 'react';
import { ChangeMark } from '../../graph/change-mark.tsx';
import { type Change, type DefinitionDiff, edgeKey } from '../../graph/diff-definitions.ts';
import type { NodeTypes } from '../../graph/handles.ts';
import { i18n } from '../../language/i18n.ts';
import classes from './change-list.module.css';
import { labelNodeValue, labelSetting } from './describe-diff.ts';

/** Lists the differences in words, one per line. */
export function ChangeList({
  diff,
  nodes,
  types,
  selected,
  onSelect,
}: {
  diff: DefinitionDiff;
  /** The nodes of both sides, by id. */
  nodes: ReadonlyMap<string, NodeDefinition>;
  types: NodeTypes;
  selected: string | undefined;
  /** Undefined selects the settings of the workflow. */
  onSelect: (nodeId: string | undefined) => void;
}) {
  const titleOf = (id: string): string => nodes.get(id)?.name ?? id;
  return (
    <ul className={classes.list} aria-label={i18n.t('Changes')}>
      {diff.nodes.map(({ change, node, values }) => (
        <li key={node.id}>
          <button
            type="button"
            className={classes.row}
            aria-pressed={node.id === selected}
            onClick={() => onSelect(node.id)}
          >
            <Row change={change} title={titleOf(node.id)}>
              {change === 'changed'
                ? values.map(labelNodeValue).join(', ')
                : (types.get(node.type)?.title ?? node.type)}
            </Row>
          </button>
        </li>
      ))}
      {diff.settings.length > 0 && (
        <li>
          <button
            type="button"
            className={classes.row}
            aria-pressed={selected === undefined}
            onClick={() => onSelect(undefined)}
          >
            <Row change="changed" title={i18n.t('Workflow settings')}>
              {diff.settings.map(labelSetting).join(', ')}
            </Row>
          </button>
        </li>
      )}
      {diff.notes.map(({ change, note }) => (
        <li key={`note ${note.id}`} className={classes.row}>
          <Row change={change} title={/^.+/.exec(note.text)?.[0] ?? i18n.t('Empty note')}>
            {i18n.t('Note')}
          </Row>
        </li>
      ))}
      {diff.edges.map(({ change, edge }) => (
        <li key={edgeKey(edge)} className={classes.row}>
          <Row change={change} title={describeEdge(edge, titleOf)}>
            {i18n.t('Connection')}
          </Row>
        </li>
      ))}
    </ul>
  );
}

function Row({ change, title, children }: { change: Change; title: string; children: ReactNode }) {
  return (
    <>
      <span className={classes.words}>
        <span className={classes.title}>{title}</span>
        <span className={classes.what}>{children}</span>
      </span>
      <ChangeMark change={change} />
    </>
  );
}

function describeEdge({ source, sourceHandle, target, targetHandle }: EdgeDefinition, titleOf: (id: string) => string) {
  const from = sourceHandle === undefined ? titleOf(source) : `${titleOf(source)} (${sourceHandle})`;
  return `${from} → ${targetHandle === undefined ? titleOf(target) : `${titleOf(target)} (${targetHandle})`}`;
}
