import { ERRORS } from './errors.ts';

/** Codes and messages of `error` for runs that the service ended. Errors of nodes have codes of their own. */
export const RUN_ERRORS = {
  EXECUTION_TIMEOUT: 'the run took longer than its time limit',
  EXPIRED: 'the run did not begin before it expired',
  STOPPED_BY_EVENT: 'an event stopped the run',
  RUN_LOST_TOO_OFTEN: 'the run lost its worker several times without making progress',
  RUN_BLOCKED_WORKER: 'the run kept its worker from running anything else for too long',
  MEMORY_EXCEEDED: 'the run held more data than its worker has memory for',
  UNCAUGHT_ERROR: 'the code of this run threw an error that nothing caught',
  OUTPUT_GONE: 'an output that the run needs is no longer in its store',
  NODE_NOT_REACHED: 'the run did not come to the node that it was to start from',
  VALUE_NOT_STORABLE: 'a value of this run cannot be stored',
  INTERNAL: 'the service could not go on with this run',
  QUEUE_UNAVAILABLE: ERRORS.QUEUE_UNAVAILABLE.message,
  TRIGGER_DATA_GONE: ERRORS.TRIGGER_DATA_GONE.message,
} as const;

export type RunErrorCode = keyof typeof RUN_ERRORS;

/** A run's error as the API shows it. */
export interface RunError {
  readonly message: string;
  /** The node that failed; null if it was the run as a whole. */
  readonly nodeId: string | null;
  readonly code: string;
}

/** Returns the error of a run that the service ended. */
export function runError(code: RunErrorCode): RunError {
  return { message: RUN_ERRORS[code], nodeId: null, code };
}
