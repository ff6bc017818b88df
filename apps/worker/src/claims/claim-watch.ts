/** Looks without an answer after which none is expected soon: 2 s at the worker's pace. */
const UNANSWERED_LOOKS = 8;

/** Tells whether the database answers what claims runs: a worker that cannot claim must leave jobs to those that can. */
export interface ClaimWatch {
  /** Watches one try to claim a run, or what it needs on its way to that. That the database is away is no answer. */
  watch<T>(claim: () => Promise<T>): Promise<T>;
  /** Takes one look; to be called at a steady pace. */
  look(): void;
  isAnswered(): boolean;
}

/** Creates the watch, which counts looks for the same reason as that of takes. */
export function createClaimWatch(isUnavailable: (error: unknown) => boolean): ClaimWatch {
  let underWay = 0;
  let isAway = false;
  let unansweredLooks = 0;
  return {
    async watch(claim) {
      underWay += 1;
      try {
        const answer = await claim();
        isAway = false;
        return answer;
      } catch (error) {
        isAway = isUnavailable(error);
        throw error;
      } finally {
        underWay -= 1;
        if (!isAway) unansweredLooks = 0;
      }
    },
    look() {
      unansweredLooks = underWay > 0 || isAway ? unansweredLooks + 1 : 0;
    },
    isAnswered: () => unansweredLooks < UNANSWERED_LOOKS,
  };
}
