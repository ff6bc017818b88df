import { describe, expect, it } from '@jest/globals';
import { type AddressRules, resolveHost, guardedLookup, isPublicAddress } from './addresses.ts';
import { createHttpClient } from '../http/client.ts';

const client = createHttpClient({ allowPrivate: false });

const get = (url: string) =>
  client.request({
    method: 'GET',
    url,
    headers: {},
    body: undefined,
    followRedirects: true,
    maxResponseBytes: 1_000,
    signal: AbortSignal.timeout(5_000),
  });

/** The real rules, with a resolver that knows one name. */
const resolvesTo = (...addresses: string[]): AddressRules => ({
  isAllowed: isPublicAddress,
  resolve(_hostname, _options, callback) {
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  },
});

describe('a request to an address that is not public', () => {
  it.each([
    ['dotted', 'http://127.0.0.1/'],
    ['decimal', 'http://2130706433/'],
    ['octal', 'http://0177.0.0.1/'],
    ['octal with padding', 'http://00000177.0.0.01/'],
    ['hexadecimal', 'http://0x7f000001/'],
    ['hexadecimal parts', 'http://0x7f.0x0.0x0.0x1/'],
    ['two parts', 'http://127.1/'],
    ['three parts', 'http://10.0.1/'],
    ['a final dot', 'http://127.0.0.1./'],
    ['percent signs', 'http://%31%32%37.0.0.1/'],
    ['full-width digits', 'http://１２７.０.０.１/'],
    ['circled digits', 'http://①②⑦.0.0.1/'],
    ['ideographic dots', 'http://127。0。0。1/'],
    ['credentials that look like a host', 'http://example.com@127.0.0.1/'],
    ['the unspecified address', 'http://0.0.0.0/'],
    ['zero', 'http://0/'],
    ['private 10', 'http://10.1.2.3/'],
    ['private 172', 'http://172.31.255.255/'],
    ['private 192', 'http://192.168.0.1/'],
    ['link-local metadata', 'http://169.254.169.254/latest/meta-data/'],
    ['the metadata of a cloud at a public address', 'http://168.63.129.16/'],
    ['carrier-grade NAT', 'http://100.64.0.1/'],
    ['benchmarking', 'http://198.18.0.1/'],
    ['documentation', 'http://192.0.2.1/'],
    ['protocol assignments', 'http://192.0.0.192/'],
    ['multicast', 'http://224.0.0.1/'],
    ['reserved', 'http://240.0.0.1/'],
    ['broadcast', 'http://255.255.255.255/'],
    ['IPv6 loopback', 'http://[::1]/'],
    ['IPv6 loopback in full', 'http://[0:0:0:0:0:0:0:1]/'],
    ['IPv6 unspecified', 'http://[::]/'],
    ['mapped', 'http://[::ffff:127.0.0.1]/'],
    ['mapped in hexadecimal', 'http://[::ffff:7f00:1]/'],
    ['mapped in full', 'http://[0:0:0:0:0:ffff:a00:1]/'],
    ['compatible', 'http://[::7f00:1]/'],
    ['translated', 'http://[::ffff:0:127.0.0.1]/'],
    ['NAT64', 'http://[64:ff9b::127.0.0.1]/'],
    ['local NAT64', 'http://[64:ff9b:1::7f00:1]/'],
    ['6to4', 'http://[2002:7f00:1::]/'],
    ['Teredo', 'http://[2001:0:7f00:1::]/'],
    ['unique local', 'http://[fd00:ec2::254]/'],
    ['IPv6 link-local', 'http://[fe80::1]/'],
    ['site-local', 'http://[fec0::1]/'],
    ['IPv6 multicast', 'http://[ff02::1]/'],
    ['IPv6 documentation', 'http://[2001:db8::1]/'],
    ['discard only', 'http://[100::1]/'],
    ['not assigned', 'http://[4000::1]/'],
  ])('is refused: %s', async (_spelling, url) => {
    await expect(get(url)).rejects.toMatchObject({ code: 'ADDRESS_REFUSED', isRetryable: false });
  });

  it('is refused by the name of this machine', async () => {
    await expect(get('http://localhost:9/')).rejects.toMatchObject({ code: 'ADDRESS_REFUSED' });
  });
});

describe('the addresses of everybody', () => {
  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '::ffff:8.8.8.8', '2606:4700::1111', '2001:4860:4860::8888'])(
    'are public: %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it('are spelled as addresses', () => {
    expect(isPublicAddress('example.com')).toBe(false);
  });
});

describe('a name', () => {
  const lookUp = (rules: AddressRules, all: boolean) =>
    new Promise((done) => {
      guardedLookup(rules)('name.test', { all }, (error, address) => done(error ?? address));
    });

  it('is refused when any of its addresses is private', async () => {
    for (const all of [true, false]) {
      await expect(lookUp(resolvesTo('8.8.8.8', '10.0.0.1'), all)).resolves.toMatchObject({ code: 'ADDRESS_REFUSED' });
    }
    await expect(resolveHost('name.test', resolvesTo('::ffff:10.0.0.1'))).rejects.toMatchObject({
      code: 'ADDRESS_REFUSED',
    });
  });

  it('is handed to the connector as the addresses that were checked', async () => {
    await expect(lookUp(resolvesTo('8.8.8.8', '1.1.1.1'), false)).resolves.toBe('8.8.8.8');
    await expect(lookUp(resolvesTo('8.8.8.8', '2606:4700::1111'), true)).resolves.toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
  });

  it('without an address fails as one that is not there', async () => {
    await expect(lookUp(resolvesTo(), false)).resolves.toMatchObject({ message: 'name.test has no address' });
  });
});
