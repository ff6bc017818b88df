/** Looks without an answer to a claim after which none is expected soon: 2 s at the worker's pace. */
const UNANSWERED_LOOKS = 8;

/** Tells whether the database answers claims: a worker that cannot claim must leave jobs to those that can. */
export interface ClaimWatch {
  /** Watches a claim until it is answered. */
  watch<T>(claim: () => Promise<T>): Promise<T>;
  /** Takes one look; to be called at a steady pace. */
  look(): void;
  isAnswered(): boolean;
}

/** Creates the watch, which counts looks for the same reason as that of takes. */
export function createClaimWatch(): ClaimWatch {
  let underWay = 0;
  let unansweredLooks = 0;
  return {
    async watch(claim) {
      underWay += 1;
      try {
        return await claim();
      } finally {
        underWay -= 1;
        unansweredLooks = 0;
      }
    },
    look() {
      unansweredLooks = underWay > 0 ? unansweredLooks + 1 : 0;
    },
    isAnswered: () => unansweredLooks < UNANSWERED_LOOKS,
  };
}
