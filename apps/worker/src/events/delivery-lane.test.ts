import type { AttemptResult, TakenDelivery, TakenLane } from '@deckhand/db';
import { describe, expect, it } from '@jest/globals';
import { type Lane, type LaneEvent, newLane, nextLane, pollRooms, refillRoom, waitsForPlace } from './delivery-lane.ts';

const NOW = 100_000;

function delivery(id: string): TakenDelivery {
  return {
    ...{ id, endpointId: 'a', workspaceId: 'w', type: 'run.started', workflowId: null, executionId: null },
    ...{ nodeId: null, iteration: null, revision: null, occurredAt: new Date(0), attempt: 1 },
    ...{ url: 'http://receiver.test/', sealedSecrets: [], hasFailures: false },
  };
}

const deliveries = (...ids: string[]): TakenDelivery[] => ids.map(delivery);
const lane = (members: Partial<Lane> = {}): Lane => ({
  ...newLane('a'),
  leasedUntil: NOW + 20_000,
  maxInProgress: 8,
  ...members,
});

const taken = (ids: readonly string[], members: Partial<TakenLane> = {}, room = 100): LaneEvent => ({
  kind: 'taken',
  room,
  taken: {
    ...{ endpointId: 'a', isFailing: false, maxInProgress: 8, deliveries: ids.map(delivery), hasBlocked: false },
    ...members,
  },
});

const attempted = (id: string, members: Partial<AttemptResult> = {}): LaneEvent => ({
  kind: 'attempted',
  result: {
    ...{ delivery: delivery(id), outcome: 'delivered', retryInMs: 0, throttleMs: 0 },
    attempt: { at: new Date(0).toISOString(), status: 200, durationMs: 1, error: null },
    ...members,
  },
});

const QUEUED = lane({ queue: deliveries('1', '2', '3'), maxInProgress: 1, supply: 'likely' });
const RUNNING = lane({ ...QUEUED, inProgress: new Set(['0']), supply: 'blocked' });
/** A lane, what happens to it, what changes, and the ids of the deliveries whose attempts begin. */
const STEPS: readonly (readonly [string, Lane, LaneEvent, Partial<Lane>, string[]?])[] = [
  [
    'a lease is noted',
    newLane('a'),
    { kind: 'leased', until: NOW, isFailing: true },
    { leasedUntil: NOW, isFailing: true },
  ],
  ['a released lane drops its queue', RUNNING, { kind: 'released' }, { leasedUntil: -Infinity, queue: [] }],
  [
    'what was taken is attempted, as many as it may',
    lane(),
    taken(['1', '2'], { maxInProgress: 1 }),
    { maxInProgress: 1, queue: deliveries('2'), supply: 'likely' },
    ['1'],
  ],
  ['a full take leaves more for certain', lane(), taken(['1'], {}, 1), { supply: 'certain' }, ['1']],
  ['an empty take leaves nothing', lane({ supply: 'taking' }), taken([]), { supply: 'exhausted' }],
  [
    'a take without the lane leaves nothing',
    lane({ supply: 'taking' }),
    { kind: 'taken', room: 1, taken: undefined },
    { supply: 'exhausted' },
  ],
  [
    'blocked events wait for a record',
    lane({ supply: 'taking' }),
    taken([], { hasBlocked: true }),
    { supply: 'blocked' },
  ],
  [
    'blocked events do not wait for a record during the take',
    lane({ supply: 'takingAfterRecord' }),
    taken([], { hasBlocked: true }),
    { supply: 'likely' },
  ],
  [
    'a failing lane takes no more until the next poll',
    lane({ supply: 'taking' }),
    taken(['1'], { isFailing: true, maxInProgress: 1 }),
    { isFailing: true, maxInProgress: 1, supply: 'exhausted' },
    ['1'],
  ],
  [
    'a take that failed is repeated once an attempt is recorded, or by the next poll',
    lane({ supply: 'taking' }),
    { kind: 'takeFailed' },
    { supply: 'blocked' },
  ],
  [
    'an attempt that may outlast the lease does not begin',
    lane({ ...QUEUED, leasedUntil: NOW + 16_000 }),
    { kind: 'placeFreed' },
    { queue: [] },
  ],
  ['an attempt waits for the one before', RUNNING, { kind: 'placeFreed' }, {}],
  ['the next attempt begins', QUEUED, { kind: 'placeFreed' }, { queue: deliveries('2', '3') }, ['1']],
  ['an attempt is recorded', RUNNING, attempted('0'), { inProgress: new Set(), recording: new Set(['0']) }],
  [
    'a success ends a row of failures',
    lane({ ...RUNNING, failures: 4 }),
    attempted('0'),
    { failures: 0, inProgress: new Set(), recording: new Set(['0']) },
  ],
  [
    'a failure keeps the rest',
    RUNNING,
    attempted('0', { outcome: 'retry' }),
    { failures: 1, inProgress: new Set(), recording: new Set(['0']) },
  ],
  [
    'the fifth failure in a row drops the rest',
    lane({ ...RUNNING, failures: 4 }),
    attempted('0', { outcome: 'retry' }),
    { failures: 5, queue: [], inProgress: new Set(), recording: new Set(['0']), supply: 'exhausted' },
  ],
  [
    'an endpoint that is gone drops the rest',
    RUNNING,
    attempted('0', { outcome: 'gone' }),
    { failures: 1, queue: [], inProgress: new Set(), recording: new Set(['0']), supply: 'exhausted' },
  ],
  [
    'an endpoint that asks for a pause drops the rest',
    RUNNING,
    attempted('0', { outcome: 'retry', throttleMs: 1 }),
    { failures: 1, queue: [], inProgress: new Set(), recording: new Set(['0']), supply: 'exhausted' },
  ],
  [
    'a drop does not end a take in progress',
    lane({ ...RUNNING, supply: 'taking' }),
    attempted('0', { outcome: 'gone' }),
    { failures: 1, queue: [], inProgress: new Set(), recording: new Set(['0']) },
  ],
  [
    'a record frees blocked events',
    lane({ recording: new Set(['0', '1']), supply: 'blocked' }),
    { kind: 'recorded', deliveryId: '0' },
    { recording: new Set(['1']), supply: 'likely' },
  ],
  [
    'a record during a take is remembered',
    lane({ recording: new Set(['0']), supply: 'taking' }),
    { kind: 'recorded', deliveryId: '0' },
    { recording: new Set(), supply: 'takingAfterRecord' },
  ],
  [
    'a record changes no other supply',
    lane({ recording: new Set(['0']) }),
    { kind: 'recorded', deliveryId: '0' },
    { recording: new Set() },
  ],
];

const places = { working: 10, failing: 10 };

describe('a lane of deliveries', () => {
  it.each(STEPS.map(([title, before, event, changes, begun = []]) => ({ title, before, event, changes, begun })))(
    '$title',
    ({ before, event, changes, begun }) => {
      const started = begun.length > 0 ? { inProgress: new Set(begun), lastAttemptAt: NOW } : {};
      expect(nextLane(before, event, { now: NOW, places })).toEqual({
        lane: { ...before, ...changes, ...started },
        begun: begun.map(delivery),
      });
    },
  );

  it('waits for a place while too many attempts of others are in progress, by whether it fails', () => {
    const event: LaneEvent = { kind: 'placeFreed' };
    for (const isFailing of [false, true]) {
      const none = { working: isFailing ? 9 : 0, failing: isFailing ? 0 : 9 };
      const step = nextLane(lane({ ...QUEUED, isFailing }), event, { now: NOW, places: none });
      expect([step.begun, waitsForPlace(step.lane)]).toEqual([[], true]);
    }
    expect(waitsForPlace(RUNNING)).toBe(false);
  });
});

describe('how many deliveries are taken of a lane', () => {
  const many = deliveries(...Array.from({ length: 65 }, (_, n) => String(n)));
  it.each([
    ['the rest of its share, if more may be due', lane({ ...QUEUED, inProgress: new Set(['0']) }), 1, 252],
    ['a part of what all may have, if there are many lanes', QUEUED, 100, 37],
    ['none without more that is due', lane(), 1, 0],
    ['none while events are blocked', lane({ supply: 'blocked' }), 1, 0],
    ['none while a take is in progress', lane({ supply: 'taking' }), 1, 0],
    ['none while many are left', lane({ queue: many, supply: 'certain' }), 1, 0],
    ['none beyond its share', lane({ ...QUEUED, supply: 'certain' }), 4_096, 0],
    ['none if it fails', lane({ isFailing: true, supply: 'likely' }), 1, 0],
    ['none if its lease ends soon', lane({ leasedUntil: NOW + 16_000, supply: 'likely' }), 1, 0],
  ])('%s', (_, of, laneCount, room) => {
    expect(refillRoom(of, laneCount, NOW)).toBe(room);
  });

  it('a poll takes of each, and of failing ones that are empty those that have waited longest', () => {
    const failing = (endpointId: string, members: Partial<Lane>): Lane =>
      lane({ endpointId, isFailing: true, ...members });
    const lanes = [
      lane({ endpointId: 'b' }),
      failing('c', { lastAttemptAt: 2 }),
      failing('d', { lastAttemptAt: 1 }),
      failing('e', { lastAttemptAt: 0, recording: new Set(['0']) }),
      lane({ endpointId: 'f', leasedUntil: 0 }),
    ];
    const rooms = pollRooms(lanes, { now: NOW, places: { working: 0, failing: 1 } });
    expect([...rooms]).toEqual([
      ['b', 256],
      ['d', 256],
    ]);
  });
});
