import { describe, expect, it } from '@jest/globals';
import { fingerprintOf, normalizeMessage } from './fingerprint.ts';

describe('a normalized message', () => {
  it.each([
    ['Order 4711 of 12.50 EUR is gone', 'Order <number> of <number> EUR is gone'],
    ['GET https://a.example/x?id=1 failed with 503', 'GET <url> failed with <number>'],
    ['No run 01a1fb35-e8df-7352-8660-75a19a555620.', 'No run <uuid>.'],
    ['Since 2026-11-25T04:51:25.123Z and 2026-11-25 nothing', 'Since <time> and <time> nothing'],
    [`No "red" or 'green' or \`blue\` one`, 'No <text> or <text> or <text> one'],
    ["It can't be, it won't be", "It can't be, it won't be"],
    ['At 0xdeadbeef of 9f86d081884c7d65', 'At <hex> of <hex>'],
    ['deadbeef defaced 12345678', 'deadbeef defaced <number>'],
    ['One\n\t two\u0000three ', 'One two three'],
  ])('%j', (message, normalized) => {
    expect(normalizeMessage(message)).toBe(normalized);
  });

  it('is bounded, whatever the message', () => {
    for (const part of ['a', '"', "'", "'a", '\ud83d\ude00', '1', 'a1', 'http://', '0x']) {
      const start = performance.now();
      expect(normalizeMessage(part.repeat(1_000_000)).length).toBeLessThanOrEqual(300);
      expect(performance.now() - start).toBeLessThan(1_000);
    }
  });
});

it('groups failures by node type, code and message', () => {
  const kind = { nodeType: 'http', code: 'HTTP_STATUS', message: 'm' };
  const others = [
    { ...kind, nodeType: null },
    { ...kind, code: 'X' },
    { ...kind, message: 'n' },
  ];
  expect(new Set([kind, { ...kind }, ...others].map(fingerprintOf)).size).toBe(4);
});
