import { type JsonValue, parseOwnJson } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createLoopOutputs } from './loop-outputs.ts';

describe('the outputs of a loop', () => {
  it.each([0, 1, 9_999, 10_000, 12_345])(
    'of %i iterations are what each iteration had, in whatever order they finish',
    (length) => {
      fc.assert(
        fc.property(fc.json({ maxDepth: 2 }), fc.nat(), (text, seed) => {
          const value = parseOwnJson<JsonValue>(text);
          const outputOf = (index: number): JsonValue => (index % 3 === 0 ? value : { index, value });
          const outputs = createLoopOutputs(length);
          // Some step that is prime to all of the lengths goes through all of them, far apart.
          const step = [1, 7, 7_919, 9_973][seed % 4] ?? 1;
          for (let n = 0; n < length; n += 1) outputs.set((n * step) % length, outputOf((n * step) % length));
          expect(outputs.all()).toEqual(Array.from({ length }, (_, index) => outputOf(index)));
        }),
        { numRuns: 6 },
      );
    },
  );

  it('of iterations that are not finished are null', () => {
    const outputs = createLoopOutputs(10_001);
    for (let index = 1; index < 10_001; index += 1) outputs.set(index, index);
    expect(outputs.all().slice(0, 3)).toEqual([null, 1, 2]);
    expect(outputs.all().at(-1)).toBe(10_000);
  });
});
