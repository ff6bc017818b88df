import { describe, expect, it } from '@jest/globals';
import { proxyFor } from './proxy.ts';

const HTTP = 'http://proxy:3128';
const HTTPS = 'http://tls-proxy:3128';
const through = (url: string, noProxy = '', httpsProxy = HTTPS) =>
  proxyFor(new URL(url), { httpProxy: HTTP, httpsProxy, noProxy });

describe('the proxy of a request', () => {
  it('is the one of its scheme, and that of http for https without one', () => {
    expect([through('http://a.test/'), through('https://a.test/'), through('https://a.test/', '', '')]).toEqual([
      HTTP,
      HTTPS,
      HTTP,
    ]);
    expect(proxyFor(new URL('http://a.test/'), { httpsProxy: HTTPS })).toBeUndefined();
    expect(proxyFor(new URL('http://a.test/'), {})).toBeUndefined();
  });

  it.each([
    ['http://a.test/', 'a.test'],
    ['http://A.test./', 'a.TEST'],
    ['http://sub.a.test/', 'a.test'],
    ['http://sub.a.test/', '.a.test'],
    ['http://a.test/', '.a.test'],
    ['http://sub.a.test/', 'b.test, *.a.test'],
    ['http://a.test:8080/', 'a.test:8080'],
    ['https://a.test/', 'a.test:443'],
    ['http://[::1]/', '::1'],
    ['http://[::1]:8080/', '[::1]:8080'],
    ['http://anything/', '*'],
  ])('is none for %s where %s is excepted', (url, noProxy) => {
    expect(through(url, noProxy)).toBeUndefined();
  });

  it.each([
    ['http://a.test/', '*.a.test'],
    ['http://ba.test/', 'a.test'],
    ['http://a.test/', 'a.test:8080'],
    ['http://a.test.b/', 'a.test'],
    ['http://a.test/', ','],
  ])('is used for %s where %s is excepted', (url, noProxy) => {
    expect(through(url, noProxy)).toBe(HTTP);
  });
});
