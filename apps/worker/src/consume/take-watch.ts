/** Looks without a sign of life from the queue after which nothing is taken from it: 2 s at the worker's pace. */
const SILENT_LOOKS = 8;

/** Tells whether a worker gets work out of the queue, or could: being connected is not enough. */
export interface TakeWatch {
  /** The queue answered: with a job, or that there is none. */
  readonly turned: () => void;
  /** Takes one look; to be called at a steady pace. */
  readonly look: () => void;
  readonly isTaking: () => boolean;
}

/**
 * Creates the watch. Silence is counted in looks and not in time, so that a process that was frozen or late does not take its own
 * absence for the queue's. A worker whose places are all in use asks for nothing: then the queue is probed instead.
 * @param options.isFull whether all its places are in use.
 * @param options.probe asks the queue's connection for any answer; may never settle.
 */
export function createTakeWatch(options: { isFull: () => boolean; probe: () => Promise<unknown> }): TakeWatch {
  let silentLooks = 0;
  let isProbing = false;

  function turned(): void {
    silentLooks = 0;
  }

  function probe(): void {
    isProbing = true;
    options
      .probe()
      .then(turned, () => undefined)
      .finally(() => {
        isProbing = false;
      });
  }

  return {
    turned,
    look: () => {
      silentLooks += 1;
      if (options.isFull() && !isProbing) probe();
    },
    isTaking: () => silentLooks < SILENT_LOOKS,
  };
}
