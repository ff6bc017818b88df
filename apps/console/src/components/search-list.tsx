import { TextInput } from '@mantine/core';
import { type LucideIcon, Search } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { i18n } from '../language/i18n.ts';
import classes from './search-list.module.css';

/** An entry that a search finds. */
export interface Choice {
  readonly key: string;
  readonly label: string;
  /** A line about it. */
  readonly detail?: string | undefined;
  /** At the end of its line. */
  readonly hint?: ReactNode;
  readonly Icon?: LucideIcon | undefined;
  readonly onPick: () => void;
}

/** Entries under a heading. */
export interface ChoiceGroup {
  readonly label: string;
  readonly choices: readonly Choice[];
}

/** A search field, and the list of what it finds: the arrow keys move in it, and Enter picks. */
export function SearchList({
  label,
  placeholder,
  search,
  onSearch,
  groups,
  empty,
}: {
  label: string;
  placeholder: string;
  search: string;
  onSearch: (search: string) => void;
  groups: readonly ChoiceGroup[];
  /** Shown if there is no entry. */
  empty: ReactNode;
}) {
  const id = useId();
  const [marked, setMarked] = useState(0);
  const current = useRef<HTMLDivElement>(null);
  const choices = groups.flatMap((group) => group.choices);
  const at = Math.min(marked, choices.length - 1);
  useEffect(() => {
    // Newer browsers return a promise, which an effect must not.
    current.current?.scrollIntoView({ block: 'nearest' });
  }, [at, search]);
  const idOf = (index: number): string => `${id}-${index}`;
  const onKeyDown = (event: KeyboardEvent): void => {
    // Keys that choose a character of another script, and those that run the workflow.
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return;
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Enter: at }[event.key];
    if (next === undefined || choices.length === 0) return;
    event.preventDefault();
    if (event.key === 'Enter') choices[at]?.onPick();
    else setMarked((next + choices.length) % choices.length);
  };
  return (
    <>
      <TextInput
        aria-label={label}
        placeholder={placeholder}
        data-autofocus
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={choices.length > 0}
        aria-controls={id}
        aria-activedescendant={choices.length > 0 ? idOf(at) : undefined}
        autoComplete="off"
        spellCheck={false}
        leftSection={<Search size={16} aria-hidden />}
        value={search}
        onChange={(event) => {
          setMarked(0);
          onSearch(event.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={id} role="listbox" aria-label={i18n.t('{label}: results', { label })} className={classes.list}>
        {groups.map((group) => (
          <div key={group.label} role="group" aria-label={group.label}>
            <div className={classes.group} aria-hidden>
              {group.label}
            </div>
            {group.choices.map((choice) => {
              const { key, label: name, detail, hint, Icon, onPick } = choice;
              const own = choices.indexOf(choice);
              return (
                <div
                  key={key}
                  ref={own === at ? current : undefined}
                  id={idOf(own)}
                  role="option"
                  aria-selected={own === at}
                  className={classes.choice}
                  // The focus stays in the field.
                  onMouseDown={(event) => event.preventDefault()}
                  onMouseMove={() => setMarked(own)}
                  onClick={onPick}
                >
                  {Icon && <Icon size={16} aria-hidden />}
                  <span className={classes.words}>
                    <span>{name}</span>
                    {detail !== undefined && <span className={classes.detail}>{detail}</span>}
                  </span>
                  {hint !== undefined && <span className={classes.hint}>{hint}</span>}
                </div>
              );
            })}
          </div>
        ))}
      </div>
      {choices.length === 0 && (
        <div className={classes.empty} role="status">
          {empty}
        </div>
      )}
    </>
  );
}
