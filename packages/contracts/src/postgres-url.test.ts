import { describe, expect, it } from '@jest/globals';
import { withExplicitSslMode } from './postgres-url.ts';

describe('the TLS mode of a PostgreSQL URL', () => {
  it.each(['prefer', 'require', 'verify-ca', 'verify-full'])('%s means verify-full', (mode) => {
    for (const [before, after] of [
      ['', ''],
      ['a=1&', ''],
      ['', '&sslrootcert=/ca.pem'],
      ['', '#x'],
    ]) {
      const url = (sslmode: string) => `postgresql://u:p?sslmode=x@h/d?${before}sslmode=${sslmode}${after}`;
      expect(withExplicitSslMode(url(mode))).toBe(url('verify-full'));
    }
  });

  it.each([
    'postgresql://u@h/d',
    'postgresql://u@h/d?sslmode=disable',
    'postgresql://u@h/d?sslmode=no-verify',
    'postgresql://u@h/d?sslmode=required',
    'postgresql://u@h/d?uselibpqcompat=true&sslmode=require',
    'postgresql://u@h/d?sslmode=require&uselibpqcompat=true',
  ])('of %s stays as it is', (url) => {
    expect(withExplicitSslMode(url)).toBe(url);
  });
});
