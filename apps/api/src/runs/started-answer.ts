import type { ExecuteResponse, WorkerCounts } from '@deckhand/contracts';

/** Returns the response to every request that starts a run. It has a warning if no worker can take the run. */
export function startedAnswer(executionId: string, workers: WorkerCounts): ExecuteResponse {
  const answer = { message: 'The run is queued', executionId, workers };
  const warning = warningFor(workers);
  return warning === undefined ? answer : { ...answer, warning };
}

function warningFor(workers: WorkerCounts): string | undefined {
  if (workers.live === 0) return 'No worker is running: the run stays pending until one starts';
  if (workers.consuming === 0) return 'No worker accepts runs at the moment: the run stays pending until one does';
  return undefined;
}
