import { Checkbox } from '@mantine/core';
import { createContext, useContext } from 'react';
import type { RunRow } from '../../api/executions.ts';
import { i18n } from '../../language/i18n.ts';

/** The selected runs of a list, by their ids. */
interface Selection {
  readonly runs: ReadonlyMap<string, RunRow>;
  readonly toggle: (run: RunRow) => void;
}

/** Columns of a table are stable, so its cells read the selection from here. */
export const SelectionContext = createContext<Selection>({ runs: new Map(), toggle: () => undefined });

/** Selects a run for a bulk action, or for a comparison. */
export function SelectRun({ run }: { run: RunRow }) {
  const { id, workflowName, createdAt } = run;
  const { runs, toggle } = useContext(SelectionContext);
  return (
    <Checkbox
      aria-label={
        workflowName === null
          ? i18n.t('Select the run of a deleted workflow from {createdAt}', { createdAt })
          : i18n.t('Select the run of {workflowName} from {createdAt}', { workflowName, createdAt })
      }
      checked={runs.has(id)}
      onChange={() => toggle(run)}
    />
  );
}
