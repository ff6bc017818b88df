import { describe, expect, it } from '@jest/globals';
import { responseBody } from './response-body.ts';

const read = (text: string) =>
  responseBody(
    { status: 200, headers: { 'content-type': 'application/json' }, setCookies: [], body: Buffer.from(text) },
    'auto',
  );

describe('JSON that takes long to parse for its length', () => {
  it.each([
    ['names', `{${Array.from({ length: 60_000 }, (_, n) => `"n${n}":1`).join(',')}}`],
    ['objects', `[${'{},'.repeat(200_000)}{}]`],
    ['arrays', `[${'[],'.repeat(1_000_000)}[]]`],
    ['characters', `["${'x'.repeat(16_777_216)}"]`],
  ])('is refused unparsed: %s', (what, text) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        code: 'RESULT_TOO_LARGE',
        isRetryable: false,
        message: expect.stringContaining(what),
      }),
    );
  });

  it('is read within these bounds', () => {
    expect(read(`[${'{},'.repeat(150_000)}{}]`)).toHaveLength(150_001);
  });
});
