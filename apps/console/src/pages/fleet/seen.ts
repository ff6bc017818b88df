import type { QueueState, WorkerEntry } from '@deckhand/contracts';
import type { WorkerStateName } from './worker-state.js';

/** A worker that is live, or was while the page was open. */
export type SeenWorker = Omit<WorkerEntry, 'state'> & { readonly state: WorkerStateName };

/** The state of the queue at a moment. */
export interface QueueSample {
  /** Unix time in ms. */
  readonly at: number;
  readonly waiting: number;
  readonly oldestWaitingSeconds: number;
}

/** What the page has seen of the fleet since it was opened. */
export interface Seen {
  readonly workers: readonly SeenWorker[];
  readonly samples: readonly QueueSample[];
}

/** As many samples as are kept: ten minutes of them. */
export const MAX_SAMPLES = 300;
/** For how long a worker that is gone is still shown, in ms. */
const GONE_MS = 10 * 60_000;

/** What administrators are told of the workers and the queue. */
export interface FleetDetails {
  readonly data: readonly WorkerEntry[];
  readonly queue: QueueState;
}

/** Adds an answer to what was seen before. */
export function look(before: Seen, { data, queue }: FleetDetails, at: number): Seen {
  const live = new Set(data.map(({ id }) => id));
  const gone = before.workers
    .filter(({ id, lastSeenAt }) => !live.has(id) && at - Date.parse(lastSeenAt) < GONE_MS)
    .map((worker): SeenWorker => ({ ...worker, state: 'gone', active: 0 }));
  const { waiting, oldestWaitingSeconds } = queue;
  return {
    workers: [...data, ...gone],
    samples: [...before.samples, { at, waiting, oldestWaitingSeconds }].slice(-MAX_SAMPLES),
  };
}
