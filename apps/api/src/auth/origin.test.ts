import { describe, expect, it } from '@jest/globals';
import { originOf } from './origin.ts';

describe('the origin of a change', () => {
  it.each([
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2::9', '2001:db8:1:2::9'],
    [undefined, ''],
  ])('has the address %s of a request as %s', (ip, address) => {
    expect(originOf({ id: 'request', ip }, 'key')).toEqual({ apiKeyId: 'key', address, requestId: 'request' });
  });
});
