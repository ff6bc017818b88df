import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { shardOf } from './queue-shards.ts';

const WORKSPACES = Array.from({ length: 4_000 }, () => randomUUID());

describe('the shard of a workspace', () => {
  it('is always the same, and the first where there is one', () => {
    for (const id of WORKSPACES) expect(shardOf(id, 3)).toBe(shardOf(id, 3));
    expect(WORKSPACES.every((id) => shardOf(id, 1) === 0)).toBe(true);
    // Fixed: processes of two versions must choose the same.
    expect(['a', 'b', 'c', 'd', 'e', 'f'].map((id) => shardOf(id, 3))).toEqual([0, 1, 1, 1, 1, 1]);
  });

  it('gives shards equal shares', () => {
    const counts = [0, 0, 0, 0];
    for (const id of WORKSPACES) counts[shardOf(id, 4)]! += 1;
    for (const count of counts) expect(count / WORKSPACES.length).toBeCloseTo(0.25, 1);
  });

  it('moves only to a shard that is added, for its share', () => {
    const moved = WORKSPACES.filter((id) => shardOf(id, 4) !== shardOf(id, 3));
    expect(new Set(moved.map((id) => shardOf(id, 4)))).toEqual(new Set([3]));
    expect(moved.length / WORKSPACES.length).toBeCloseTo(0.25, 1);
  });
});
