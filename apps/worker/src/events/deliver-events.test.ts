import { describe, expect, it } from '@jest/globals';
import type { AttemptResult, TakenDelivery, TakeRequest } from '@deckhand/db';
import { createLogger } from '@deckhand/runtime';
import { createEventDeliverer } from './deliver-events.js';

const ignore = (): void => undefined;
const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function toDelivery(id: string, endpointId: string, isFailing = false): TakenDelivery {
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
    isFailing,
    hasFailures: isFailing,
  };
}

function resultOf(delivery: TakenDelivery, outcome: AttemptResult['outcome'] = 'delivered'): AttemptResult {
  const attempt = { at: new Date(0).toISOString(), status: 200, durationMs: 1, error: null };
  return { delivery, attempt, outcome, retryInMs: 0, throttleMs: 0 };
}

/** Creates a deliverer that takes the queued deliveries; the test ends their attempts. */
function setUp() {
  const queue: TakenDelivery[][] = [];
  const requests: (Omit<TakeRequest, 'inProgress'> & { inProgress: Record<string, number> })[] = [];
  const recorded: string[] = [];
  const ends = new Map<string, (outcome?: AttemptResult['outcome']) => void>();
  const deliverer = createEventDeliverer({
    store: {
      take(request) {
        requests.push({ ...request, inProgress: Object.fromEntries(request.inProgress) });
        return Promise.resolve(queue.shift() ?? []);
      },
      record(results) {
        recorded.push(...results.map(({ delivery }) => delivery.id));
        return Promise.resolve([]);
      },
    },
    send: (delivery, signal) =>
      new Promise((resolve) => {
        ends.set(delivery.id, (outcome) => resolve(resultOf(delivery, outcome)));
        signal.addEventListener('abort', () => resolve(resultOf(delivery, 'retry')));
      }),
    metrics: { attempted: ignore, disabled: ignore, backlog: ignore },
    logger: createLogger({ name: 'test', level: 'silent' }),
  });
  const end = async (id: string): Promise<void> => {
    ends.get(id)?.();
    await nextTick();
    await nextTick();
  };
  return { deliverer, queue, requests, recorded, end };
}

describe('the delivery of events', () => {
  it('does not wait for attempts, and says which are in progress when it takes more', async () => {
    const { deliverer, queue, requests, recorded, end } = setUp();
    queue.push([toDelivery('1', 'a'), toDelivery('2', 'a'), toDelivery('3', 'b', true)]);
    await deliverer.poll();
    await deliverer.poll();
    expect(requests[1]).toMatchObject({ inProgress: { a: 2, b: 1 }, room: 254, failingRoom: 31 });
    expect(recorded).toEqual([]);
    await end('2');
    expect(recorded).toEqual(['2']);
  });

  it('takes more at once while there are due ones, but none of failing endpoints', async () => {
    const { deliverer, queue, requests, end } = setUp();
    queue.push([toDelivery('1', 'a')], [toDelivery('2', 'a')]);
    await deliverer.poll();
    await end('1');
    await end('2');
    await end('none');
    expect(requests.map(({ failingRoom }) => failingRoom)).toEqual([32, 0, 0]);
  });

  it('records nothing of an attempt that the end of the process broke off', async () => {
    const { deliverer, queue, requests, recorded, end } = setUp();
    queue.push([toDelivery('1', 'a'), toDelivery('2', 'a')], [toDelivery('3', 'a')]);
    await deliverer.poll();
    const stopped = deliverer.stop(5);
    await end('1');
    await stopped;
    await deliverer.poll();
    expect(recorded).toEqual(['1']);
    expect(requests).toHaveLength(1);
  });
});
