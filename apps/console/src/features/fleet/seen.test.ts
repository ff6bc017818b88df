import { describe, expect, it } from '@jest/globals';
import { type FleetDetails, addSample, MAX_SAMPLES, type Seen } from './seen.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const NOTHING: Seen = { workers: [], samples: [] };

const answer = (ids: readonly string[], waiting = 0, at = START): FleetDetails => ({
  data: ids.map((id) => ({
    id,
    host: 'host',
    pid: 1,
    version: '1',
    state: 'consuming',
    concurrency: 10,
    active: 3,
    startedAt: new Date(START).toISOString(),
    lastSeenAt: new Date(at).toISOString(),
  })),
  queue: { waiting, active: 0, delayed: 0, oldestWaitingSeconds: waiting * 2 },
});

describe('what the page has seen of the fleet', () => {
  it('keeps a worker that is gone, until it comes back or ten minutes have passed', () => {
    const both = addSample(NOTHING, answer(['a', 'b']), START);
    const one = addSample(both, answer(['b']), START + 2_000);
    expect(one.workers.map(({ id, state, active }) => [id, state, active])).toEqual([
      ['b', 'consuming', 3],
      ['a', 'gone', 0],
    ]);
    expect(addSample(one, answer(['a', 'b']), START + 4_000).workers.map(({ state }) => state)).toEqual([
      'consuming',
      'consuming',
    ]);
    expect(addSample(one, answer(['b']), START + 600_000).workers.map(({ id }) => id)).toEqual(['b']);
  });

  it('samples the queue, the newest last, and forgets the oldest', () => {
    let seen = NOTHING;
    for (let index = 0; index <= MAX_SAMPLES; index += 1) seen = addSample(seen, answer(['a'], index), START + index);
    expect(seen.samples).toHaveLength(MAX_SAMPLES);
    expect(seen.samples[0]).toEqual({ at: START + 1, waiting: 1, oldestWaitingSeconds: 2 });
    expect(seen.samples.at(-1)?.waiting).toBe(MAX_SAMPLES);
  });
});
