import type { NodeTypeEntry } from '@deckhand/contracts';
import { Modal } from '@mantine/core';
import { useMemo, useState } from 'react';
import { type ChoiceGroup, SearchList } from '../components/search-list.js';
import { typeIcon } from '../graph/type-icon.js';
import { findNodeTypes } from './find-node-types.js';

const CATEGORIES: Readonly<Record<string, string>> = {
  trigger: 'Triggers',
  action: 'Actions',
  flow: 'Flow',
  data: 'Data',
  person: 'People',
};

/** Asks for the type of a new node. */
export function NodePicker({
  types,
  isOpen,
  onClose,
  onPick,
}: {
  types: readonly NodeTypeEntry[];
  isOpen: boolean;
  onClose: () => void;
  onPick: (type: NodeTypeEntry) => void;
}) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Add node" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Types types={types} onPick={onPick} />
    </Modal>
  );
}

/** Apart, so that each opening begins with an empty search. */
function Types({ types, onPick }: { types: readonly NodeTypeEntry[]; onPick: (type: NodeTypeEntry) => void }) {
  const [search, setSearch] = useState('');
  const groups = useMemo(() => {
    const found = findNodeTypes(types, search);
    const toGroup = (label: string, entries: readonly NodeTypeEntry[]): ChoiceGroup => ({
      label,
      choices: entries.map((type) => ({
        key: type.type,
        label: type.title,
        detail: firstSentence(type.description),
        Icon: typeIcon(type.type, type.category),
        onPick: () => onPick(type),
      })),
    });
    // In the order of the match, which groups would break.
    if (search.trim() !== '') return found.length > 0 ? [toGroup('Best matches first', found)] : [];
    return [...Map.groupBy(found, ({ category }) => category)].map(([category, entries]) =>
      toGroup(CATEGORIES[category] ?? category, entries),
    );
  }, [types, search, onPick]);
  return (
    <SearchList
      label="Search nodes"
      placeholder="Name or purpose, such as delay or database"
      search={search}
      onSearch={setSearch}
      groups={groups}
      empty={`No node is found by "${search}". HTTP request calls any API, and Code runs JavaScript.`}
    />
  );
}

function firstSentence(text: string): string {
  return (/^.*?[.:](?= |$)/s.exec(text)?.[0] ?? text).replaceAll('`', '').replace(/[.:]$/, '');
}
