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
