import type { Definition } from '@deckhand/contracts';
import { Select } from '@mantine/core';
import { Search } from 'lucide-react';
import type { NodeTypes } from '../../../graph/handles.ts';
import { i18n } from '../../../language/i18n.ts';

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
