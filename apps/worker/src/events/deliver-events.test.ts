import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AttemptResult, LaneRequest, LeasedLane, TakenDelivery, TakenLane } from '@deckhand/db';
import { createLogger } from '@deckhand/runtime';
import { createEventDeliverer } from './deliver-events.ts';

const ignore = (): void => undefined;
const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function settle(): Promise<void> {
  for (let n = 0; n < 8; n += 1) await nextTick();
}

function toDelivery(id: string, endpointId: string): TakenDelivery {
  return {
    id,
    endpointId,
    workspaceId: 'w',
    type: 'run.started',
    workflowId: null,
    executionId: null,
    nodeId: null,
    iteration: null,
    revision: null,
    occurredAt: new Date(0),
    attempt: 1,
    url: 'http://receiver.test/',
    sealedSecrets: [],
    hasFailures: false,
  };
}

function laneOf(endpointId: string, ids: readonly string[], members: Partial<TakenLane> = {}): TakenLane {
  const deliveries = ids.map((id) => toDelivery(id, endpointId));
  return { endpointId, isFailing: false, maxInProgress: 32, deliveries, hasBlocked: false, ...members };
}

const numbers = (count: number): string[] => Array.from({ length: count }, (_, n) => String(n + 1));

/** Creates a deliverer that leases the lanes and takes the queued deliveries; the test ends their attempts. */
function setUp(leased: readonly Partial<LeasedLane>[] = [{ endpointId: 'a' }]) {
  const queue: (TakenLane[] | Promise<TakenLane[]>)[] = [];
  const requests: (readonly LaneRequest[])[] = [];
  const recorded: string[] = [];
  const releases: number[] = [];
  const aborted: string[] = [];
  const ends = new Map<string, (result: Partial<AttemptResult>) => void>();
  const deliverer = createEventDeliverer({
    store: {
      lease: () =>
        Promise.resolve(leased.map((lane) => ({ endpointId: '', leftMs: 30_000, isFailing: false, ...lane }))),
      take(lanes) {
        requests.push(lanes);
        return Promise.resolve(queue.shift() ?? []);
      },
      record(results) {
        recorded.push(...results.map(({ delivery }) => delivery.id));
        return Promise.resolve([]);
      },
      release() {
        releases.push(recorded.length);
        return Promise.resolve();
      },
    },
    send: (delivery, signal) =>
      new Promise((resolve) => {
        const attempt = { at: new Date(0).toISOString(), status: 200, durationMs: 1, error: null };
        const base = { delivery, attempt, retryInMs: 0, throttleMs: 0 };
        ends.set(delivery.id, (result) => resolve({ ...base, outcome: 'delivered', ...result }));
        signal.addEventListener('abort', () => {
          aborted.push(delivery.id);
          resolve({ ...base, outcome: 'retry' });
        });
      }),
    metrics: { attempted: ignore, disabled: ignore, backlog: ignore },
    logger: createLogger({ name: 'test', level: 'silent' }),
  });
  const end = async (ids: readonly string[], result: Partial<AttemptResult> = {}): Promise<void> => {
    for (const id of ids) ends.get(id)?.(result);
    await settle();
  };
  return { deliverer, queue, requests, recorded, releases, aborted, end, begun: () => [...ends.keys()] };
}

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
});
afterEach(() => {
  jest.useRealTimers();
});

describe('the delivery of events', () => {
  it('does not wait for attempts, and names those that it holds when it takes more', async () => {
    const { deliverer, queue, requests, recorded, end } = setUp();
    queue.push([laneOf('a', ['1', '2'])]);
    await deliverer.poll();
    await deliverer.poll();
    expect(requests).toEqual([
      [{ endpointId: 'a', room: 256, held: [] }],
      [{ endpointId: 'a', room: 254, held: ['1', '2'] }],
    ]);
    await end(['2']);
    expect(recorded).toEqual([]);
    await deliverer.poll();
    expect(requests[2]).toEqual([{ endpointId: 'a', room: 255, held: ['1', '2'] }]);
    await jest.advanceTimersByTimeAsync(100);
    expect(recorded).toEqual(['2']);
    await deliverer.poll();
    expect(requests[3]).toMatchObject([{ held: ['1'] }]);
  });

  it('has as many attempts of a lane in progress as it may, and takes more before all are over', async () => {
    const { deliverer, queue, requests, begun, end } = setUp();
    queue.push([laneOf('a', numbers(256), { maxInProgress: 8 })]);
    await deliverer.poll();
    expect(begun()).toEqual(numbers(8));
    await end(numbers(8));
    expect(begun()).toHaveLength(16);
    for (let n = 8; n < 192; n += 8) await end(numbers(256).slice(n, n + 8));
    await jest.advanceTimersByTimeAsync(0);
    expect(requests).toHaveLength(2);
    expect(requests[1]).toMatchObject([{ endpointId: 'a', room: 192 }]);
  });

  it('takes the next event of a run once the attempt of the one before is recorded, without a poll', async () => {
    const { deliverer, queue, recorded, begun, end } = setUp();
    queue.push([laneOf('a', ['1'], { hasBlocked: true })]);
    // While the first attempt is not recorded, a take finds the second event blocked.
    queue.push([laneOf('a', [], { hasBlocked: true })], [laneOf('a', ['2'])]);
    await deliverer.poll();
    await deliverer.poll();
    await end(['1']);
    await jest.advanceTimersByTimeAsync(200);
    expect([recorded, begun()]).toEqual([['1'], ['1', '2']]);
  });

  it('takes it also if the attempt before is recorded during the take that finds the event blocked', async () => {
    const { deliverer, queue, requests, recorded, begun, end } = setUp();
    queue.push([laneOf('a', ['1'])]);
    await deliverer.poll();
    await end(['1']);
    const found = Promise.withResolvers<TakenLane[]>();
    queue.push(found.promise, [laneOf('a', ['2'])]);
    await jest.advanceTimersByTimeAsync(100);
    expect([requests.length, recorded]).toEqual([2, ['1']]);
    found.resolve([laneOf('a', [], { hasBlocked: true })]);
    await settle();
    await jest.advanceTimersByTimeAsync(100);
    expect(begun()).toEqual(['1', '2']);
  });

  it('gives endpoints that fail one attempt at each poll, and 32 in all', async () => {
    const names = numbers(40);
    const { deliverer, queue, requests, begun, end } = setUp(
      names.map((endpointId) => ({ endpointId, isFailing: true })),
    );
    queue.push(names.slice(0, 32).map((name) => laneOf(name, [name], { isFailing: true, maxInProgress: 1 })));
    await deliverer.poll();
    expect(requests[0]).toHaveLength(32);
    expect(begun()).toHaveLength(32);
    await end(['1']);
    await jest.advanceTimersByTimeAsync(200);
    expect(requests).toHaveLength(1);
    await deliverer.poll();
    // Those that have waited longest come first.
    expect(requests[1]?.map(({ endpointId }) => endpointId)).toEqual(['33']);
  });

  it.each([
    ['has failed five times in a row', numbers(5), { outcome: 'retry' }],
    ['is gone', ['1'], { outcome: 'gone' }],
    ['asks for a pause', ['1'], { outcome: 'retry', throttleMs: 1_000 }],
  ] as const)('drops what it has taken for an endpoint that %s', async (_, ids, result) => {
    const { deliverer, queue, requests, begun, end } = setUp();
    queue.push([laneOf('a', numbers(100))]);
    await deliverer.poll();
    for (const id of ids) await end([id], result);
    const count = begun().length;
    expect(count).toBeLessThan(40);
    await end(begun());
    await jest.advanceTimersByTimeAsync(200);
    expect([begun().length, requests.length]).toEqual([count, 1]);
    await deliverer.poll();
    expect(requests[1]).toMatchObject([{ room: 256, held: [] }]);
  });

  it('begins no attempt that may outlast the lease', async () => {
    const { deliverer, queue, begun, end } = setUp([{ endpointId: 'a', leftMs: 18_000 }]);
    queue.push([laneOf('a', numbers(100), { maxInProgress: 1 })]);
    await deliverer.poll();
    await end(['1']);
    expect(begun()).toEqual(['1', '2']);
    await jest.advanceTimersByTimeAsync(2_500);
    await end(['2']);
    expect(begun()).toEqual(['1', '2']);
  });

  it('leaves the lanes to others once it polls no more and its attempts are recorded', async () => {
    const { deliverer, queue, releases, begun, end } = setUp();
    queue.push([laneOf('a', numbers(10), { maxInProgress: 1 })]);
    await deliverer.poll();
    await jest.advanceTimersByTimeAsync(3_000);
    expect(releases).toEqual([]);
    await end(['1']);
    await jest.advanceTimersByTimeAsync(100);
    await settle();
    expect([releases, begun()]).toEqual([[1], ['1']]);
  });

  it('records nothing of an attempt that the end of the process broke off, and then releases the lanes', async () => {
    const { deliverer, queue, requests, recorded, releases, end } = setUp();
    queue.push([laneOf('a', ['1', '2'])], [laneOf('a', ['3'])]);
    await deliverer.poll();
    const stopped = deliverer.stop(200);
    await end(['1']);
    await jest.advanceTimersByTimeAsync(200);
    await stopped;
    await deliverer.poll();
    expect([recorded, releases]).toEqual([['1'], [1]]);
    expect(requests).toHaveLength(1);
  });

  it('breaks off attempts after the grace period, also while a statement takes longer', async () => {
    const { deliverer, queue, aborted } = setUp();
    queue.push([laneOf('a', ['1'])]);
    await deliverer.poll();
    const slow = Promise.withResolvers<TakenLane[]>();
    queue.push(slow.promise);
    const polled = deliverer.poll();
    await settle();
    const stopped = deliverer.stop(200);
    await jest.advanceTimersByTimeAsync(200);
    expect(aborted).toEqual(['1']);
    slow.resolve([laneOf('a', ['2'])]);
    await Promise.all([polled, stopped]);
    expect(aborted).toEqual(['1']);
  });
});
