import { CARD_WIDTH, type Definition } from '@deckhand/contracts';
import { ActionIcon, Group, Select, Tooltip } from '@mantine/core';
import { useStore, ViewportPortal } from '@xyflow/react';
import {
  AlignCenterHorizontal,
  AlignCenterVertical,
  AlignEndHorizontal,
  AlignEndVertical,
  AlignHorizontalDistributeCenter,
  AlignStartHorizontal,
  AlignStartVertical,
  AlignVerticalDistributeCenter,
  type LucideIcon,
  Plus,
  Search,
  Trash2,
} from 'lucide-react';
import { handleTop } from '../../../graph/card-size.ts';
import { edgeId } from '../../../graph/flow.ts';
import { handlesOf, type NodeTypes } from '../../../graph/handles.ts';
import { i18n } from '../../../language/i18n.ts';
import type { Alignment } from '../model/align.ts';
import classes from './edge-actions.module.css';

const ACTIONS: readonly (readonly [Alignment, string, LucideIcon])[] = [
  ['left', i18n.t('Align left'), AlignStartVertical],
  ['center', i18n.t('Align center'), AlignCenterVertical],
  ['right', i18n.t('Align right'), AlignEndVertical],
  ['top', i18n.t('Align top'), AlignStartHorizontal],
  ['middle', i18n.t('Align middle'), AlignCenterHorizontal],
  ['bottom', i18n.t('Align bottom'), AlignEndHorizontal],
  ['horizontally', i18n.t('Distribute horizontally'), AlignHorizontalDistributeCenter],
  ['vertically', i18n.t('Distribute vertically'), AlignVerticalDistributeCenter],
];

/** Arranges the selection. */
export function AlignBar({ onAlign }: { onAlign: (how: Alignment) => void }) {
  return (
    <Group gap={4} wrap="nowrap" role="toolbar" aria-label={i18n.t('Arrange the selection')}>
      {ACTIONS.map(([how, label, Icon]) => (
        <Tooltip key={how} label={label}>
          <ActionIcon variant="default" size={32} aria-label={label} onClick={() => onAlign(how)}>
            <Icon size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      ))}
    </Group>
  );
}

const focus = (field: HTMLInputElement | null): void => field?.focus();

/** Finds a node of the workflow by its name, id or type. */
export function FindNode({
  definition,
  types,
  onChoose,
  onClose,
}: {
  definition: Definition;
  types: NodeTypes;
  onChoose: (nodeId: string) => void;
  onClose: () => void;
}) {
  return (
    <Select
      ref={focus}
      w={320}
      maw="90vw"
      aria-label={i18n.t('Find a node')}
      placeholder={i18n.t('Name, id or type')}
      leftSection={<Search size={14} aria-hidden />}
      rightSection={null}
      searchable
      selectFirstOptionOnChange
      defaultDropdownOpened
      limit={20}
      nothingFoundMessage={i18n.t('No node found')}
      data={definition.nodes.map(({ id, name, type }) => ({
        value: id,
        label: [name, id, types.get(type)?.title ?? type].filter((part) => part !== undefined).join(' · '),
      }))}
      onChange={(nodeId) => {
        if (nodeId !== null) onChoose(nodeId);
        onClose();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
      onBlur={onClose}
    />
  );
}

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
