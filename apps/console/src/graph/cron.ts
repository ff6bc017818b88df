import { i18n } from '../language/i18n.ts';

/** How often a schedule is repeated. Anything else is a cron expression that is typed. */
export type Repeat =
  | { readonly every: 'minutes'; readonly minutes: number }
  | { readonly every: 'hour'; readonly minute: number }
  | { readonly every: 'day' | 'weekday'; readonly time: string }
  | { readonly every: 'week'; readonly time: string; readonly weekday: number }
  | { readonly every: 'month'; readonly time: string; readonly day: number };

/** The names of the days, by their number in a cron expression. */
export const WEEKDAYS = [
  i18n.t('Sunday'),
  i18n.t('Monday'),
  i18n.t('Tuesday'),
  i18n.t('Wednesday'),
  i18n.t('Thursday'),
  i18n.t('Friday'),
  i18n.t('Saturday'),
] as const;

/** When something is on each of these days. */
const ON_WEEKDAYS = [
  i18n.t('Sundays'),
  i18n.t('Mondays'),
  i18n.t('Tuesdays'),
  i18n.t('Wednesdays'),
  i18n.t('Thursdays'),
  i18n.t('Fridays'),
  i18n.t('Saturdays'),
] as const;

/** Describes a cron expression in a few words, such as `daily at 09:30`; a complicated one by itself. */
export function describeCron(cron: string): string {
  const repeat = fromCron(cron);
  switch (repeat?.every) {
    case 'minutes':
      return i18n.t('every {minutes} min', { minutes: repeat.minutes });
    case 'hour':
      return i18n.t('hourly at :{minute}', { minute: String(repeat.minute).padStart(2, '0') });
    case 'day':
      return i18n.t('daily at {time}', { time: repeat.time });
    case 'weekday':
      return i18n.t('Monday to Friday at {time}', { time: repeat.time });
    case 'week':
      return i18n.t('{weekdays} at {time}', { weekdays: ON_WEEKDAYS[repeat.weekday] ?? '', time: repeat.time });
    case 'month':
      return i18n.t('monthly on day {day} at {time}', { day: repeat.day, time: repeat.time });
    case undefined:
      return cron;
  }
}

/** Formats a repetition as a cron expression. */
export function toCron(repeat: Repeat): string {
  switch (repeat.every) {
    case 'minutes':
      return `*/${repeat.minutes} * * * *`;
    case 'hour':
      return `${repeat.minute} * * * *`;
    case 'day':
      return `${fieldsOf(repeat.time)} * * *`;
    case 'weekday':
      return `${fieldsOf(repeat.time)} * * 1-5`;
    case 'week':
      return `${fieldsOf(repeat.time)} * * ${repeat.weekday}`;
    case 'month':
      return `${fieldsOf(repeat.time)} ${repeat.day} * *`;
  }
}

/** Parses a cron expression; undefined if it is not a simple repetition. */
export function fromCron(cron: string): Repeat | undefined {
  const fields = cron.trim().split(/\s+/);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  if (fields.length !== 5 || month !== '*') return undefined;
  if (hour === '*') {
    if (day !== '*' || weekday !== '*') return undefined;
    const steps = /^\*\/(\d{1,2})$/.exec(minute)?.[1];
    if (steps !== undefined) return { every: 'minutes', minutes: Number(steps) };
    return NUMBER.test(minute) ? { every: 'hour', minute: Number(minute) } : undefined;
  }
  if (!NUMBER.test(minute) || !NUMBER.test(hour)) return undefined;
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (weekday === '*') {
    if (day === '*') return { every: 'day', time };
    return NUMBER.test(day) ? { every: 'month', time, day: Number(day) } : undefined;
  }
  if (day !== '*') return undefined;
  if (weekday === '1-5') return { every: 'weekday', time };
  return /^[0-6]$/.test(weekday) ? { every: 'week', time, weekday: Number(weekday) } : undefined;
}

const NUMBER = /^\d{1,2}$/;

/** `09:30` → `30 9`. */
function fieldsOf(time: string): string {
  const [hour, minute] = time.split(':').map(Number);
  return `${minute ?? 0} ${hour ?? 0}`;
}
