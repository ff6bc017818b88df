import { compileMessage, type CompiledMessageToken } from '@lingui/message-utils/compileMessage';
import { describe, expect, it } from '@jest/globals';
import german from './de.json' with { type: 'json' };
import { i18n } from './i18n.ts';

/** The values and the elements that a message shows, each once. */
function partsOf(message: string): string[] {
  const found = new Set<string>();
  const visit = (tokens: readonly CompiledMessageToken[]): void => {
    for (const token of tokens) {
      if (typeof token === 'string') {
        for (const [tag] of token.matchAll(/<\/?\w+\/?>/g)) found.add(tag);
        continue;
      }
      const [name, , choices] = token;
      found.add(`{${name}}`);
      if (typeof choices !== 'object' || choices === null) continue;
      for (const choice of Object.values(choices)) if (Array.isArray(choice)) visit(choice);
    }
  };
  visit(compileMessage(message));
  return [...found].sort();
}

describe('the German texts', () => {
  const texts = Object.entries(german).filter(([id]) => !/^[a-z ]+: /.test(id));

  it('have the same values and elements as the English ones', () => {
    expect(texts.length).toBeGreaterThan(1_000);
    for (const [english, text] of texts) expect([english, partsOf(text)]).toEqual([english, partsOf(english)]);
  });
});

describe('a text', () => {
  it('is shown in English without a catalogue, with its values', () => {
    expect(i18n.t('{count, plural, one {# run} other {# runs}}', { count: 1 })).toBe('1 run');
    expect(i18n.t('{count, plural, one {# run} other {# runs}}', { count: 2 })).toBe('2 runs');
    expect(i18n.t({ id: 'status: Open', message: 'Open' })).toBe('Open');
  });
});
