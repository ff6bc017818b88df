import { EXECUTION_SOURCES, FINISHED_STATUSES, type ExecutionSource, type FinishedStatus } from '@deckhand/contracts';
import { Counter, type Registry } from 'prom-client';

/** Counts runs where they begin and where they end, in whichever process that is: the sum over processes is true. */
export interface RunCounters {
  /** A run was written down. */
  accepted(source: ExecutionSource): void;
  /** Runs came to their end. */
  finished(status: FinishedStatus, runs?: number): void;
}

/** Adds the counters to a registry. Every label is there from the start, so that the first rise can be seen. */
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
