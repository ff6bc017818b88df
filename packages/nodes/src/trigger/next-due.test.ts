import { describe, expect, it } from '@jest/globals';
import { CronExpressionParser } from 'cron-parser';
import fc from 'fast-check';
import { IANAZone } from 'luxon';
import { nextDueTime } from './next-due.ts';

/** The next due times after a time, each found from the one before. */
function dueAfter(cron: string, timezone: string, from: string, count: number): string[] {
  const times: string[] = [];
  let after = Date.parse(from);
  while (times.length < count) {
    after = nextDueTime({ cron, timezone }, after);
    times.push(new Date(after).toISOString().replace(':00.000Z', 'Z'));
  }
  return times;
}

describe('when the clocks go forward', () => {
  it.each([
    // 02:00 to 03:00 is skipped in Berlin on 2026-03-29, at 01:00Z.
    ['a skipped time', '30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', ['2026-03-29T01:30Z', '2026-03-30T00:30Z']],
    ['the hour itself', '0 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', ['2026-03-29T01:00Z', '2026-03-30T00:00Z']],
    ['a time behind', '0 3 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', ['2026-03-29T01:00Z', '2026-03-30T01:00Z']],
    [
      'a skipped and the next hour',
      '30 2,3 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00Z',
      ['2026-03-29T01:30Z', '2026-03-30T00:30Z'],
    ],
    [
      'several skipped',
      '*/20 2 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00Z',
      ['2026-03-29T01:00Z', '2026-03-29T01:20Z', '2026-03-29T01:40Z', '2026-03-30T00:00Z'],
    ],
    [
      'a rhythm',
      '*/30 * * * *',
      'Europe/Berlin',
      '2026-03-29T00:15Z',
      ['2026-03-29T00:30Z', '2026-03-29T01:00Z', '2026-03-29T01:30Z'],
    ],
    [
      'the only time of a year',
      '30 2 29 3 *',
      'Europe/Berlin',
      '2026-01-01T00:00Z',
      ['2026-03-29T01:30Z', '2027-03-29T00:30Z'],
    ],
    [
      'from within the gap',
      '45 2 * * *',
      'Europe/Berlin',
      '2026-03-29T01:30Z',
      ['2026-03-29T01:45Z', '2026-03-30T00:45Z'],
    ],
    ['New York', '30 2 * * *', 'America/New_York', '2026-03-07T12:00Z', ['2026-03-08T07:30Z', '2026-03-09T06:30Z']],
    [
      'a skipped midnight',
      '0 0 * * *',
      'America/Santiago',
      '2026-09-05T12:00Z',
      ['2026-09-06T04:00Z', '2026-09-07T03:00Z'],
    ],
    [
      'a morning after a skipped midnight',
      '0 9 * * 0',
      'America/Santiago',
      '2026-09-05T12:00Z',
      ['2026-09-06T12:00Z', '2026-09-13T12:00Z'],
    ],
    ['Cairo', '30 0 * * *', 'Africa/Cairo', '2026-04-23T12:00Z', ['2026-04-23T22:30Z', '2026-04-24T21:30Z']],
    [
      'half an hour',
      '15,40 2 * * *',
      'Australia/Lord_Howe',
      '2026-10-03T12:00Z',
      ['2026-10-03T15:40Z', '2026-10-03T15:45Z', '2026-10-04T15:15Z'],
    ],
  ])('%s', (_, cron, zone, from, times) => {
    expect(dueAfter(cron, zone, from, times.length)).toEqual(times);
  });
});

describe('when the clocks go back', () => {
  it.each([
    // 02:00 to 03:00 comes twice in Berlin on 2026-10-25, from 00:00Z and from 01:00Z.
    ['a repeated time', '30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', ['2026-10-25T00:30Z', '2026-10-26T01:30Z']],
    ['from between the two', '30 2 * * *', 'Europe/Berlin', '2026-10-25T00:45Z', ['2026-10-26T01:30Z']],
    ['a time behind', '0 3 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', ['2026-10-25T02:00Z', '2026-10-26T02:00Z']],
    [
      'several repeated',
      '*/20 2 * * *',
      'Europe/Berlin',
      '2026-10-24T12:00Z',
      ['2026-10-25T00:00Z', '2026-10-25T00:20Z', '2026-10-25T00:40Z', '2026-10-26T01:00Z'],
    ],
    [
      'every second hour',
      '0 */2 * * *',
      'Europe/Berlin',
      '2026-10-24T21:00Z',
      ['2026-10-24T22:00Z', '2026-10-25T00:00Z', '2026-10-25T03:00Z'],
    ],
    [
      'a rhythm',
      '*/30 * * * *',
      'Europe/Berlin',
      '2026-10-24T23:45Z',
      ['2026-10-25T00:00Z', '2026-10-25T00:30Z', '2026-10-25T01:00Z', '2026-10-25T01:30Z', '2026-10-25T02:00Z'],
    ],
    [
      'a rhythm of one day',
      '0 * 25 10 *',
      'Europe/Berlin',
      '2026-10-24T23:45Z',
      ['2026-10-25T00:00Z', '2026-10-25T01:00Z', '2026-10-25T02:00Z'],
    ],
    [
      'the only time of a year',
      '30 2 25 10 *',
      'Europe/Berlin',
      '2026-01-01T00:00Z',
      ['2026-10-25T00:30Z', '2027-10-25T00:30Z'],
    ],
    ['New York', '30 1 * * *', 'America/New_York', '2026-10-31T12:00Z', ['2026-11-01T05:30Z', '2026-11-02T06:30Z']],
    [
      'half an hour',
      '45 1 * * *',
      'Australia/Lord_Howe',
      '2026-04-04T00:00Z',
      ['2026-04-04T14:45Z', '2026-04-05T15:15Z'],
    ],
  ])('%s', (_, cron, zone, from, times) => {
    expect(dueAfter(cron, zone, from, times.length)).toEqual(times);
  });
});

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Santiago',
  'Africa/Cairo',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Antarctica/Troll',
  'America/St_Johns',
];
const minutes = fc.constantFrom('0', '30', '15,45', '*/20', '*', '59');
const anyRule = fc.record({
  cron: fc
    .tuple(
      minutes,
      fc.constantFrom('*', '0', '1', '2', '0-3', '*/2', '2,3', '23', '9-17'),
      fc.constantFrom('*', '1-7', '25', 'L'),
      fc.constantFrom('*', '3', '10'),
      fc.constantFrom('*', '0', '1-5'),
    )
    .map((fields) => fields.join(' ')),
  timezone: fc.constantFrom(...ZONES),
});
const anyTime = fc.integer({ min: Date.parse('2024-01-01'), max: Date.parse('2027-12-31') });
/** Within two hours of a clock change of some of the zones. */
const nearChange = fc
  .tuple(
    fc.constantFrom(
      '2026-03-29T01:00Z',
      '2026-10-25T01:00Z',
      '2026-03-08T07:00Z',
      '2026-11-01T06:00Z',
      '2026-09-06T04:00Z',
      '2026-04-05T03:00Z',
      '2026-10-03T15:30Z',
      '2026-04-04T15:00Z',
      '2026-04-23T22:00Z',
    ),
    fc.integer({ min: -7_200, max: 7_200 }),
  )
  .map(([change, seconds]) => Date.parse(change) + seconds * 1_000);

describe('of any schedule', () => {
  it('what is due next is later, and nothing is due in between', () => {
    fc.assert(
      fc.property(
        anyRule,
        fc.oneof(nearChange, anyTime),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (rule, after, part) => {
          const due = nextDueTime(rule, after);
          expect(due).toBeGreaterThan(after);
          expect(nextDueTime(rule, due - 1)).toBe(due);
          // The next time does not depend on where the search starts.
          expect(nextDueTime(rule, after + Math.floor((due - 1 - after) * part))).toBe(due);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('a time of day is due once a day, whatever the clock does', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: 0, max: 59 }),
        fc.constantFrom(...ZONES),
        (hour, minute, timezone) => {
          let after = Date.parse('2026-01-01T00:00Z');
          const days: string[] = [];
          while (days.length < 365) {
            after = nextDueTime({ cron: `${minute} ${hour} * * *`, timezone }, after);
            days.push(new Date(after + IANAZone.create(timezone).offset(after) * 60_000).toISOString().slice(0, 10));
          }
          // A time that is skipped just before midnight may move to the next day, in addition to that day's own.
          expect(new Set(days).size).toBe(365);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('it is what the parser says, away from clock changes', () => {
    fc.assert(
      fc.property(
        anyRule,
        fc.integer({ min: Date.parse('2026-06-01'), max: Date.parse('2026-08-01') }),
        (rule, after) => {
          const due = nextDueTime(rule, after);
          const isCalm = ZONES.every(
            (zone) => IANAZone.create(zone).offset(after) === IANAZone.create(zone).offset(due),
          );
          fc.pre(isCalm);
          const parsed = CronExpressionParser.parse(rule.cron, { tz: rule.timezone, currentDate: new Date(after) });
          expect(parsed.next().getTime()).toBe(due);
        },
      ),
      { numRuns: 500 },
    );
  });
});
