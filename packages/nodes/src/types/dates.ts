import type { ValidationIssue } from '@deckhand/contracts';
import { defineNodeType, NodeError, output } from '@deckhand/engine';
import { DateTime, type DurationLikeObject, IANAZone } from 'luxon';
import Type from 'typebox';
import { findRepeatedField, findUnknownField, warnOfFormat } from '../text/date-fields.ts';
import { isKnownLocale, warnOfLocale } from '../text/known-locale.ts';
import { boundLuxonCaches } from '../text/luxon-caches.ts';

const UNITS = ['years', 'quarters', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds', 'milliseconds'] as const;
const OPERATIONS = ['parse', 'format', 'add', 'subtract', 'difference', 'startOf', 'endOf'] as const;

/** The longest text of a date, in characters. */
const MAX_DATE = 1_000;

/** Operations that need another parameter. */
const NEEDED = new Map<unknown, 'format' | 'amount' | 'other'>([
  ['format', 'format'],
  ['add', 'amount'],
  ['subtract', 'amount'],
  ['difference', 'other'],
]);

export default defineNodeType({
  type: 'dates',
  title: 'Dates and times',
  description:
    'Parses, formats, moves and compares dates in a time zone. Returns `{ iso, milliseconds, zone }`, where `iso` has the zone’s offset, to the millisecond; `format` adds `text`, `difference` returns `{ amount, unit }`. Months and days follow the calendar of the zone, so a day has 23 or 25 hours where clocks change. A local time that occurs twice is the first of them, one that does not exist is later by the change. Use `{{ $now }}` for the current time.',
  keywords: ['date', 'time zone', 'timestamp', 'today', 'now', 'add days', 'calendar', 'format date'],
  category: 'data',
  icon: 'calendar-days',
  summary: '{operation}',
  hasEffects: false,
  parameters: Type.Object(
    {
      operation: Type.Enum(OPERATIONS, { description: 'The operation' }),
      date: Type.Unsafe<string | number>({
        type: ['string', 'number'],
        maxLength: MAX_DATE,
        description:
          'ISO 8601, also with a space in place of the T, or milliseconds since 1970; with `inputFormat`, a text in that format',
      }),
      inputFormat: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description:
            'The format of `date`, such as dd.MM.yyyy; no field may occur twice, and text is in single quotes',
        }),
      ),
      timezone: Type.Optional(
        Type.String({ maxLength: 100, default: 'UTC', description: 'A name such as Europe/Berlin' }),
      ),
      format: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'For `format`: the format, such as yyyy-MM-dd HH:mm, or cccc; text is in single quotes',
        }),
      ),
      locale: Type.Optional(
        Type.String({
          maxLength: 35,
          default: 'en',
          description:
            'For `format` and `inputFormat`: the language of the names of months and days, such as de or en-GB',
        }),
      ),
      amount: Type.Optional(Type.Number({ description: 'For `add` and `subtract`: how much' })),
      unit: Type.Optional(
        Type.Enum(UNITS, {
          default: 'days',
          description: 'The unit of `amount` or of a difference, or the period that starts or ends',
        }),
      ),
      other: Type.Optional(
        Type.Unsafe<string | number>({
          type: ['string', 'number'],
          maxLength: MAX_DATE,
          description: 'For `difference`: the end of the period that starts at `date`',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  check({ operation, format, amount, other, timezone }): ValidationIssue[] {
    const issues: ValidationIssue[] = [];
    const needed = NEEDED.get(operation);
    if (needed !== undefined && { format, amount, other }[needed] === undefined) {
      issues.push({ path: needed, message: 'is required by this operation' });
    }
    if (typeof timezone === 'string' && !timezone.includes('{{') && !IANAZone.isValidZone(timezone)) {
      issues.push({ path: 'timezone', message: 'must be a time zone such as Europe/Berlin' });
    }
    return issues;
  },
  warn: ({ format, inputFormat, locale }) => [
    ...warnOfFormat('format', format, 'writes'),
    ...warnOfFormat('inputFormat', inputFormat, 'reads'),
    ...warnOfLocale(locale),
  ],
  run({ operation, date, inputFormat, timezone = 'UTC', format, locale = 'en', amount, unit = 'days', other }) {
    if (!IANAZone.isValidZone(timezone)) throw invalid('timezone', 'must be a time zone such as Europe/Berlin');
    if (!isKnownLocale(locale)) throw invalid('locale', 'must be a language such as de or en-GB');
    boundLuxonCaches(`${timezone} ${locale}`);
    if (inputFormat !== undefined) requireFields('inputFormat', inputFormat, 'reads');
    if (format !== undefined) requireFields('format', format, 'writes');
    const repeated = inputFormat === undefined ? undefined : findRepeatedField(inputFormat);
    if (repeated !== undefined) throw invalid('inputFormat', `names the ${repeated} twice`);
    const moment = read('date', date, { timezone, inputFormat, locale });
    switch (operation) {
      case 'parse':
        return answer(moment);
      case 'format':
        if (format === undefined) throw invalid('format', 'is required by format');
        return answer(moment, { text: moment.setLocale(locale).toFormat(format) });
      case 'add':
      case 'subtract': {
        if (amount === undefined) throw invalid('amount', `is required by ${operation}`);
        const duration: DurationLikeObject = { [unit]: amount };
        const moved = operation === 'add' ? moment.plus(duration) : moment.minus(duration);
        // A number of hours is a time; a number of days ends at a local time.
        return answer(CALENDAR.has(unit) && amount !== 0 ? firstOf(moved) : moved);
      }
      case 'difference': {
        if (other === undefined) throw invalid('other', 'is required by difference');
        const until = read('other', other, { timezone, inputFormat, locale });
        return output({ amount: until.diff(moment, unit).as(unit), unit });
      }
      case 'startOf':
        return answer(startOf(moment, unit));
      case 'endOf':
        return answer(startOf(moment.plus({ [unit]: 1 }), unit).minus(1));
    }
  },
  example: {
    trigger: { ordered: '2026-03-28T12:00:00Z' },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'dates',
          type: 'dates',
          parameters: {
            operation: 'add',
            date: '{{ $trigger.ordered }}',
            amount: 1,
            unit: 'days',
            timezone: 'Europe/Berlin',
          },
        },
      ],
      edges: [{ source: 'start', target: 'dates' }],
    },
    outputs: {
      dates: { iso: '2026-03-29T13:00:00.000+02:00', milliseconds: 1774782000000, zone: 'Europe/Berlin' },
    },
  },
});

const SINGULAR = {
  years: 'year',
  quarters: 'quarter',
  months: 'month',
  weeks: 'week',
  days: 'day',
  hours: 'hour',
  minutes: 'minute',
  seconds: 'second',
  milliseconds: 'millisecond',
} as const;

/** Units that follow the calendar of a zone. */
const CALENDAR: ReadonlySet<string> = new Set(['years', 'quarters', 'months', 'weeks', 'days']);

/** The start of a period. Where clocks change at midnight, a day starts at the first midnight, or after the change. */
function startOf(moment: DateTime, unit: keyof typeof SINGULAR): DateTime {
  const start = moment.startOf(SINGULAR[unit]);
  return CALENDAR.has(unit) ? firstOf(start) : start;
}

/**
 * Returns the first of two times that are the same by a clock which was turned back. Luxon takes either, by the offset
 * that its zone has at the time of the call. Schedules take the first, too (RFC 5545, 3.3.5).
 */
function firstOf(moment: DateTime): DateTime {
  return moment.isValid ? (moment.getPossibleOffsets()[0] ?? moment) : moment;
}

/** A date and a time as PostgreSQL writes a `timestamp`. */
const DATE_BEFORE_SPACE = /^(\d{4}-\d\d-\d\d) (?=\d\d:)/;

function read(
  field: string,
  value: string | number,
  { timezone, inputFormat, locale }: { timezone: string; inputFormat: string | undefined; locale: string },
): DateTime<true> {
  // With `setZone`, a text that names no offset itself has the zone of the node.
  const zone = { zone: timezone, setZone: true };
  const moment =
    typeof value === 'number'
      ? DateTime.fromMillis(value, { zone: timezone })
      : inputFormat === undefined
        ? DateTime.fromISO(value.replace(DATE_BEFORE_SPACE, '$1T'), zone)
        : DateTime.fromFormat(value, inputFormat, { ...zone, locale });
  if (!moment.isValid) throw invalid(field, `is not a date: ${moment.invalidExplanation ?? 'it cannot be read'}`);
  const isLocal = typeof value === 'string' && moment.zone.type === 'iana';
  const found = (isLocal ? firstOf(moment) : moment).setZone(timezone);
  if (!isDate(found)) throw invalid(field, 'is not a date in that time zone');
  return found;
}

function isDate(moment: DateTime): moment is DateTime<true> {
  return moment.isValid;
}

function requireFields(parameter: string, format: string, use: 'reads' | 'writes'): void {
  const unknown = findUnknownField(format, use);
  if (unknown === undefined) return;
  throw invalid(parameter, `has ${unknown}, which is not a field of a date that it ${use}; text is in 'single quotes'`);
}

function answer(moment: DateTime, more: { text?: string } = {}) {
  if (!moment.isValid) throw invalid('amount', 'leads to a date that does not exist');
  return output({ iso: moment.toISO(), milliseconds: moment.toMillis(), zone: moment.zoneName, ...more });
}

function invalid(field: string, message: string): NodeError {
  return new NodeError('PARAMETERS_INVALID', `parameters.${field} ${message}`, { isRetryable: false });
}
