import type { NodeDefinition } from '@deckhand/contracts';
import { MultiSelect } from '@mantine/core';
import { outputHandles } from '../../../graph/handles.ts';
import { i18n } from '../../../language/i18n.ts';
import { definitionOf } from '../model/editor-model.ts';
import { useEditor, useEditorSession } from '../model/editor-session.tsx';
import { connect } from '../model/edits.ts';

/** Connects the outputs of a node to next nodes by keyboard, as the canvas does by mouse. */
export function Connections({ node }: { node: NodeDefinition }) {
  const { model } = useEditorSession();
  const { types } = model;
  const definition = useEditor(definitionOf);
  const targets = definition.nodes
    .filter(({ id, type }) => id !== node.id && types.get(type)?.isTrigger !== true)
    .map(({ id, name }) => ({ value: id, label: name ?? id }));
  const lead = (handle: string | undefined, ids: readonly string[]): void =>
    model.apply((before) => {
      const others = before.edges.filter((edge) => !(edge.source === node.id && edge.sourceHandle === handle));
      const edges = ids.map((target) => ({
        source: node.id,
        target,
        ...(handle === undefined ? {} : { sourceHandle: handle }),
      }));
      return edges.reduce(connect, { ...before, edges: others });
    });
  return outputHandles(node, types).map((handle) => (
    <MultiSelect
      key={handle ?? ''}
      label={handle === undefined ? i18n.t('Next step') : i18n.t('If {handle} →', { handle })}
      data={targets}
      searchable
      value={definition.edges
        .filter((edge) => edge.source === node.id && edge.sourceHandle === handle)
        .map(({ target }) => target)}
      onChange={(ids) => lead(handle, ids)}
    />
  ));
}
