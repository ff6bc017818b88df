import type { ExecuteResponse, WorkerCounts } from '@deckhand/contracts';

/** The answer of everything that starts a run: says so when nobody is there to take it. */
export function startedAnswer(executionId: string, workers: WorkerCounts): ExecuteResponse {
  const answer = { message: 'The run is queued', executionId, workers };
  const warning = warningFor(workers);
  return warning === undefined ? answer : { ...answer, warning };
}

function warningFor(workers: WorkerCounts): string | undefined {
  if (workers.live === 0) return 'No worker is running: the run stays pending until one starts';
  if (workers.consuming === 0) return 'No worker takes runs at the moment: the run stays pending until one does';
  return undefined;
}
