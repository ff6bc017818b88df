import type { WaitPlace } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createAnswerTokens } from './answer-token.ts';
import { createSecretBox } from './secret-box.ts';

const KEY = 'a key for tests, thirty-two characters or more';
const OTHER_KEY = 'another key for tests, thirty-two characters';

const tokens = createAnswerTokens(createSecretBox(KEY));

/** Waits as runs have them, up to the longest names that a definition may have. */
const places: fc.Arbitrary<WaitPlace> = fc.record({
  executionId: fc.uuid(),
  nodeId: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
  iteration: fc.array(fc.integer({ min: 0, max: 9_999_999 }), { maxLength: 20 }).map((indexes) => indexes.join('.')),
});

const ASK: WaitPlace = { executionId: '01a1fb35-e8df-7352-8660-75a19a555603', nodeId: 'ask', iteration: '' };

describe('a token', () => {
  it('leads to its wait and to no other, is part of an address, and has no more than 400 characters', () => {
    fc.assert(
      fc.property(places, places, (place, other) => {
        const token = tokens.sign(place);
        expect(tokens.verify(token)).toEqual(place);
        expect(encodeURIComponent(token)).toBe(token);
        expect(token.length).toBeLessThanOrEqual(400);
        fc.pre(JSON.stringify(place) !== JSON.stringify(other));
        expect(tokens.sign(other)).not.toBe(token);
      }),
    );
  });

  it('is always the same for a wait, so that a node that runs again sends the same link', () => {
    expect(tokens.sign(ASK)).toBe(createAnswerTokens(createSecretBox(KEY)).sign(ASK));
  });

  // Of three lengths: two of them leave unused bits at the end of base64url.
  it.each(['ask', 'asks', 'asked'])(
    'is valid in no other form: with any character changed, added, or left out: %s',
    (nodeId) => {
      const token = tokens.sign({ ...ASK, nodeId });
      const alphabet = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=.%');
      for (const at of token.split('').keys()) {
        for (const character of alphabet) {
          if (character !== token[at]) {
            expect(tokens.verify(token.slice(0, at) + character + token.slice(at + 1))).toBeUndefined();
          }
          expect(tokens.verify(token.slice(0, at) + character + token.slice(at))).toBeUndefined();
        }
      }
      for (let length = 0; length < token.length; length += 1) {
        expect(tokens.verify(token.slice(0, length))).toBeUndefined();
        expect(tokens.verify(token.slice(length + 1))).toBeUndefined();
      }
      expect(tokens.verify('A'.repeat(100_000))).toBeUndefined();
    },
  );

  it('of another instance is not valid, nor one whose signature is of another wait', () => {
    const foreign = createAnswerTokens(createSecretBox(OTHER_KEY)).sign(ASK);
    expect(tokens.verify(foreign)).toBeUndefined();
    const [one, two] = [ASK, { ...ASK, nodeId: 'pay' }].map((place) => Buffer.from(tokens.sign(place), 'base64url'));
    const mixed = Buffer.concat([one!.subarray(0, 20), two!.subarray(20)]).toString('base64url');
    expect(tokens.verify(mixed)).toBeUndefined();
  });

  it('of a former key is valid for as long as the instance has that key, and new ones are of the present key', () => {
    const before = tokens.sign(ASK);
    const during = createAnswerTokens(createSecretBox(OTHER_KEY, [KEY]));
    expect(during.verify(before)).toEqual(ASK);
    const after = createAnswerTokens(createSecretBox(OTHER_KEY));
    expect(after.verify(during.sign(ASK))).toEqual(ASK);
    expect(after.verify(before)).toBeUndefined();
  });
});
