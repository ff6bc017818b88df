import { describe, expect, it } from '@jest/globals';
import { firstView } from './first-view.ts';

const node = (id: string, x: number, y: number) => ({ id, position: { x, y }, width: 200, height: 60 });
const SIZE = { width: 1_000, height: 600 };

describe('the first view of the canvas', () => {
  it('has a small graph in the middle, not enlarged', () => {
    expect(firstView([node('a', 0, 0)], undefined, SIZE)).toEqual({ x: 400, y: 270, zoom: 1 });
    const { x, zoom } = firstView([node('a', 0, 0), node('b', 1_000, 0)], undefined, SIZE);
    expect(zoom).toBeCloseTo(920 / 1_200);
    expect(x).toBeCloseTo(40);
  });

  it('begins at the trigger of a graph that would be too small to read, not at its first node', () => {
    const nodes = [node('far', 3_000, 0), node('start', 0, 300)];
    expect(firstView(nodes, nodes[1], SIZE)).toEqual({ x: 40, y: 300 - 330 * 0.75, zoom: 0.75 });
    expect(firstView(nodes, undefined, SIZE)).toMatchObject({ x: 40, zoom: 0.75 });
  });

  it('of an empty workflow, and of a canvas without a size, is defined', () => {
    expect(firstView([], undefined, SIZE)).toEqual({ x: 0, y: 0, zoom: 1 });
    expect(firstView([node('a', 0, 0)], undefined, { width: 0, height: 0 })).toEqual({ x: 40, y: -22.5, zoom: 0.75 });
  });
});
