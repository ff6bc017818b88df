import { CARD_WIDTH, cardHeight, type Definition } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { layOut } from './layout.ts';
import { type Rect, spread } from './spread.ts';

/** Runs steps to their end. */
function all<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const isOverlap = (one: Rect, other: Rect): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

const pairs = <T>(list: readonly T[]): [T, T][] =>
  list.flatMap((one, n) => list.slice(n + 1).map((other): [T, T] => [one, other]));

const rects = fc.array(
  fc.record({
    x: fc.integer({ min: -600, max: 600 }),
    y: fc.integer({ min: -600, max: 600 }),
    width: fc.constantFrom(CARD_WIDTH, 700),
    height: fc.constantFrom(cardHeight(0), cardHeight(2), 300),
  }),
  { maxLength: 40 },
);

describe('rectangles that are moved apart', () => {
  it('overlap nowhere', () => {
    fc.assert(
      fc.property(rects, (before) => {
        const after = all(spread(before));
        expect(pairs(after).filter(([one, other]) => isOverlap(one, other))).toEqual([]);
      }),
    );
  });

  it('are left of each other and above each other as before, in whole px', () => {
    fc.assert(
      fc.property(rects, (before) => {
        const after = all(spread(before));
        expect(after.every(({ x, y }) => Number.isInteger(x) && Number.isInteger(y))).toBe(true);
        const indices = pairs([...before.keys()]);
        const order = (list: readonly Rect[]) =>
          indices.map(([one, other]) => {
            const [a, b] = [list[one], list[other]];
            return a && b ? [Math.sign(a.x - b.x), a.y === b.y ? 0 : Math.sign(a.y - b.y)] : [];
          });
        // Only those at one and the same place get an order.
        const isPile = indices.map(
          ([one, other]) => before[one]?.x === before[other]?.x && before[one]?.y === before[other]?.y,
        );
        const [was, is] = [order(before), order(after)].map((each) =>
          each.filter((_, index) => isPile[index] !== true),
        );
        expect(is).toEqual(was);
      }),
    );
  });

  it('stay where they are if they are far enough apart', () => {
    const before = [0, 1, 2].map((n) => ({ x: n * 300, y: n * 200, width: CARD_WIDTH, height: cardHeight(0) }));
    expect(all(spread(before))).toEqual(before);
  });

  it('may be thousands, in one row or at one place', () => {
    const size = { width: CARD_WIDTH, height: cardHeight(0) };
    const row = Array.from({ length: 3_000 }, (_, n) => ({ x: n * 110, y: 0, ...size }));
    expect(all(spread(row)).at(-1)).toMatchObject({ x: 2_999 * (CARD_WIDTH + 48), y: 0 });
    const pile = Array.from({ length: 3_000 }, () => ({ x: 0, y: 0, ...size }));
    expect(all(spread(pile)).at(-1)).toMatchObject({ x: 0, y: 2_999 * (cardHeight(0) + 32) });
  });
});

describe('a definition', () => {
  const at = (id: string, x: number, y: number, type = 'set') => ({ id, type, position: { x, y } });
  const positions = ({ nodes }: Definition) => Object.fromEntries(nodes.map(({ id, position }) => [id, position]));

  it('keeps the frame of a loop free of other nodes, and its body together', () => {
    const loop: Definition = {
      nodes: [
        at('start', 0, 0),
        at('loop', 200, 0, 'loop'),
        at('a', 400, 100),
        at('b', 600, 100),
        at('after', 500, 50),
      ],
      edges: [
        { source: 'start', target: 'loop' },
        { source: 'loop', sourceHandle: 'body', target: 'a' },
        { source: 'a', target: 'b' },
        { source: 'loop', sourceHandle: 'done', target: 'after' },
      ],
    };
    const { a, b, after } = positions(all(layOut(loop)));
    if (!a || !b || !after) throw new Error('a node has no position');
    const frame = { x: a.x - 16, y: a.y - 38, width: b.x + CARD_WIDTH + 32 - a.x, height: cardHeight(0) + 54 };
    expect(isOverlap(frame, { ...after, width: CARD_WIDTH, height: cardHeight(0) })).toBe(false);
    expect([b.x > a.x, b.y === a.y]).toEqual([true, true]);
  });

  it('keeps notes around the nodes that they were around, and others beside the nearest node', () => {
    const definition: Definition = {
      nodes: [at('a', 0, 0), at('b', 110, 0), at('c', 220, 0)],
      edges: [],
      notes: [
        { id: 'around', text: '', position: { x: 90, y: -60 }, width: 250, height: 200 },
        { id: 'beside', text: '', position: { x: 200, y: -300 }, width: 100, height: 50 },
      ],
    };
    const laidOut = all(layOut(definition));
    const [around, beside] = laidOut.notes ?? [];
    expect(positions(laidOut)).toMatchObject({ b: { x: 252, y: 0 }, c: { x: 504, y: 0 } });
    expect(around).toMatchObject({ position: { x: 232, y: -60 }, width: 500, height: 162 });
    expect(beside).toMatchObject({ position: { x: 484, y: -300 }, width: 100, height: 50 });
  });

  it('is as it was if a node has no position', () => {
    const definition: Definition = { nodes: [at('a', 0, 0), { id: 'b', type: 'set' }], edges: [] };
    expect(all(layOut(definition))).toBe(definition);
  });
});
