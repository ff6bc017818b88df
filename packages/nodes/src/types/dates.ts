import type { ValidationIssue } from '@deckhand/contracts';
import { defineNodeType, NodeError, output } from '@deckhand/engine';
import { DateTime, type DurationLikeObject, IANAZone } from 'luxon';
import Type from 'typebox';
import { findRepeatedField } from '../text/date-fields.ts';
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
    'Parses, formats, moves and compares dates in a time zone. Returns `{ iso, milliseconds, zone }`, where `iso` has the zone’s offset; `format` adds `text`, `difference` returns `{ amount, unit }`. Months and days follow the calendar of the zone, so a day has 23 or 25 hours where clocks change. Use `{{ $now }}` for the current time.',
  keywords: ['date', 'time zone', 'timestamp', 'today', 'now', 'add days', 'calendar', 'format date'],
  category: 'data',
  hasEffects: false,
  parameters: Type.Object(
    {
      operation: Type.Enum(OPERATIONS, { description: 'The operation' }),
      date: Type.Unsafe<string | number>({
        type: ['string', 'number'],
        maxLength: MAX_DATE,
        description: 'ISO 8601, or milliseconds since 1970; with `inputFormat`, a text in that format',
      }),
      inputFormat: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'The format of `date`, such as dd.MM.yyyy; no field may occur twice',
        }),
      ),
      timezone: Type.Optional(
        Type.String({ maxLength: 100, default: 'UTC', description: 'A name such as Europe/Berlin' }),
      ),
      format: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'For `format`: the format, such as yyyy-MM-dd HH:mm, or cccc',
        }),
      ),
      locale: Type.Optional(
        Type.String({
          maxLength: 35,
          default: 'en',
          description: 'For `format`: the language of the names of months and days',
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
  run({ operation, date, inputFormat, timezone = 'UTC', format, locale = 'en', amount, unit = 'days', other }) {
    if (!IANAZone.isValidZone(timezone)) throw invalid('timezone', 'must be a time zone such as Europe/Berlin');
    boundLuxonCaches(`${timezone} ${locale}`);
    const repeated = inputFormat === undefined ? undefined : findRepeatedField(inputFormat);
    if (repeated !== undefined) throw invalid('inputFormat', `names the ${repeated} twice`);
    const moment = read('date', date, { timezone, inputFormat });
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
        return answer(operation === 'add' ? moment.plus(duration) : moment.minus(duration));
      }
      case 'difference': {
        if (other === undefined) throw invalid('other', 'is required by difference');
        const until = read('other', other, { timezone, inputFormat });
        return output({ amount: until.diff(moment, unit).as(unit), unit });
      }
      case 'startOf':
        return answer(moment.startOf(SINGULAR[unit]));
      case 'endOf':
        return answer(moment.endOf(SINGULAR[unit]));
    }
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

function read(
  field: string,
  value: string | number,
  { timezone, inputFormat }: { timezone: string; inputFormat: string | undefined },
): DateTime<true> {
  const moment =
    typeof value === 'number'
      ? DateTime.fromMillis(value, { zone: timezone })
      : inputFormat === undefined
        ? DateTime.fromISO(value, { zone: timezone })
        : DateTime.fromFormat(value, inputFormat, { zone: timezone });
  if (!moment.isValid) throw invalid(field, `is no date: ${moment.invalidExplanation ?? 'it cannot be read'}`);
  return moment;
}

function answer(moment: DateTime, more: { text?: string } = {}) {
  if (!moment.isValid) throw invalid('amount', 'leads to a date that does not exist');
  return output({ iso: moment.toISO(), milliseconds: moment.toMillis(), zone: moment.zoneName, ...more });
}

function invalid(field: string, message: string): NodeError {
  return new NodeError('PARAMETERS_INVALID', `parameters.${field} ${message}`, { isRetryable: false });
}
