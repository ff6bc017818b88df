import { EXECUTION_MODES, type ExecutionMode, isJsonObject, parseJson } from '@deckhand/contracts';
import { choice } from '../../../app/search.ts';

/** What a run was started with last. */
export interface LastInput {
  /** As it was typed; undefined if this tab has started none. */
  readonly input: string | undefined;
  readonly mode: ExecutionMode;
}

const placeOf = (workflowId: string): string => `deckhand.input.${workflowId}`;

/** Returns the input of the last run that this tab has started of a workflow. */
export function readLastInput(workflowId: string): LastInput {
  const kept = sessionStorage.getItem(placeOf(workflowId));
  const last = kept === null ? null : parseJson(kept);
  if (!isJsonObject(last) || typeof last.input !== 'string') return { input: undefined, mode: 'normal' };
  return { input: last.input, mode: choice(EXECUTION_MODES, last.mode) ?? 'normal' };
}

/** Keeps the input of a run, in this tab only: it may be confidential. */
export function keepLastInput(workflowId: string, last: LastInput): void {
  try {
    sessionStorage.setItem(placeOf(workflowId), JSON.stringify(last));
  } catch {
    // It is too large for the storage.
  }
}
