import { createDatabase } from '@deckhand/db';
import { isFinished } from '@deckhand/contracts';
import { createLogger } from '@deckhand/runtime';
import { expect, it } from '@jest/globals';
import { createRunFollower } from './follow-runs.ts';

it('a subscription reports changes between two waits, and each only once', async () => {
  // No database listens there: changes are reported by notifications alone.
  const db = createDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', poolSize: 1 });
  const follower = createRunFollower({ db, logger: createLogger({ name: 'test', level: 'silent' }) });
  const subscription = follower.subscribe('r', { isNew: true });
  const { signal } = new AbortController();
  const untilEnd = (timeoutMs: number) => subscription.until(({ status }) => isFinished(status), { timeoutMs, signal });
  follower.notify([{ executionId: 'r', ended: 'success' }]);
  expect(await untilEnd(60_000)).toBe(true);
  expect(await untilEnd(1)).toBe(false);
  const waiting = untilEnd(60_000);
  follower.notify([{ executionId: 'r', ended: 'success' }]);
  expect(await waiting).toBe(true);

  expect(follower.size()).toBe(1);
  subscription.close();
  expect(follower.size()).toBe(0);
  follower.close();
  await db.$disconnect();
});
