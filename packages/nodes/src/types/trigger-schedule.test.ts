import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@deckhand/contracts';
import { nodeContext } from '../../../../tests/harness/node-context.ts';
import node from './trigger-schedule.ts';

describe('a schedule', () => {
  it.each([
    ['0 9 * * 1-5', 'Europe/Berlin'],
    ['*/10 * * * * *', 'UTC'],
    ['0 0 L * *', 'America/New_York'],
    ['0 0 29 FEB *', 'Asia/Kolkata'],
    ['0 8 * * MON#1', undefined],
  ])('is sound: %p in %p', (cron, timezone) => {
    const parameters: JsonObject = timezone === undefined ? { cron } : { cron, timezone };
    expect([...node.validate(parameters), ...(node.check?.(parameters) ?? [])]).toEqual([]);
  });

  it.each([
    ['* * * *', 'it has 4'],
    ['* * * * * * *', 'it has 7'],
    ['@daily', 'it has 1'],
    ['61 * * * *', '61'],
    ['a b c d e', 'a'],
    ['0 0 30 2 *', 'day of month'],
    ['H 3 * * *', 'no definite time'],
  ])('is refused when it is saved: %p', (cron, why) => {
    expect(node.check?.({ cron })).toEqual([{ path: 'cron', message: expect.stringContaining(why) }]);
  });

  it('is refused with a time zone that nobody knows', () => {
    expect(node.check?.({ cron: '0 9 * * *', timezone: 'Mars/Olympus' })).toMatchObject([{ path: 'timezone' }]);
    expect(node.check?.({ cron: '0 9 * *', timezone: '+01:00' })).toMatchObject([
      { path: 'timezone' },
      { path: 'cron' },
    ]);
  });

  it('is refused with expressions, which nothing could give a value to', () => {
    expect(node.check?.({ cron: '{{ $vars.cron }}', timezone: 'UTC' })).toMatchObject([{ path: 'cron' }]);
  });

  it('passes on what started it', () => {
    const trigger = { scheduledFor: '2026-01-01T09:00:00.000Z', timezone: 'UTC', nodeId: 'daily', isCatchUp: false };
    expect(node.run({ cron: '0 9 * * *' }, nodeContext({ trigger }))).toEqual({ kind: 'output', output: trigger });
  });
});
