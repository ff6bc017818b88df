import type { ExecutionMode } from '@deckhand/contracts';

/** Version of the job's shape. A worker leaves jobs of a version that it does not know to others. */
export const JOB_VERSION = 2;

/** A run to be taken by a worker: a claim succeeds only for the run's present dispatch. */
export interface RunJob {
  readonly executionId: string;
  readonly dispatch: number;
  /** Where it is, the worker need not read the run; earlier workers do nevertheless. */
  readonly carried?: CarriedRun | undefined;
}

/** A run as it was accepted, for whoever begins it. The database's word counts: the claim is refused if the run is not as this says. */
export interface CarriedRun {
  readonly workspaceId: string;
  readonly workflowId: string;
  readonly workflowVersionId: string;
  readonly executionMode: ExecutionMode;
  readonly triggerNodeId: string;
  /** Serialised JSON. */
  readonly triggerData: string;
  /** ms since the epoch. */
  readonly deadlineAt: number;
  /** When it was queued, in ms since the epoch. */
  readonly queuedAt: number;
  readonly traceParent: string | null;
}

/** A run to be queued, in the turn of its workspace. */
export interface QueuedRun extends RunJob {
  readonly workspaceId: string;
}

/** What stands in the queue: runs that were queued together, of one workspace. */
export interface RunJobData {
  readonly version: number;
  readonly runs: readonly RunJob[];
}

/** What stood in the queue in version 1: one run a job. */
interface RunJobDataV1 extends RunJob {
  readonly version: 1;
}

/** The runs of a job, of this version or an older one; undefined for a newer one. */
export function runsOfJob(data: RunJobData | RunJobDataV1): readonly RunJob[] | undefined {
  if ('executionId' in data) return [{ executionId: data.executionId, dispatch: data.dispatch }];
  return data.version === JOB_VERSION ? data.runs : undefined;
}

/** One name for a run and dispatch, so that queueing it twice is harmless and its absence can be seen. */
export function nameOfRun(run: RunJob): string {
  return `${run.executionId}-${run.dispatch}`;
}
