import type { Definition } from '@deckhand/contracts';
import { ActionIcon } from '@mantine/core';
import { useStore, ViewportPortal } from '@xyflow/react';
import { Plus, Trash2 } from 'lucide-react';
import { CARD_WIDTH, handleTop } from '../../../graph/card-size.ts';
import { edgeId } from '../../../graph/flow.ts';
import { handlesOf, type NodeTypes } from '../../../graph/handles.ts';
import { i18n } from '../../../language/i18n.ts';
import classes from './edge-actions.module.css';

/** Buttons in the middle of an edge: adds a node there, and deletes the edge. */
export function EdgeActions({
  definition,
  types,
  id,
  onAdd,
  onDelete,
}: {
  definition: Definition;
  types: NodeTypes;
  /** Of the edge. */
  id: string;
  onAdd: () => void;
  onDelete: () => void;
}) {
  const zoom = useStore(({ transform: [, , scale] }) => scale);
  const middle = middleOf(definition, types, id);
  if (!middle) return null;
  return (
    <ViewportPortal>
      <div
        className={classes.actions}
        style={{
          // Never smaller on the screen than they are without zoom.
          transform: `translate(${middle.x}px, ${middle.y}px) translate(-50%, -50%) scale(${Math.max(1, 1 / zoom)})`,
        }}
      >
        <ActionIcon size={26} radius="xl" aria-label={i18n.t('Add node here')} onClick={onAdd}>
          <Plus size={14} aria-hidden />
        </ActionIcon>
        <ActionIcon size={26} radius="xl" variant="default" aria-label={i18n.t('Delete connection')} onClick={onDelete}>
          <Trash2 size={13} aria-hidden />
        </ActionIcon>
      </div>
    </ViewportPortal>
  );
}

/** Returns the middle of an edge: halfway between its ends. */
function middleOf({ nodes, edges }: Definition, types: NodeTypes, id: string): { x: number; y: number } | undefined {
  const edge = edges.find(({ source, sourceHandle, target }) => edgeId(source, sourceHandle, target) === id);
  const source = nodes.find((node) => node.id === edge?.source);
  const target = nodes.find((node) => node.id === edge?.target);
  if (!edge || !source?.position || !target?.position) return undefined;
  const handles = handlesOf(source, types);
  const top =
    edge.sourceHandle === undefined ? handleTop(0, 0) : handleTop(handles.indexOf(edge.sourceHandle), handles.length);
  return {
    x: (source.position.x + CARD_WIDTH + target.position.x) / 2,
    y: (source.position.y + top + target.position.y + handleTop(0, 0)) / 2,
  };
}
