import { describe, expect, it } from '@jest/globals';
import type { NodeProgress } from '@deckhand/contracts';
import { toBars } from './bars.js';

const node = (startedAt: string, finishedAt: string): NodeProgress => ({
  status: 'success',
  startedAt,
  finishedAt,
  attempts: 1,
  outputBytes: 2,
});

describe('the timeline', () => {
  it('begins with the first node of the run itself: reused outputs of an earlier run have no length', () => {
    const progress = {
      start: node('2026-11-01T08:00:00.000Z', '2026-11-01T08:00:01.000Z'),
      call: node('2026-11-20T08:00:00.000Z', '2026-11-20T08:00:03.000Z'),
      end: node('2026-11-20T08:00:03.000Z', '2026-11-20T08:00:04.000Z'),
    };
    const bars = toBars({ progress, createdAt: '2026-11-20T07:59:59.900Z' }, ['start', 'call', 'end'], 0);
    expect(bars.map(({ nodeId, isReused, left, width }) => [nodeId, isReused, left, width])).toEqual([
      ['start', true, 0, 0],
      ['call', false, 0, 75],
      ['end', false, 75, 25],
    ]);
  });
});
