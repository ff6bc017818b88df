import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { compileExpression } from './expressions/index.ts';
import { indexOfText, replaceAllText } from './find-text.ts';
import { maskSecrets } from './run/secret-mask.ts';

const ab = (maxLength: number, minLength = 0) =>
  fc.string({ unit: fc.constantFrom('a', 'b'), minLength, maxLength, size: 'max' });

/** The native search takes time proportional to the product of both lengths for these. */
const text = 'a'.repeat(50_000);
const needle = `${'a'.repeat(500)}b${'a'.repeat(500)}`;

describe('a search for a text', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('finds what the native one finds', () => {
    fc.assert(
      fc.property(ab(3_000), ab(12), fc.integer({ min: -5, max: 3_100 }), (whole, part, from) => {
        expect(indexOfText(whole, part, from)).toBe(whole.indexOf(part, from));
      }),
    );
    fc.assert(
      fc.property(ab(3_000), ab(6, 1), (whole, part) => {
        expect(replaceAllText(whole, part, '$&')).toBe(whole.replaceAll(part, () => '$&'));
      }),
    );
  });

  it.each([
    ['includes', 'text.includes(needle)', false],
    ['indexOf', 'text.indexOf(needle, 1)', -1],
    ['split', 'text.split(needle).length', 1],
    ['replace', 'text.replace(needle, "x").length', 50_000],
    ['replaceAll', 'text.replaceAll(needle, "x").length', 50_000],
  ])('never leaves a long one to the native search: %s', (_name, source, expected) => {
    const natives = (['includes', 'indexOf', 'split', 'replaceAll'] as const).map((name) =>
      jest.spyOn(String.prototype, name),
    );
    const compiled = compileExpression(source.replaceAll(/\b(text|needle)\b/g, '$trigger.$1'));
    if ('issue' in compiled) throw new Error(compiled.issue.message);
    const scope = {
      trigger: { text, needle },
      input: null,
      node: () => undefined,
      vars: {},
      execution: { id: '', mode: '' },
      now: () => '',
    };
    const result = compiled.expression.evaluate(scope);
    const searched = natives.flatMap((native) => native.mock.calls.map(([search]) => search as unknown));
    expect(searched).not.toContain(needle);
    expect(result).toBe(expected);
  });

  it('hides secrets without it', () => {
    const natives = (['includes', 'replaceAll'] as const).map((name) => jest.spyOn(String.prototype, name));
    const credential = { type: 'bearer', secret: { token: needle } } as const;
    const masked = maskSecrets({ kind: 'output', output: [text, `-${needle}-`] }, [credential]);
    const searched = natives.flatMap((native) => native.mock.calls.map(([search]) => search as unknown));
    expect(searched).not.toContain(needle);
    expect(masked).toEqual({ kind: 'output', output: [text, '-********-'] });
  });
});
