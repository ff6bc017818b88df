/** The floor's queue. */
export const FLOOR_QUEUE = 'floor';

/** The data of its jobs: a run to finish, or a response. */
export interface FloorJob {
  readonly runId?: string;
  readonly echo?: unknown;
}
