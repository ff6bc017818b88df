import type { ValidationIssue, JsonObject } from '@deckhand/contracts';
import { CronExpressionParser } from 'cron-parser';

/** `H` is a random number that differs each time it is read, so no two readers would agree. */
const BY_CHANCE = /\bH\b/i;

/** Returns the issues of a schedule's `cron` and `timezone`, if present. */
export function findScheduleIssues({ cron, timezone }: JsonObject): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const isZoneKnown = typeof timezone !== 'string' || isTimeZone(timezone);
  if (!isZoneKnown) issues.push({ path: 'timezone', message: 'is not a time zone, such as UTC or Europe/Berlin' });
  const issue = typeof cron === 'string' ? cronIssue(cron) : undefined;
  if (issue !== undefined) issues.push({ path: 'cron', message: issue });
  return issues;
}

/**
 * Node 24 accepts offsets such as `+01:00` as time zones: they know no daylight saving time, and Node 22 refuses them.
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

function cronIssue(cron: string): string | undefined {
  const fields = cron.trim().split(/\s+/).length;
  if (fields !== 5 && fields !== 6) return `needs 5 fields, or 6 with seconds first: it has ${fields}`;
  if (BY_CHANCE.test(cron)) return 'contains an H, which means no definite time';
  try {
    CronExpressionParser.parse(cron, { tz: 'UTC' }).next();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'is not a cron expression';
  }
}
