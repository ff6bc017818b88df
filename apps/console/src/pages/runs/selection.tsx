import type { ExecutionEntry } from '@deckhand/contracts';
import { Checkbox } from '@mantine/core';
import { createContext, useContext } from 'react';

/** The selected runs of a list, by their ids. */
interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
}

/** Columns of a table are stable, so its cells read the selection from here. */
export const SelectionContext = createContext<Selection>({ ids: new Set(), toggle: () => undefined });

/** Selects a run for a bulk action. */
export function SelectRun({ run: { id, workflowName, createdAt } }: { run: ExecutionEntry }) {
  const { ids, toggle } = useContext(SelectionContext);
  return (
    <Checkbox
      aria-label={`Select the run of ${workflowName ?? 'a deleted workflow'} from ${createdAt}`}
      checked={ids.has(id)}
      onChange={() => toggle(id)}
    />
  );
}
