import { describe, expect, it } from '@jest/globals';
import { readTrustedProxies } from './trusted-proxies.ts';

describe('TRUSTED_PROXIES', () => {
  it('trusts nobody by default', () => {
    expect([readTrustedProxies(), readTrustedProxies(' , ')]).toEqual([[], []]);
  });

  it('takes addresses, ranges and their names', () => {
    expect(readTrustedProxies('loopback, 10.0.0.0/8,2001:db8::/32, 192.0.2.1')).toEqual([
      'loopback',
      '10.0.0.0/8',
      '2001:db8::/32',
      '192.0.2.1',
    ]);
  });

  it.each(['all', 'true', '10.0.0.0/33', '10.0.0.0/0', '10.0.0/8', 'proxy.example', '10.0.0.0/8/8', '10.0.0.0/'])(
    'refuses %s by name',
    (list) => {
      expect(() => readTrustedProxies(list)).toThrow(
        `TRUSTED_PROXIES must name addresses or ranges of them, not "${list}"`,
      );
    },
  );
});
