import type { NodeTypeEntry } from '@deckhand/contracts';
import { TextInput } from '@mantine/core';
import { Search } from 'lucide-react';
import { useMemo, useState } from 'react';
import classes from './palette.module.css';

/** Data type of a drag from the palette: the name of a node type. */
export const DRAG_TYPE = 'application/x-deckhand-node-type';

/**
 * The available node types, by category. A click adds a node after the selected one, a drag adds it where it is
 * dropped.
 */
export function Palette({ types, onAdd }: { types: readonly NodeTypeEntry[]; onAdd: (type: NodeTypeEntry) => void }) {
  const [search, setSearch] = useState('');
  const groups = useMemo(() => {
    const wanted = search.toLowerCase();
    const found = types
      .filter(({ type, title }) => `${type} ${title}`.toLowerCase().includes(wanted))
      .sort((one, other) => rank(one.category) - rank(other.category));
    return Map.groupBy(found, ({ category }) => category);
  }, [types, search]);
  const best = useMemo(() => bestMatch([...groups.values()].flat(), search), [groups, search]);
  return (
    <div className={classes.palette}>
      <TextInput
        size="xs"
        aria-label="Search nodes"
        placeholder="Add a node"
        leftSection={<Search size={14} aria-hidden />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          // Ctrl Enter runs the workflow.
          if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && search !== '' && best) onAdd(best);
        }}
      />
      <div className={classes.list}>
        {[...groups].map(([category, entries]) => (
          <section key={category} aria-label={category}>
            <h3 className={classes.category}>{category}</h3>
            {entries.map((entry) => (
              <button
                key={entry.type}
                type="button"
                className={classes.entry}
                title={entry.description}
                draggable
                onDragStart={(event) => event.dataTransfer.setData(DRAG_TYPE, entry.type)}
                onClick={() => onAdd(entry)}
              >
                {entry.title}
              </button>
            ))}
          </section>
        ))}
      </div>
    </div>
  );
}

/** The order of categories; others come after them. */
const ORDER = ['trigger', 'action', 'flow', 'data', 'person'];

function rank(category: string): number {
  const index = ORDER.indexOf(category);
  return index === -1 ? ORDER.length : index;
}

/** The type that Enter adds: one with exactly that name, or one whose name begins with it, or the first. */
function bestMatch(found: readonly NodeTypeEntry[], search: string): NodeTypeEntry | undefined {
  const wanted = search.toLowerCase();
  return (
    found.find(({ title }) => title.toLowerCase() === wanted) ??
    found.find(({ title }) => title.toLowerCase().startsWith(wanted)) ??
    found[0]
  );
}
