import type { QueueState, WorkerEntry } from '@deckhand/contracts';
import type { WorkerStateName } from './worker-state.tsx';

/** A live worker, or one that was live while the page was open. */
export type SeenWorker = Omit<WorkerEntry, 'state'> & { readonly state: WorkerStateName };

/** The state of the queue at a time. */
export interface QueueSample {
  /** Unix time in ms. */
  readonly at: number;
  readonly waiting: number;
  readonly oldestWaitingSeconds: number;
}

/** The history of the fleet since the page was opened. */
export interface Seen {
  readonly workers: readonly SeenWorker[];
  readonly samples: readonly QueueSample[];
}

/** Maximum number of samples: ten minutes. */
export const MAX_SAMPLES = 300;
/** How long a worker is shown after it is gone, in ms. */
const GONE_MS = 10 * 60_000;

/** The part of the fleet's response that only administrators get. */
export interface FleetDetails {
  readonly data: readonly WorkerEntry[];
  readonly queue: QueueState;
}

/** Adds a response to the history. */
export function addSample(before: Seen, { data, queue }: FleetDetails, at: number): Seen {
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
