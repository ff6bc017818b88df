import { Button, Text } from '@mantine/core';
import { ArrowLeftRight, X } from 'lucide-react';
import { createContext, type MouseEvent, type ReactNode, useContext, useMemo, useRef, useState } from 'react';
import type { RunRow } from '../../api/executions.ts';
import { ButtonLink } from '../../components/links.tsx';
import { i18n } from '../../language/i18n.ts';
import classes from './run-list.module.css';

/** The selected runs of a list, by their ids, and what changes them. */
interface Selection {
  readonly runs: ReadonlyMap<string, RunRow>;
  /** Selects or deselects a run. @param isRange also all runs between it and the one that was toggled before. */
  readonly toggle: (run: RunRow, isRange: boolean) => void;
  readonly isAll: boolean;
  /** Selects all loaded runs, or none if all are selected. */
  readonly toggleAll: () => void;
}

/** Columns of a table are stable, so its cells read the selection from here. */
export const SelectionContext = createContext<Selection>({
  runs: new Map(),
  toggle: () => undefined,
  isAll: false,
  toggleAll: () => undefined,
});

/** The runs of a list that are selected; none once the list is another one. @param listKey what it lists */
export function useSelectedRuns(listKey: string) {
  const selecting = useState<ReadonlyMap<string, RunRow>>(new Map());
  const [, setSelected] = selecting;
  const [selectedIn, setSelectedIn] = useState(listKey);
  if (selectedIn !== listKey) {
    setSelectedIn(listKey);
    setSelected(new Map());
  }
  return selecting;
}

/** Returns what the cells of a list use to select its runs. @param rows in the order of the list */
export function useSelection(
  rows: readonly RunRow[],
  [selected, setSelected]: ReturnType<typeof useSelectedRuns>,
): Selection {
  const latest = useRef<string>(undefined);
  return useMemo(
    () => ({
      runs: selected,
      toggle(run, isRange) {
        const isSelected = !selected.has(run.id);
        const range = isRange ? between(rows, latest.current, run.id) : [run];
        latest.current = run.id;
        setSelected((before) => {
          const next = new Map(before);
          for (const one of range) {
            if (isSelected) next.set(one.id, one);
            else next.delete(one.id);
          }
          return next;
        });
      },
      isAll: rows.every(({ id }) => selected.has(id)),
      toggleAll: () =>
        setSelected((before) =>
          rows.every(({ id }) => before.has(id)) ? new Map() : new Map(rows.map((run) => [run.id, run])),
        ),
    }),
    [rows, selected, setSelected],
  );
}

/** Returns the runs from one to another, whichever comes first; the last one alone if the list has not both. */
function between(rows: readonly RunRow[], from: string | undefined, to: string): readonly RunRow[] {
  const [a, b] = [rows.findIndex(({ id }) => id === from), rows.findIndex(({ id }) => id === to)];
  return a < 0 ? rows.slice(b, b + 1) : rows.slice(Math.min(a, b), Math.max(a, b) + 1);
}

/** Selects a run for a bulk action, or for a comparison. A plain input: hundreds of them are drawn while scrolling. */
export function SelectRun({ run }: { run: RunRow }) {
  const { id, workflowName, createdAt } = run;
  const { runs, toggle } = useContext(SelectionContext);
  return (
    <input
      type="checkbox"
      className={classes.select}
      aria-label={
        workflowName === null
          ? i18n.t('Select the run of a deleted workflow from {createdAt}', { createdAt })
          : i18n.t('Select the run of {workflowName} from {createdAt}', { workflowName, createdAt })
      }
      title={i18n.t('Shift and a click select a range')}
      checked={runs.has(id)}
      readOnly
      // The event of a change does not say whether Shift is pressed. The space key clicks, too.
      onClick={({ shiftKey }: MouseEvent) => toggle(run, shiftKey)}
    />
  );
}

/** Selects all runs of the list that are loaded. */
export function SelectAllRuns() {
  const { runs, isAll, toggleAll } = useContext(SelectionContext);
  const isSome = runs.size > 0 && !isAll;
  return (
    <input
      type="checkbox"
      className={classes.select}
      aria-label={i18n.t('Select all loaded runs')}
      checked={isAll}
      ref={(input) => {
        if (input) input.indeterminate = isSome;
      }}
      onChange={toggleAll}
    />
  );
}

/** How many runs are selected, and what can be done with them. Nothing while none is. */
export function SelectionBar({
  selected: [selected, setSelected],
  children,
}: {
  selected: ReturnType<typeof useSelectedRuns>;
  /** Actions on the selected runs. */
  children: ReactNode;
}) {
  if (selected.size === 0) return null;
  return (
    <section className={classes.bar} aria-label={i18n.t('Selected runs')}>
      <Text size="sm" fw={600} role="status">
        {i18n.t('{count} selected', { count: selected.size })}
      </Text>
      {children}
      <CompareSelected runs={[...selected.values()]} />
      <Button
        variant="subtle"
        color="gray"
        size="xs"
        leftSection={<X size={14} aria-hidden />}
        onClick={() => setSelected(new Map())}
      >
        {i18n.t('Clear selection')}
      </Button>
    </section>
  );
}

/** Leads to the comparison of two selected runs of a workflow, the earlier one first; nothing for other selections. */
function CompareSelected({ runs }: { runs: readonly RunRow[] }) {
  const [left, right, third] = [...runs].sort((a, b) => (a.id < b.id ? -1 : 1));
  if (!left || !right || third || left.workflowId !== right.workflowId) return null;
  return (
    <ButtonLink
      variant="default"
      size="xs"
      leftSection={<ArrowLeftRight size={14} aria-hidden />}
      to="/w/$workspaceId/runs/compare"
      params={{ workspaceId: left.workspaceId }}
      search={{ left: left.id, right: right.id }}
    >
      {i18n.t('Compare')}
    </ButtonLink>
  );
}
