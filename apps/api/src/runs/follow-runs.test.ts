import { createDatabase, type FollowedState } from '@deckhand/db';
import { isFinished } from '@deckhand/contracts';
import { createLogger } from '@deckhand/runtime';
import { expect, it } from '@jest/globals';
import {
  createRunFollower,
  nextSubscription,
  type SubscriptionEvent,
  type SubscriptionState,
  type SubscriptionStep,
} from './follow-runs.ts';

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

const RUNNING: FollowedState = { status: 'running', revision: 1, hasResponse: false };
const ENDED: FollowedState = { status: 'success', revision: 2, hasResponse: false };
const isEnough = ({ status }: FollowedState): boolean => isFinished(status);
const idle = (unseen?: FollowedState): SubscriptionState => ({ kind: 'idle', unseen });
const waiting = (unseen?: FollowedState): SubscriptionState => ({ kind: 'waiting', isEnough, unseen });
const reported = (state: FollowedState): SubscriptionEvent => ({ kind: 'reported', state });

it.each<{
  readonly title: string;
  readonly before: SubscriptionState;
  readonly event: SubscriptionEvent;
  readonly step: SubscriptionStep;
}>([
  { title: 'keeps a state', before: idle(), event: reported(ENDED), step: { next: idle(ENDED) } },
  {
    title: 'waits for more than the present state',
    before: idle(RUNNING),
    event: { kind: 'waitBegan', isEnough },
    step: { next: waiting(RUNNING) },
  },
  {
    title: 'does not wait for a state that it kept',
    before: idle(ENDED),
    event: { kind: 'waitBegan', isEnough },
    step: { next: idle(), result: true },
  },
  {
    title: 'goes on waiting after a state that is not enough',
    before: waiting(),
    event: reported(RUNNING),
    step: { next: waiting(RUNNING) },
  },
  {
    title: 'ends a wait with a state that is enough, and does not keep it',
    before: waiting(RUNNING),
    event: reported(ENDED),
    step: { next: idle(), result: true },
  },
  {
    title: 'ends a wait without such a state, and keeps the last one for the next wait',
    before: waiting(RUNNING),
    event: { kind: 'waitEnded' },
    step: { next: idle(RUNNING), result: false },
  },
  { title: 'ends no wait between two', before: idle(ENDED), event: { kind: 'waitEnded' }, step: { next: idle(ENDED) } },
])('a subscription $title', ({ before, event, step }) => {
  expect(nextSubscription(before, event)).toEqual(step);
});
