import { describe, expect, it } from '@jest/globals';
import { fromCron, type Repeat, toCron } from './cron.js';

describe('a repetition', () => {
  it.each<[string, Repeat]>([
    ['*/15 * * * *', { every: 'minutes', minutes: 15 }],
    ['5 * * * *', { every: 'hour', minute: 5 }],
    ['30 9 * * *', { every: 'day', time: '09:30' }],
    ['0 18 * * 1-5', { every: 'weekday', time: '18:00' }],
    ['0 9 * * 1', { every: 'week', time: '09:00', weekday: 1 }],
    ['0 0 31 * *', { every: 'month', time: '00:00', day: 31 }],
  ])('%s is written and read', (cron, repeat) => {
    expect([toCron(repeat), fromCron(cron)]).toEqual([cron, repeat]);
  });

  it.each(['', '* * * * *', '0 9 1 * 1', '0 9 * 1 *', '0 9,12 * * *', '0 0 9 * * *', '*/5 9 * * *', '0 9 L * *'])(
    'is not what "%s" is: it is shown as it is',
    (cron) => {
      expect(fromCron(cron)).toBeUndefined();
    },
  );
});
