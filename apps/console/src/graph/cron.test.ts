import { describe, expect, it } from '@jest/globals';
import { describeCron, fromCron, type Repeat, toCron } from './cron.ts';

describe('a repetition', () => {
  it.each<[string, Repeat, string]>([
    ['*/15 * * * *', { every: 'minutes', minutes: 15 }, 'every 15 min'],
    ['5 * * * *', { every: 'hour', minute: 5 }, 'hourly at :05'],
    ['30 9 * * *', { every: 'day', time: '09:30' }, 'daily at 09:30'],
    ['0 18 * * 1-5', { every: 'weekday', time: '18:00' }, 'Monday to Friday at 18:00'],
    ['0 9 * * 1', { every: 'week', time: '09:00', weekday: 1 }, 'Mondays at 09:00'],
    ['0 0 31 * *', { every: 'month', time: '00:00', day: 31 }, 'monthly on day 31 at 00:00'],
  ])('%s is written, read and described', (cron, repeat, words) => {
    expect([toCron(repeat), fromCron(cron), describeCron(cron)]).toEqual([cron, repeat, words]);
  });

  it.each(['', '* * * * *', '0 9 1 * 1', '0 9 * 1 *', '0 9,12 * * *', '0 0 9 * * *', '*/5 9 * * *', '0 9 L * *'])(
    'is not what "%s" is: it is shown as it is',
    (cron) => {
      expect([fromCron(cron), describeCron(cron)]).toEqual([undefined, cron]);
    },
  );
});
