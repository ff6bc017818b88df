import type { JsonValue } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { questionOf, questionProblem, refusalText } from './call-question.ts';

/** Lists in lists. */
const nested = (levels: number): JsonValue => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

describe('the question about a call', () => {
  it('is about arguments that a person can read', () => {
    expect(questionProblem({ to: 'x'.repeat(10_000) })).toBeUndefined();
    expect(questionProblem({ to: 'x'.repeat(20_000) })).toContain('20000 at most');
    // Short, but not with escapes that a person sees.
    expect(questionProblem({ to: '\u200B'.repeat(19_000) })).toContain('20000 at most');
  });

  it.each([21, 1_000, 100_000])(
    'is about no arguments of %d levels, whose indented text grows with their square',
    (levels) => {
      expect(questionProblem({ to: nested(levels) })).toContain('more than 20 levels');
    },
  );

  it.each(['\uFE00', '\u{E0100}', '\u034F', '\u3164', '\u2800', '\u202E'])('shows %j, which is not seen', (hidden) => {
    const outcome = questionOf('pay', { to: `DE00${hidden}` }, null);
    const shown = Array.from(hidden).flatMap((character) =>
      Array.from({ length: character.length }, (_, at) => character.charCodeAt(at).toString(16).padStart(4, '0')),
    );
    expect(outcome).toMatchObject({
      wait: { details: { message: expect.stringContaining(shown.map((unit) => String.raw`\u${unit}`).join('')) } },
    });
  });
});

it('the model is told all that a person says against a call', () => {
  const comment = `${'x'.repeat(9_999)}🙂`;
  const said = refusalText({ kind: 'refusal', decision: { decision: 'rejected', comment } });
  expect(said).toBe(`a person decided against this call: ${comment}`);
  const long = refusalText({ kind: 'refusal', decision: { comment: '🙂'.repeat(10_000) } });
  expect(long.isWellFormed()).toBe(true);
});
