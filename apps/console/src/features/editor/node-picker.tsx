import type { NodeDefinition, NodeTypeEntry } from '@deckhand/contracts';
import { Dialog } from '../../components/dialog.tsx';
import { useMemo, useState } from 'react';
import { type ChoiceGroup, SearchList } from '../../components/search-list.tsx';
import { typeIcon } from '../../graph/type-icon.ts';
import { i18n } from '../../language/i18n.ts';
import { useEditor, useEditorSession } from './model/editor-session.tsx';
import { findNodeTypes } from './find-node-types.ts';
import type { Spot } from './model/insert-node.ts';

const CATEGORIES: Readonly<Record<string, string>> = {
  trigger: i18n.t('Triggers'),
  action: i18n.t('Actions'),
  flow: i18n.t('Flow'),
  data: i18n.t('Data'),
  person: i18n.t('People'),
};

const NEXT: Spot = { kind: 'next' };

/** Asks for the type of a new node. @param onAdded called with the node. */
export function NodePicker({ onAdded }: { onAdded: (node: NodeDefinition) => void }) {
  const { model } = useEditorSession();
  const spot = useEditor(({ dialog }) => (dialog?.kind === 'add' ? dialog.spot : undefined));
  // After an output no run can start.
  const offered = useMemo(
    () => [...model.types.values()].filter(({ isTrigger }) => !isTrigger || spot === undefined || spot.kind === 'next'),
    [model, spot],
  );
  // The focus goes on to the form of a node that was added, and back otherwise.
  const [returnsFocus, setReturnsFocus] = useState(true);
  return (
    <Dialog
      isOpen={spot !== undefined}
      returnsFocus={returnsFocus}
      onClose={() => {
        setReturnsFocus(true);
        model.close('add');
      }}
      title={i18n.t('Add node')}
    >
      <Types
        types={offered}
        onPick={(type) => {
          setReturnsFocus(false);
          onAdded(model.add(type, spot ?? NEXT));
        }}
      />
    </Dialog>
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
        Icon: typeIcon(type.icon),
        onPick: () => onPick(type),
      })),
    });
    // In the order of the match, which groups would break.
    if (search.trim() !== '') return found.length > 0 ? [toGroup(i18n.t('Best matches first'), found)] : [];
    return [...Map.groupBy(found, ({ category }) => category)].map(([category, entries]) =>
      toGroup(CATEGORIES[category] ?? category, entries),
    );
  }, [types, search, onPick]);
  return (
    <SearchList
      label={i18n.t('Search nodes')}
      placeholder={i18n.t('Name or purpose, such as delay or database')}
      search={search}
      onSearch={setSearch}
      groups={groups}
      empty={i18n.t('No node is found by "{search}". HTTP request calls any API, and Code runs JavaScript.', {
        search,
      })}
    />
  );
}

function firstSentence(text: string): string {
  return (/^.*?[.:](?= |$)/s.exec(text)?.[0] ?? text).replaceAll('`', '').replace(/[.:]$/, '');
}
