import { describe, expect, it } from '@jest/globals';
import type { NodeProgress } from '@deckhand/contracts';
import { CONTAINER_TYPES } from '../../testing/node-type.ts';
import { toTimes } from './bars.ts';
import { WHOLE } from './timeline-view.ts';

const node = (startedAt: string, finishedAt: string): NodeProgress => ({
  status: 'success',
  startedAt,
  finishedAt,
  attempts: 1,
  outputBytes: 2,
});
const at = (second: number): string => new Date(Date.UTC(2026, 10, 20, 8, 0, second)).toISOString();
const chain = (ids: readonly string[]) => ({ nodes: ids.map((id) => ({ id, type: 'set' })), edges: [] });

describe('the timeline', () => {
  it('begins when the run is queued: reused outputs of an earlier run have no length', () => {
    const progress = {
      start: node('2026-11-01T08:00:00.000Z', '2026-11-01T08:00:01.000Z'),
      call: node(at(1), at(4)),
      end: node(at(4), at(5)),
    };
    const run = { progress, createdAt: at(0), startAt: null, startedAt: at(1) };
    const { bars, queue, ticksOf, spanOf } = toTimes(
      run,
      { definition: chain(['start', 'call', 'end']), types: CONTAINER_TYPES },
      0,
    );
    expect(bars.map(({ nodeId, isReused, left, width }) => [nodeId, isReused, left, width])).toEqual([
      ['start', true, 0, 0],
      ['call', false, 20, 60],
      ['end', false, 80, 20],
    ]);
    expect(queue).toEqual({ left: 0, width: 20, ms: 1_000 });
    expect(ticksOf(WHOLE).map(({ label }) => label)).toEqual(['0 ms', '1 s', '2 s', '3 s', '4 s', '5 s']);
    expect(spanOf(at(2), at(3))).toEqual({ left: 40, width: 20 });
  });

  it('of a delayed run begins when it was to start', () => {
    const run = { progress: { a: node(at(32), at(40)) }, createdAt: at(0), startAt: at(30), startedAt: at(31) };
    const { bars, queue } = toTimes(run, { definition: chain(['a']), types: CONTAINER_TYPES }, 0);
    expect([bars[0]?.left, bars[0]?.width, queue?.ms]).toEqual([20, 80, 1_000]);
  });

  it('has the attempts of a node, within its time', () => {
    const error = { code: 'HTTP_STATUS', message: '503' };
    const call: NodeProgress = {
      ...node(at(0), at(10)),
      attempts: 4,
      attemptHistory: [
        { startedAt: at(0), finishedAt: null, error: null },
        { startedAt: at(2), finishedAt: at(3), error },
        { startedAt: at(8), finishedAt: at(11), error: null },
      ],
    };
    const run = { progress: { call, other: node(at(0), at(10)) }, createdAt: at(0), startAt: null, startedAt: at(0) };
    const spansOf = (progress: NodeProgress) =>
      toTimes(
        { ...run, progress: { ...run.progress, call: progress } },
        { definition: chain(['call', 'other']), types: CONTAINER_TYPES },
        0,
      ).bars.map(({ attemptSpans }) =>
        attemptSpans.map(({ number, status, left, width }) => [number, status, left, width]),
      );
    expect(spansOf(call)).toEqual([
      [
        [2, 'stopped', 0, 20],
        [3, 'failed', 20, 10],
        [4, 'success', 80, 20],
      ],
      [],
    ]);
    // A node that waits for its next attempt, and one that was reused from an earlier run.
    const waiting = {
      ...call,
      status: 'waiting' as const,
      attempts: 1,
      attemptHistory: call.attemptHistory?.slice(1, 2),
    };
    expect(spansOf({ ...waiting, attemptHistory: waiting.attemptHistory ?? [] })[0]).toEqual([[1, 'failed', 20, 10]]);
    const reused = { ...call, startedAt: '2026-11-01T08:00:00.000Z', finishedAt: '2026-11-01T08:00:10.000Z' };
    expect(spansOf(reused)[0]).toEqual([]);
  });

  it('has no part outside of itself, whatever the clocks say', () => {
    const run = { progress: { a: node(at(5), at(15)) }, createdAt: at(10), startAt: null, startedAt: at(10) };
    expect(toTimes(run, { definition: chain(['a']), types: CONTAINER_TYPES }, 0).bars).toMatchObject([
      { left: 0, width: 100 },
    ]);
  });

  it('has the nodes of a body after their loop, by depth', () => {
    const definition = {
      nodes: ['outer', 'inner', 'deep', 'flat', 'after'].map((id) => ({
        id,
        type: id === 'outer' || id === 'inner' ? 'loop' : 'set',
      })),
      edges: [
        { source: 'outer', sourceHandle: 'body', target: 'inner' },
        { source: 'outer', sourceHandle: 'done', target: 'after' },
        { source: 'inner', sourceHandle: 'body', target: 'deep' },
        { source: 'inner', sourceHandle: 'done', target: 'flat' },
      ],
    };
    const progress = {
      outer: node(at(0), at(9)),
      after: node(at(1), at(2)),
      flat: node(at(2), at(9)),
      inner: node(at(3), at(9)),
      deep: node(at(4), at(9)),
    };
    const { bars } = toTimes(
      { progress, createdAt: at(0), startAt: null, startedAt: at(0) },
      { definition, types: CONTAINER_TYPES },
      0,
    );
    expect(bars.map(({ nodeId, depth }) => [nodeId, depth])).toEqual([
      ['outer', 0],
      ['flat', 1],
      ['inner', 1],
      ['deep', 2],
      ['after', 0],
    ]);
  });

  it.each([
    [300, '0 ms, 100 ms, 200 ms, 300 ms'],
    [7_000, '0 ms, 2 s, 4 s, 6 s'],
    [150_000, '0 ms, 30 s, 1 min, 1.5 min, 2 min, 2.5 min'],
    [90_000_000, '0 ms, 6 h, 12 h, 18 h, 1 d'],
  ])('of %i ms has the ticks %s', (ms, labels) => {
    const run = { createdAt: at(0), startAt: null, startedAt: at(0) };
    const end = new Date(Date.parse(at(0)) + ms).toISOString();
    const { ticksOf } = toTimes(
      { ...run, progress: { a: node(at(0), end) } },
      { definition: chain(['a']), types: CONTAINER_TYPES },
      0,
    );
    expect(
      ticksOf(WHOLE)
        .map(({ label }) => label)
        .join(', '),
    ).toBe(labels);
  });

  it('has ticks of a part of it, which differ in their labels', () => {
    const run = { createdAt: at(0), startAt: null, startedAt: at(0) };
    const { ticksOf } = toTimes(
      { ...run, progress: { a: node(at(0), at(10)) } },
      { definition: chain(['a']), types: CONTAINER_TYPES },
      0,
    );
    expect(ticksOf({ left: 45, width: 10 })).toEqual(
      [4.6, 4.8, 5, 5.2, 5.4].map((second, index) => ({ left: expect.closeTo(10 + 20 * index), label: `${second} s` })),
    );
    expect(ticksOf({ left: 50, width: 0.1 }).map(({ label }) => label)).toEqual([
      ...['5 s', '5.002 s', '5.004 s', '5.006 s', '5.008 s', '5.01 s'],
    ]);
  });
});
