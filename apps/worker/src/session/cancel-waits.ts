import { parseJson } from '@deckhand/contracts';
import type { ClaimedExecution, WaitRow } from '@deckhand/db';
import type { CompiledWorkflow } from '@deckhand/engine';
import { cancellingEvents } from '@deckhand/nodes';

/**
 * Returns the waits of a run for the events that stop it (`cancelOn`). They belong to no node. Events count from the
 * acceptance of the run on.
 */
export function cancelWaitsOf(
  { definition: { settings } }: CompiledWorkflow,
  { executionMode, triggerData }: ClaimedExecution,
): WaitRow[] {
  const rules = settings?.cancelOn ?? [];
  if (rules.length === 0 || executionMode === 'sandbox') return [];
  return cancellingEvents(rules, parseJson(triggerData)).map(({ index, name, key }) => ({
    nodeId: '',
    iteration: String(index),
    kind: 'event',
    details: '{}',
    dueAt: null,
    childExecutionId: null,
    eventName: name,
    eventKey: key,
    isCancelled: null,
  }));
}
