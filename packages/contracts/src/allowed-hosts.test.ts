import { describe, expect, it } from '@jest/globals';
import { AllowedHosts, hostOf, isAllowedHost } from './allowed-hosts.ts';
import { compileCheck } from './validate.ts';

describe('allowed hosts', () => {
  it.each([
    ['https://api.example.com/x', ['api.example.com'], true],
    ['https://API.example.com/x', ['api.EXAMPLE.com'], true],
    ['https://example.com/', ['api.example.com', 'example.com'], true],
    ['https://api.example.com/', ['example.com'], false],
    ['https://api.example.com.evil.test/', ['api.example.com'], false],
    ['https://api.example.com/', ['*.example.com'], true],
    ['https://a.b.example.com/', ['*.example.com'], true],
    ['https://example.com/', ['*.example.com'], false],
    ['https://evilexample.com/', ['*.example.com'], false],
    ['https://api.example.com/', ['api.example.com:443'], true],
    ['http://api.example.com/', ['api.example.com:443'], false],
    ['https://api.example.com:8443/', ['api.example.com'], true],
    ['https://api.example.com:8443/', ['api.example.com:443'], false],
    ['http://[2001:db8::1]/', ['[2001:db8::1]'], true],
    ['http://[2001:db8::1]:81/', ['[2001:db8::1]:80'], false],
    ['http://10.0.0.7/', ['10.0.0.7:80'], true],
    // A host of no special scheme keeps its escapes: this one is read as evil.test somewhere else.
    ['postgres://u:p@evil%2etest.example.com/x', ['*.example.com'], false],
  ])('%s with %j: %s', (url, allowed, expected) => {
    expect(isAllowedHost(hostOf(new URL(url)), allowed)).toBe(expected);
  });

  it('are names and addresses, with or without a port', () => {
    const check = compileCheck(AllowedHosts);
    const isRight = (host: string): boolean => !('issues' in check([host]));
    const right = ['a', 'a_b.example', '*.example.com', '*.example.com:8443', '10.0.0.1:80', '[::1]', '[::1]:5432'];
    const wrong = [
      '',
      '*',
      'a.*',
      '*a.example',
      'https://a.example',
      'a.example/',
      'a b',
      '::1',
      'a:',
      'a:b',
      '.a',
      'a..b',
    ];
    expect(right.filter((host) => !isRight(host))).toEqual([]);
    expect(wrong.filter(isRight)).toEqual([]);
  });
});
