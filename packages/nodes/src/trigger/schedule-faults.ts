import type { Fault, JsonObject } from '@deckhand/contracts';
import { CronExpressionParser } from 'cron-parser';

/** `H` is a number by chance: another each time it is read, so no two readers would agree. */
const BY_CHANCE = /\bH\b/i;

/** Faults of a schedule's `cron` and `timezone`, of those that are there. */
export function findScheduleFaults({ cron, timezone }: JsonObject): Fault[] {
  const faults: Fault[] = [];
  const isZoneKnown = typeof timezone !== 'string' || isTimeZone(timezone);
  if (!isZoneKnown) faults.push({ path: 'timezone', message: 'is not a time zone, such as UTC or Europe/Berlin' });
  const fault = typeof cron === 'string' ? cronFault(cron) : undefined;
  if (fault !== undefined) faults.push({ path: 'cron', message: fault });
  return faults;
}

/**
 * Node 24 takes offsets such as `+01:00` for time zones: they know no daylight saving time, and Node 22 refuses them.
 */
const OFFSET = /^[+-]/;

function isTimeZone(name: string): boolean {
  if (OFFSET.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function cronFault(cron: string): string | undefined {
  const fields = cron.trim().split(/\s+/).length;
  if (fields !== 5 && fields !== 6) return `needs 5 fields, or 6 with seconds first: it has ${fields}`;
  if (BY_CHANCE.test(cron)) return 'has an H, which stands for no certain time';
  try {
    CronExpressionParser.parse(cron, { tz: 'UTC' }).next();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'is not a cron expression';
  }
}
