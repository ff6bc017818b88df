import { describe, expect, it } from '@jest/globals';
import { createResultSignatures, createSignatures } from './signatures.ts';
import { createSecretBox } from './secret-box.ts';

const OLD_KEY = 'a'.repeat(64);
const KEY = 'b'.repeat(64);
const RUN = '0193d6a2-1111-7000-8000-000000000001';
const OTHER_RUN = '0193d6a2-1111-7000-8000-000000000002';
const RESULT = '{"body":{"city":"東京"},"statusCode":200}';

describe('a signed result', () => {
  const signatures = createResultSignatures(createSecretBox(KEY));

  it('is verified for its run, also with an old key', () => {
    const signed = createResultSignatures(createSecretBox(OLD_KEY)).sign(RUN, RESULT);
    expect(createResultSignatures(createSecretBox(KEY, [OLD_KEY])).verify(RUN, signed)).toBe(RESULT);
  });

  it('is refused for another run or purpose, with another key, when it was changed, and when it is too short', () => {
    const signed = signatures.sign(RUN, RESULT);
    const changed = Buffer.from(signed, 'base64url');
    changed[changed.length - 2] = 0x33;
    expect(signatures.verify(OTHER_RUN, signed)).toBeUndefined();
    expect(createSignatures(createSecretBox(KEY), 'another purpose').verify(RUN, signed)).toBeUndefined();
    expect(createResultSignatures(createSecretBox(OLD_KEY)).verify(RUN, signed)).toBeUndefined();
    expect(signatures.verify(RUN, changed.toString('base64url'))).toBeUndefined();
    for (const text of ['', 'x', Buffer.from(RESULT).toString('base64url')]) {
      expect(signatures.verify(RUN, text)).toBeUndefined();
    }
  });
});
