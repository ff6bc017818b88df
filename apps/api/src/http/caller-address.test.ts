import { describe, expect, it } from '@jest/globals';
import { networkOf, originOf, readTrustedProxies } from './caller-address.ts';

describe('the network of a caller', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2'],
    ['2001:db8:1::9', '2001:db8:1:0'],
    ['2001:db8::203.0.113.9', '2001:db8:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
    ['', ''],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

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
