import { expect, it } from '@jest/globals';
import { createAnswerTokens } from './answer-token.ts';
import { createFileTokens } from './file-token.ts';
import { createSecretBox } from './secret-box.ts';

const KEY = 'a key for tests, thirty-two characters or more';
const tokens = createFileTokens(createSecretBox(KEY));
const file = {
  executionId: '01a1fb35-e8df-7352-8660-75a19a555603',
  fileId: '0199c0de-5f1e-7a30-8c55-3f2b8a9d1e77',
  expiresAt: new Date('2026-11-28T10:00:00.123Z'),
};

it.each(['', 'a.pdf', 'a:b\n.pdf', '😀'.repeat(255)])(
  'a token of a file has all that it was signed for: %p',
  (name) => {
    const token = tokens.sign({ ...file, name });
    expect(tokens.verify(token)).toEqual({ ...file, name });
    expect(encodeURIComponent(token)).toBe(token);
  },
);

it('a token of a file with another time is not valid, nor that of another purpose or instance', () => {
  const [one, two] = [file, { ...file, expiresAt: new Date('2027-01-01') }].map((each) =>
    Buffer.from(tokens.sign({ ...each, name: 'a' }), 'base64url'),
  );
  const mixed = Buffer.concat([one!.subarray(0, 20), two!.subarray(20)]).toString('base64url');
  const answer = createAnswerTokens(createSecretBox(KEY)).sign({ ...file, nodeId: 'ask', iteration: '' });
  const foreign = createFileTokens(createSecretBox(`another ${KEY}`)).sign({ ...file, name: '' });
  for (const token of [mixed, answer, foreign]) expect(tokens.verify(token)).toBeUndefined();
});
