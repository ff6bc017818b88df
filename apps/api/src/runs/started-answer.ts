import type { ExecuteResponse, WorkerCounts } from '@deckhand/contracts';
import type { StartedRun } from './run-starter.ts';

/** Returns the response to every request that starts a run. It has a warning if no worker can take the run. */
export function startedAnswer(started: StartedRun, workers: WorkerCounts): ExecuteResponse {
  return {
    message: startedMessage(started),
    executionId: started.executionId,
    ...(started.isDebounced === true && { isDebounced: true }),
    ...workersAnswer(workers, started.isDelayed),
  };
}

/** Says what happens to a run that was accepted. */
export function startedMessage({ isDelayed, isDebounced }: Pick<StartedRun, 'isDelayed' | 'isDebounced'>): string {
  if (isDebounced === true) return 'The start was joined with that of an earlier run';
  return isDelayed ? 'The run is accepted and starts later' : 'The run is queued';
}

/** Returns the workers that could take runs, and a warning without any. A run that starts later needs none yet. */
export function workersAnswer(workers: WorkerCounts, isDelayed = false): Pick<ExecuteResponse, 'workers' | 'warning'> {
  const warning = isDelayed ? undefined : warningFor(workers);
  return warning === undefined ? { workers } : { workers, warning };
}

function warningFor(workers: WorkerCounts): string | undefined {
  if (workers.live === 0) return 'No worker is running: the run stays pending until one starts';
  if (workers.consuming === 0) return 'No worker accepts runs at the moment: the run stays pending until one does';
  return undefined;
}
