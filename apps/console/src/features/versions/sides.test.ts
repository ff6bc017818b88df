import { describe, expect, it } from '@jest/globals';
import { CANVAS, NOTHING, predecessorOf } from './sides.ts';

const VERSIONS = ['v3', 'v2', 'v1'].map((workflowVersionId) => ({ workflowVersionId }));

describe('without being told with what', () => {
  it('a version is compared with the one before it, and the first with nothing', () => {
    expect(['v3', 'v2', 'v1'].map((side) => predecessorOf(side, VERSIONS, 'v3'))).toEqual(['v2', 'v1', NOTHING]);
    expect(predecessorOf('unknown', VERSIONS, 'v3')).toBe(NOTHING);
  });

  it('the canvas is compared with the version that its editing began with, even if there is a later one', () => {
    expect(predecessorOf(CANVAS, VERSIONS, 'v2')).toBe('v2');
    expect(predecessorOf(CANVAS, [], null)).toBe(NOTHING);
  });
});
