import type { StartLimits } from '@deckhand/db';
import { createInputChecker, createSchemaChecker, withWorkflowKey } from '@deckhand/nodes';

/** The limits of starts in workspaces without a limit of runs per minute. */
export const UNCOUNTED: StartLimits = {
  checkInput: createInputChecker(createSchemaChecker()),
  addKey: withWorkflowKey,
  count: () => Promise.reject(new Error('a run is counted without a limit')),
};

/** Limits that count runs. `counts` has what was counted; `isBeyond` decides whether the next one is too many. */
export function countingLimits(isBeyond: () => boolean = () => false) {
  const counts: { readonly workspaceId: string; readonly max: number }[] = [];
  const limits: StartLimits = {
    ...UNCOUNTED,
    count: (workspaceId, max) => {
      counts.push({ workspaceId, max });
      return Promise.resolve({ isBeyond: isBeyond(), max, windowSeconds: 60, remaining: 0, resetSeconds: 60 });
    },
  };
  return { limits, counts };
}
