import { createDatabase } from '@deckhand/db';
import { isFinished } from '@deckhand/contracts';
import { createLogger } from '@deckhand/runtime';
import { expect, it } from '@jest/globals';
import { createRunFollower } from './follow-runs.js';

it('a run that is watched tells what came between two waits, and nothing twice', async () => {
  // Nobody answers there: what is told here comes by hints alone.
  const db = createDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', poolSize: 1 });
  const follower = createRunFollower({ db, logger: createLogger({ name: 'test', level: 'silent' }) });
  const watched = follower.watch('r', { isNew: true });
  const { signal } = new AbortController();
  const untilEnd = (timeoutMs: number) => watched.until(({ status }) => isFinished(status), { timeoutMs, signal });
  follower.hint([{ executionId: 'r', ended: 'success' }]);
  expect(await untilEnd(60_000)).toBe(true);
  expect(await untilEnd(1)).toBe(false);
  const waiting = untilEnd(60_000);
  follower.hint([{ executionId: 'r', ended: 'success' }]);
  expect(await waiting).toBe(true);

  expect(follower.size()).toBe(1);
  watched.close();
  expect(follower.size()).toBe(0);
  follower.close();
  await db.$disconnect();
});
