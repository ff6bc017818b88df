import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { isExpression } from '../expressions/template.ts';
import { unsupported } from '../unsupported.ts';
import { list, lookup, object, show } from '../workflow.ts';
import type { Conversion, Converted } from './converter.ts';
import { itemScript } from './item-script.ts';

/** Computes with dates, and writes the result into a field. */
export function dateTimeNode(conversion: Conversion): Converted {
  return conversion.node.version < 2 ? olderNode(conversion) : newerNode(conversion);
}

/** JavaScript that reads a date as n8n does: numbers are seconds if they are short, and milliseconds otherwise. */
const READ = [
  'const DATE =',
  '  /^([1-9]\\d{3})-(\\d\\d)-(\\d\\d)(?:[T ](\\d\\d):(\\d\\d)(?::(\\d\\d)(?:[.,](\\d{1,9}))?)?(?: ?(Z)|([+-])(\\d\\d)(?::?(\\d\\d))?)?)?$/;',
  'const readText = (text) => {',
  '  const found = DATE.exec(text);',
  "  if (!found) throw new Error('not a date such as 2026-11-20T08:15:00Z');",
  "  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((part = '0') => Number(part));",
  '  const isDay = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day && month <= 12;',
  '  const isTime = minute < 60 && second < 60 && hour * 3600 + minute * 60 + second <= 86_400;',
  "  if (!isDay || !isTime) throw new Error('not a date that exists');",
  "  const ms = Date.UTC(year, month - 1, day, hour, minute, second, Number((found[7] ?? '').slice(0, 3).padEnd(3, '0')));",
  '  const sign = found[9];',
  "  const offset = sign === undefined ? 0 : Number(`${sign}1`) * (Number(found[10]) * 60 + Number(found[11] ?? '0'));",
  '  return ms - offset * 60_000;',
  '};',
  'const read = (value) => {',
  '  let number = Number(value);',
  "  if (value === undefined || Number.isNaN(number)) return readText(typeof value === 'string' ? value : '');",
  '  if (!Number.isInteger(number)) number *= 1000;',
  "  if (!Number.isInteger(number)) throw new Error('not a date');",
  '  return String(number).length < 12 ? number * 1000 : number;',
  '};',
];

/** JavaScript that returns whether a number is within the range of dates. */
const IS_TIME = 'const isTime = (ms) => !Number.isNaN(new Date(ms).getTime());';

/** JavaScript that returns how far a zone is from UTC at a time, in ms. */
function offsetOf(zone: string): string[] {
  if (zone === 'UTC') return [IS_TIME, 'const offsetAt = () => 0;'];
  const parts = ['year', 'month', 'day', 'hour', 'minute', 'second'].map((part) => `${part}: 'numeric'`).join(', ');
  return [
    IS_TIME,
    `const clock = new Intl.DateTimeFormat('en-US', { timeZone: ${JSON.stringify(zone)}, hourCycle: 'h23', ${parts} });`,
    'const offsetAt = (ms) => {',
    '  if (!isTime(ms)) return 0;',
    '  const { year, month, day, hour, minute, second } = Object.fromEntries(',
    '    clock.formatToParts(new Date(ms)).map(({ type, value }) => [type, Number(value)]),',
    '  );',
    '  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;',
    '};',
  ];
}

/** JavaScript that converts between times and the clock of a zone, and writes a time as n8n does. */
const ZONE = [
  'const localOf = (ms) => new Date(ms + offsetAt(ms));',
  'const timeOf = (local, before) => {',
  '  const first = offsetAt(local - before);',
  '  if (first === before) return local - before;',
  '  const second = offsetAt(local - first);',
  '  return local - (first === second ? first : Math.min(first, second));',
  '};',
  "const two = (number) => String(number).padStart(2, '0');",
];

function writing(zone: string): string[] {
  const check = "  if (!isTime(ms)) return 'Invalid DateTime';";
  if (zone === 'UTC') return ['const write = (ms) => {', check, '  return new Date(ms).toISOString();', '};'];
  return [
    'const write = (ms) => {',
    check,
    '  const minutes = Math.abs(offsetAt(ms)) / 60_000;',
    "  const sign = offsetAt(ms) < 0 ? '-' : '+';",
    '  return `${localOf(ms).toISOString().slice(0, -1)}${sign}${two(Math.trunc(minutes / 60))}:${two(Math.trunc(minutes % 60))}`;',
    '};',
  ];
}

/** JavaScript that adds amounts of units: days, months and years by the clock of the zone. */
const PLUS = [
  'const MS = { weeks: 604_800_000, days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1000, milliseconds: 1 };',
  'const plus = (ms, { years = 0, quarters = 0, months = 0, weeks = 0, days = 0, ...times }) => {',
  '  const local = localOf(ms);',
  '  const month = local.getUTCMonth() + months + quarters * 3;',
  '  const year = local.getUTCFullYear() + years;',
  '  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();',
  '  const day = Math.min(local.getUTCDate(), last) + days + weeks * 7;',
  '  const [hour, minute, second] = [local.getUTCHours(), local.getUTCMinutes(), local.getUTCSeconds()];',
  '  const moved = Date.UTC(year, month, day, hour, minute, second, local.getUTCMilliseconds());',
  '  const added = Object.entries(times).reduce((sum, [unit, amount]) => sum + amount * MS[unit], 0);',
  '  return timeOf(moved, offsetAt(ms)) + added;',
  '};',
];

const AMOUNT = [
  'const toAmount = (value) => {',
  '  if (value === null || value === undefined) return 0;',
  '  const amount = Number(value);',
  "  if (!Number.isInteger(amount) || typeof value === 'boolean' || value === '') {",
  "    throw new Error('not a whole number of units');",
  '  }',
  '  return amount;',
  '};',
];

/** JavaScript for the start of a unit, by the clock of the zone. */
const STARTS: Readonly<Record<string, string>> = {
  year: '[at.getUTCFullYear(), 0, 1]',
  month: '[at.getUTCFullYear(), at.getUTCMonth(), 1]',
  week: '[at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() - ((at.getUTCDay() + 6) % 7)]',
  day: '[at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]',
  hour: '[at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), at.getUTCHours()]',
  minute: '[at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), at.getUTCHours(), at.getUTCMinutes()]',
  second:
    '[at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()]',
};

function startOf(unit: JsonValue): string[] {
  const start = lookup(STARTS, unit) ?? unsupported(`the start of a unit that is ${show(unit)}`);
  return [
    'const startOf = (ms) => {',
    '  const at = localOf(ms);',
    `  return timeOf(Date.UTC(...${start}), offsetAt(ms));`,
    '};',
  ];
}

/** JavaScript that returns the time between two dates in units, as Luxon computes it. */
const BETWEEN = [
  'const ORDER = ["years", "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds"];',
  'const dayOf = (ms) => Math.floor(localOf(ms).getTime() / MS.days);',
  'const monthsOf = (ms) => localOf(ms).getUTCFullYear() * 12 + localOf(ms).getUTCMonth();',
  'const COUNT = {',
  '  years: (from, to) => localOf(to).getUTCFullYear() - localOf(from).getUTCFullYear(),',
  '  months: (from, to) => monthsOf(to) - monthsOf(from),',
  '  weeks: (from, to) => Math.trunc((dayOf(to) - dayOf(from)) / 7),',
  '  days: (from, to) => dayOf(to) - dayOf(from),',
  '};',
  'const between = (start, end, units) => {',
  '  if (!isTime(start) || !isTime(end)) return {};',
  '  const [from, to] = start < end ? [start, end] : [end, start];',
  '  const result = {};',
  '  let [cursor, above, lowest] = [from, undefined, undefined];',
  '  for (const unit of ORDER.slice(0, 4).filter((each) => units.includes(each))) {',
  '    lowest = unit;',
  '    result[unit] = COUNT[unit](cursor, to);',
  '    above = plus(from, result);',
  '    if (above <= to) {',
  '      cursor = above;',
  '      continue;',
  '    }',
  '    result[unit] -= 1;',
  '    cursor = plus(from, result);',
  '    if (cursor <= to) continue;',
  '    above = cursor;',
  '    result[unit] -= 1;',
  '    cursor = plus(from, result);',
  '  }',
  '  const times = ORDER.slice(4).filter((each) => units.includes(each));',
  '  const rest = to - cursor;',
  '  if (times.length === 0 && lowest !== undefined) {',
  '    if (above < to) above = plus(cursor, { [lowest]: 1 });',
  '    if (above !== cursor) result[lowest] += rest / (above - cursor);',
  '  }',
  '  for (const [index, unit] of times.toReversed().entries()) {',
  '    const below = times[times.length - index];',
  '    const size = MS[unit] / MS[below ?? "milliseconds"];',
  '    result[unit] = below === undefined ? rest / size : Math.floor(result[below] / size);',
  '    if (below !== undefined) result[below] -= result[unit] * size;',
  '  }',
  '  const sign = start <= end ? 1 : -1;',
  '  return Object.fromEntries(ORDER.filter((unit) => unit in result).map((unit) => [unit, result[unit] * sign || 0]));',
  '};',
];

/** Parts of a date in JavaScript, by the tokens of Luxon. `at` is a date with the clock of the zone as UTC. */
const PARTS: Readonly<Record<string, string>> = {
  yyyy: "String(at.getUTCFullYear()).padStart(4, '0')",
  yy: 'two(at.getUTCFullYear() % 100)',
  y: 'at.getUTCFullYear()',
  MMMM: 'MONTHS[at.getUTCMonth()]',
  MMM: 'MONTHS[at.getUTCMonth()].slice(0, 3)',
  MM: 'two(at.getUTCMonth() + 1)',
  M: 'at.getUTCMonth() + 1',
  dd: 'two(at.getUTCDate())',
  d: 'at.getUTCDate()',
  EEEE: 'DAYS[at.getUTCDay()]',
  EEE: 'DAYS[at.getUTCDay()].slice(0, 3)',
  HH: 'two(at.getUTCHours())',
  H: 'at.getUTCHours()',
  hh: 'two(at.getUTCHours() % 12 || 12)',
  h: 'at.getUTCHours() % 12 || 12',
  a: "at.getUTCHours() < 12 ? 'AM' : 'PM'",
  mm: 'two(at.getUTCMinutes())',
  m: 'at.getUTCMinutes()',
  ss: 'two(at.getUTCSeconds())',
  s: 'at.getUTCSeconds()',
  SSS: "String(at.getUTCMilliseconds()).padStart(3, '0')",
  X: 'Math.floor(ms / 1000)',
  x: 'ms',
};

/** Other names of these tokens in Luxon. */
const LUXON: Readonly<Record<string, string>> = {
  LLLL: 'MMMM',
  LLL: 'MMM',
  LL: 'MM',
  L: 'M',
  cccc: 'EEEE',
  ccc: 'EEE',
};

/** Names of these tokens in Moment, which version 1 has. */
const MOMENT: Readonly<Record<string, string>> = {
  ...{ YYYY: 'yyyy', YY: 'yy', DD: 'dd', D: 'd', dddd: 'EEEE', ddd: 'EEE', A: 'a' },
  ...Object.fromEntries(
    ['MMMM', 'MMM', 'MM', 'M', 'HH', 'H', 'hh', 'h', 'mm', 'm', 'ss', 's', 'SSS', 'X', 'x'].map((token) => [
      token,
      token,
    ]),
  ),
};

const NAMES = [
  "const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];",
  "const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];",
];

/** Returns JavaScript for a date in a format. @throws UnsupportedError for a token that has no equivalent. */
function formatting(format: JsonValue, isMoment: boolean): string[] {
  if (typeof format !== 'string' || isExpression(format)) return unsupported('a format that is an expression');
  // As in Moment, text in brackets has none that opens another one.
  const quotes = isMoment ? /\[([^[]*)\]/ : /'([^']*)'/;
  const tokens = new RegExp(`${quotes.source}|([A-Za-z])\\2*|[^A-Za-z]`, 'g');
  const parts = [...format.matchAll(tokens)].map(([token, quoted, letter]) => {
    if (quoted !== undefined) return JSON.stringify(quoted);
    if (letter === undefined) return JSON.stringify(token);
    const known = isMoment ? lookup(MOMENT, token) : (lookup(LUXON, token) ?? token);
    return lookup(PARTS, known) ?? unsupported(`the format of dates has "${token}", which has no equivalent`);
  });
  const invalid = isMoment ? "throw new Error('not a date')" : "return 'Invalid DateTime'";
  return [
    ...NAMES,
    'const format = (at, ms) => {',
    `  if (!isTime(ms)) ${invalid};`,
    `  return [${parts.join(', ')}].join('');`,
    '};',
  ];
}

const notDates = 'dates fail here if they are neither numbers nor text such as 2026-11-20 or 2026-11-20T08:15:00Z';
const localDates = 'dates without a time zone are in UTC here';
const instanceZone = 'dates are written in UTC here, in n8n in the time zone of the instance';

/** The parameters that exports omit, by operation. */
const OMITTED: Readonly<Record<string, JsonObject>> = {
  getCurrentDate: { includeTime: true, outputFieldName: 'currentDate' },
  addToDate: { magnitude: '', timeUnit: 'days', duration: 0, outputFieldName: 'newDate' },
  subtractFromDate: { magnitude: '', timeUnit: 'days', duration: 0, outputFieldName: 'newDate' },
  formatDate: { date: '', format: 'MM/dd/yyyy', customFormat: '', outputFieldName: 'formattedDate' },
  roundDate: { date: '', mode: 'roundDown', toNearest: 'month', to: 'month', outputFieldName: 'roundedDate' },
  getTimeBetweenDates: { startDate: '', endDate: '', units: ['day'], outputFieldName: 'timeDifference' },
  extractDate: { date: '', part: 'month', outputFieldName: 'datePart' },
};

const MOVES = ['years', 'quarters', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds', 'milliseconds'] as const;

const EXTRACTED: Readonly<Record<string, string>> = {
  year: 'at.getUTCFullYear()',
  month: 'at.getUTCMonth() + 1',
  day: 'at.getUTCDate()',
  hour: 'at.getUTCHours()',
  minute: 'at.getUTCMinutes()',
  second: 'at.getUTCSeconds()',
};

function newerNode(conversion: Conversion): Converted {
  const { parameters, scope, review } = conversion;
  const operation = show(parameters.operation ?? 'getCurrentDate');
  const omitted = lookup(OMITTED, operation) ?? unsupported(`the operation ${operation}`);
  const given: JsonObject = { ...omitted, ...parameters };
  const { includeInputFields = false, timezone, fromFormat, isoString, ...others } = object(parameters.options);
  if (Object.keys(others).length > 0) return unsupported(`the options ${Object.keys(others).join(', ')}`);
  if (isExpression(includeInputFields)) return unsupported('an option that is an expression (includeInputFields)');
  if (fromFormat !== undefined) return unsupported('dates in a format (fromFormat)');
  if (isoString === true) return unsupported('a duration as text (isoString)');
  const name = given.outputFieldName ?? '';
  const before = includeInputFields === true ? '...item, ' : '';
  const field = (value: string): string => `{ ${before}[given.name]: ${value} }`;
  if (operation === 'formatDate') {
    if (isExpression(timezone)) return unsupported('an option that is an expression (timezone)');
    return formatNode(conversion, { given, usesZone: timezone === true, field });
  }
  const zone = operation === 'getCurrentDate' && typeof timezone === 'string' && timezone !== '' ? timezone : undefined;
  if (isExpression(zone)) return unsupported('a time zone that an expression gives');
  const ours = zone ?? scope.timezone ?? 'UTC';
  if (zone === undefined && scope.timezone === undefined) review(instanceZone);
  const lines = [...offsetOf(ours), ...ZONE];
  if (operation === 'getCurrentDate') {
    if (isExpression(given.includeTime)) return unsupported('an option that is an expression (includeTime)');
    const time = given.includeTime === false ? 'startOf(Date.parse($now))' : 'Date.parse($now)';
    return itemScript(conversion, {
      values: { name },
      lines: [...lines, ...writing(ours), ...(given.includeTime === false ? startOf('day') : [])],
      result: field(`write(${time})`),
    });
  }
  review(notDates);
  review(localDates);
  const dated = [...lines, ...READ];
  switch (operation) {
    case 'addToDate':
    case 'subtractFromDate': {
      const unit = MOVES.find((each) => each === given.timeUnit) ?? unsupported(`the unit ${show(given.timeUnit)}`);
      review('amounts that are not whole numbers fail here');
      const amount = operation === 'addToDate' ? 'toAmount(given.amount)' : '-toAmount(given.amount)';
      return itemScript(conversion, {
        values: { name, date: given.magnitude ?? '', amount: given.duration ?? 0 },
        lines: [...dated, ...writing(ours), ...PLUS, ...AMOUNT],
        result: field(`write(plus(read(given.date), { ${unit}: ${amount} }))`),
      });
    }
    case 'roundDate': {
      const isUp = given.mode === 'roundUp';
      const unit = isUp ? given.to : given.toNearest;
      const time = isUp ? `plus(read(given.date), { ${show(unit)}s: 1 })` : 'read(given.date)';
      return itemScript(conversion, {
        values: { name, date: given.date ?? '' },
        lines: [...dated, ...writing(ours), ...(isUp ? PLUS : []), ...startOf(unit ?? '')],
        result: field(`write(startOf(${time}))`),
      });
    }
    case 'getTimeBetweenDates': {
      const units = list(given.units).map((unit) => `${show(unit)}s`);
      if (units.length === 0) return unsupported('a difference without units');
      return itemScript(conversion, {
        values: { name, start: given.startDate ?? '', end: given.endDate ?? '' },
        lines: [...dated, ...PLUS, ...BETWEEN],
        result: field(`between(read(given.start), read(given.end), ${JSON.stringify(units)})`),
      });
    }
    default: {
      const part = lookup(EXTRACTED, given.part) ?? unsupported(`the part ${show(given.part)} of a date`);
      return itemScript(conversion, {
        values: { name, date: given.date ?? '' },
        lines: [...dated, `const extract = (at) => ${part};`],
        result: field('extract(localOf(read(given.date)))'),
      });
    }
  }
}

/** Writes dates in a format: in the offset that they name if it is east of UTC, otherwise in UTC, as n8n does. */
function formatNode(
  conversion: Conversion,
  { given, usesZone, field }: { given: JsonObject; usesZone: boolean; field: (value: string) => string },
): Converted {
  const { scope, review } = conversion;
  review(notDates);
  review(localDates);
  const zone = usesZone ? (scope.timezone ?? 'UTC') : 'UTC';
  if (usesZone && scope.timezone === undefined) review(instanceZone);
  const format = given.format === 'custom' ? given.customFormat : given.format;
  const east = [
    'const hoursEast = (value) =>',
    "  typeof value === 'string' && value.includes('+') ? Number(value.split('+')[1].slice(0, 2)) : 0;",
    'const clockOf = (value, ms) => new Date(ms + hoursEast(value) * 3_600_000);',
  ];
  const clock = usesZone ? ['const clockOf = (_value, ms) => localOf(ms);'] : east;
  return itemScript(conversion, {
    values: { name: given.outputFieldName ?? '', date: given.date ?? '' },
    lines: [
      ...offsetOf(zone),
      ...ZONE,
      ...READ,
      ...clock,
      ...formatting(format ?? '', false),
      'const written = (value) => {',
      '  if (value === null || value === undefined) return value;',
      '  const ms = read(value);',
      '  return format(clockOf(value, ms), ms);',
      '};',
    ],
    result: field('written(given.date)'),
  });
}

/** The node of version 1 has Moment's formats, and keeps the fields of the item. */
function olderNode(conversion: Conversion): Converted {
  const { parameters, review } = conversion;
  const { action = 'format', value = '', dataPropertyName = 'data', options } = parameters;
  const { fromFormat, fromTimezone, toTimezone, ...others } = object(options);
  if (Object.keys(others).length > 0) return unsupported(`the options ${Object.keys(others).join(', ')}`);
  if (typeof fromFormat === 'string' && fromFormat !== '') return unsupported('dates in a format (fromFormat)');
  if (fromTimezone !== undefined || toTimezone !== undefined) return unsupported('time zones of version 1');
  const values = { name: dataPropertyName, date: value };
  const lines = [...offsetOf('UTC'), ...ZONE, ...READ];
  review(notDates);
  review(localDates);
  if (action === 'calculate') {
    const { operation = 'add', duration = 0, timeUnit = 'days' } = parameters;
    const unit = MOVES.find((each) => each === timeUnit) ?? unsupported(`the unit ${show(timeUnit)}`);
    review('days, months and years are added in UTC here, in n8n in the time zone of the instance');
    review('amounts that are not whole numbers fail here');
    const amount = operation === 'add' ? 'toAmount(given.amount)' : '-toAmount(given.amount)';
    return itemScript(conversion, {
      values: { ...values, amount: duration },
      lines: [
        ...lines,
        ...PLUS,
        ...AMOUNT,
        'const readMs = (value) => {',
        "  if (typeof value === 'object' && value !== null) throw new Error('not a date');",
        "  return typeof value === 'string' ? readText(value) : Number(value);",
        '};',
      ],
      result: `{ ...item, [given.name]: new Date(plus(readMs(given.date), { ${unit}: ${amount} })).toISOString() }`,
    });
  }
  if (action !== 'format') return unsupported(`the action ${show(action)}`);
  review(instanceZone);
  const { toFormat = parameters.custom === true ? '' : 'MM/DD/YYYY' } = parameters;
  return itemScript(conversion, {
    values,
    lines: [
      ...lines,
      ...formatting(toFormat, true),
      'const written = (value) => {',
      '  const ms = read(value);',
      '  return format(new Date(ms), ms);',
      '};',
    ],
    result: '{ ...item, [given.name]: written(given.date) }',
  });
}
