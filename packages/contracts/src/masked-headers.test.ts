import { describe, expect, it } from '@jest/globals';
import { maskHeaders } from './masked-headers.ts';

const mask = (value: unknown): unknown => JSON.parse(maskHeaders(JSON.stringify(value)));
const MASK = '********';

describe('secret headers', () => {
  it('are masked wherever an object is called headers, whatever stands around them', () => {
    const secrets = { authorization: 'Bearer "a\\', Cookie: 'a=b', 'x-api-key': '', 'X-Webhook-Secret': 'x' };
    const others = { host: 'a.example', length: 5, isOdd: false, nothing: null, 'x-tail': '\\"' };
    const masked = { authorization: MASK, Cookie: MASK, 'x-api-key': MASK, 'X-Webhook-Secret': MASK };
    const given = (headers: object) => ({
      a: [{ headers: { ...others, ...headers } }],
      headers: { ...headers, ...others },
    });
    expect(mask(given(secrets))).toEqual(given(masked));
  });

  it('are only those: what is called so elsewhere stays, and so does text that looks like it', () => {
    const values = [
      { cookie: 'oat', authorization: 'granted', body: { 'x-api-key': 'a' } },
      { text: '"headers":{"cookie":"a"}', quoted: JSON.stringify({ headers: { cookie: 'a' } }) },
      { headers: {}, cookie: 'a' },
      { headers: { host: 'a' }, cookie: 'a' },
      { headers: ['cookie'], cookie: 'a' },
      { 'my"headers': 1, cookie: 'a' },
    ];
    expect(mask(values)).toEqual(values);
  });

  it('take a time that grows with the text alone', () => {
    const text = JSON.stringify(Array.from({ length: 100_000 }, () => ({ headers: { cookie: '\\'.repeat(10) } })));
    expect(JSON.parse(maskHeaders(text))).toHaveLength(100_000);
    expect(maskHeaders('"headers":{"a'.repeat(3))).toBe('"headers":{"a'.repeat(3));
  });
});
