/** The floor's queue. */
export const FLOOR_QUEUE = 'floor';

/** What its jobs carry: a run to finish, or what to answer. */
export interface FloorJob {
  readonly runId?: string;
  readonly echo?: unknown;
}
