import type { Execution } from '@deckhand/contracts';
import { useState } from 'react';
import { useLiveRun } from '../../api/follow-run.js';

/** The run that the canvas shows, updated live; none at first. */
export function useShownRun(): {
  readonly executionId: string | undefined;
  readonly run: Execution | undefined;
  readonly show: (executionId: string | undefined) => void;
} {
  const [executionId, show] = useState<string | undefined>();
  const { data: run } = useLiveRun(executionId);
  return { executionId, run: executionId === undefined ? undefined : run, show };
}
