import { EXECUTION_SOURCES, FINISHED_STATUSES, type ExecutionSource, type FinishedStatus } from '@deckhand/contracts';
import { Counter, type Registry } from 'prom-client';

/** Counts runs where they begin and end, in whichever process: the sum over all processes is correct. */
export interface RunCounters {
  /** Counts a run that was accepted. */
  accepted(source: ExecutionSource): void;
  /** Counts runs that finished. */
  finished(status: FinishedStatus, runs?: number): void;
}

/** Adds the counters to a registry. Every label exists from the start, so that the first increase is visible. */
export function createRunCounters(registry: Registry): RunCounters {
  const accepted = new Counter({
    name: 'deckhand_runs_accepted_total',
    help: 'Runs that were written down, by what started them',
    labelNames: ['source'],
    registers: [registry],
  });
  const finished = new Counter({
    name: 'deckhand_runs_finished_total',
    help: 'Runs that came to their end, by how',
    labelNames: ['status'],
    registers: [registry],
  });
  for (const source of EXECUTION_SOURCES) accepted.inc({ source }, 0);
  for (const status of FINISHED_STATUSES) finished.inc({ status }, 0);
  return {
    accepted: (source) => accepted.inc({ source }),
    finished: (status, runs = 1) => finished.inc({ status }, runs),
  };
}
