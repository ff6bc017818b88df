import { type Database, respondToCaller } from '@deckhand/db';
import type { CallerResponses } from '@deckhand/engine';
import type { RunChange } from '@deckhand/queue';

/** Creates the responses to callers. A notification that is lost is made up for: gateways also poll the database. */
export function createCallerResponses({
  db,
  announce,
  retry,
}: {
  db: Database;
  announce: (change: RunChange) => void;
  /** Repeats a write while the database is unavailable. */
  retry: <T>(what: string, act: () => Promise<T>) => Promise<T>;
}): CallerResponses {
  return {
    async send({ executionId, nodeId, iteration, ...response }) {
      const responseJson = JSON.stringify(response);
      const verdict = await retry('response', () =>
        respondToCaller(db, { executionId, nodeId, iteration, responseJson }),
      );
      // Also of a repeated one: the worker that sent it may have died before it could announce it.
      if (verdict === 'responded') announce({ executionId, hasResponse: true });
      return verdict;
    },
  };
}
