import type { ExecutionMode } from '@deckhand/contracts';

/** A run in a job. A claim succeeds only for the run's current dispatch. */
export interface RunJob {
  readonly executionId: string;
  readonly dispatch: number;
  /** What the worker needs to start the run without reading it first. */
  readonly snapshot?: RunSnapshot | undefined;
}

/** A run as it was accepted. The database decides: the claim is refused if the run differs from its snapshot. */
export interface RunSnapshot {
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
  /** Whether a caller waits for the result: then the notification of the end has it. */
  readonly isAwaited?: boolean | undefined;
}

/** A run to be queued in the fair order of workspaces. */
export interface QueuedRun extends RunJob {
  readonly workspaceId: string;
  /** Orders the runs of a workspace: the higher the earlier. 0 without one. */
  readonly priority?: number | null | undefined;
}

/** Returns a name for a run and dispatch: queueing it twice is harmless, and a missing job can be detected. */
export function nameOfRun({ executionId, dispatch }: RunJob): string {
  return `${executionId}-${dispatch}`;
}

/**
 * Version of a job's JSON form. Workers of different versions share one queue: every version must read the form of the
 * one before, and a change that older workers would misread raises the number, so that they leave such jobs to others.
 */
export const JOB_VERSION = 2;

/** The JSON form of a job: runs of one workspace that were queued together. */
export interface JobData {
  readonly version: number;
  readonly runs: readonly StoredRun[];
}

/** `carried` is the snapshot's name in the form: renaming it would hide snapshots from workers of other versions. */
interface StoredRun {
  readonly executionId: string;
  readonly dispatch: number;
  readonly carried?: RunSnapshot | undefined;
}

/** Version 1 had one run per job. */
interface JobDataV1 extends StoredRun {
  readonly version: 1;
}

/** Writes the current form. */
export function writeJob(runs: readonly RunJob[]): JobData {
  return { version: JOB_VERSION, runs: runs.map(writeRun) };
}

/** Returns a job's runs, or undefined when its version is newer than this one. */
export function readJob(data: JobData | JobDataV1): readonly RunJob[] | undefined {
  if ('executionId' in data) return [readRun(data)];
  return data.version === JOB_VERSION ? data.runs.map(readRun) : undefined;
}

function writeRun({ executionId, dispatch, snapshot }: RunJob): StoredRun {
  return snapshot ? { executionId, dispatch, carried: snapshot } : { executionId, dispatch };
}

function readRun({ executionId, dispatch, carried }: StoredRun): RunJob {
  return carried ? { executionId, dispatch, snapshot: carried } : { executionId, dispatch };
}
