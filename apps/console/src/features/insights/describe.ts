import { describeDuration } from '../../components/durations.ts';
import { dateLocale, formatNumber } from '../../language/i18n.ts';

/** A share for people; a dash for none. */
export function describeRate(rate: number | null): string {
  return rate === null ? '–' : `${formatNumber(rate * 100, { atMost: 1 })} %`;
}

/** A duration for people; a dash for none. */
export function describeMs(ms: number | undefined): string {
  return ms === undefined ? '–' : describeDuration(ms);
}

/** A day of UTC for people. */
export function describeDay(day: string): string {
  return new Date(day).toLocaleDateString(dateLocale(), { dateStyle: 'medium', timeZone: 'UTC' });
}
