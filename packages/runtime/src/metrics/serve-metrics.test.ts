import { describe, expect, it } from '@jest/globals';
import { isLocalCaller } from './serve-metrics.ts';

describe('a caller', () => {
  it.each(['127.0.0.1', '127.0.0.2', '::1', '::ffff:127.0.0.1'])('from %s is on this machine', (address) => {
    expect(isLocalCaller(address, {})).toBe(true);
  });

  it.each(['10.0.0.7', '192.168.1.1', '203.0.113.7', '::ffff:10.0.0.7', 'fe80::1', '', undefined])(
    'from %s is not',
    (address) => {
      expect(isLocalCaller(address, {})).toBe(false);
    },
  );

  it.each(['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'])('behind a proxy, by %s, is not', (header) => {
    expect(isLocalCaller('127.0.0.1', { [header]: '127.0.0.1' })).toBe(false);
  });
});
