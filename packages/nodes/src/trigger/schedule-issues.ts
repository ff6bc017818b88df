import type { ValidationIssue, JsonObject, JsonValue } from '@deckhand/contracts';
import type { NodeWarning } from '@deckhand/engine';
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

/** The fields of a cron expression from the last one, with the number of their values. */
const FIELDS = [
  ['day of week', 7],
  ['month', 12],
  ['day of month', 31],
  ['hour', 24],
  ['minute', 60],
  ['second', 60],
] as const;

/**
 * Warns of steps that are larger than their field, such as 90 in the minute field: counting begins again in the next
 * hour.
 */
export function warnOfSteps(cron: JsonValue | undefined): NodeWarning[] {
  if (typeof cron !== 'string') return [];
  const fields = cron.trim().split(/\s+/).reverse();
  return FIELDS.flatMap(([name, size], index): NodeWarning[] => {
    const steps = (fields[index] ?? '').split(',').map((part) => Number(part.split('/')[1]));
    const step = steps.find((each) => each > size);
    if (step === undefined) return [];
    const message = `The ${name} field has ${size} values, so a step of ${step} leaves only the first one.`;
    return [{ code: 'CRON_STEP_TOO_LARGE', path: 'cron', message }];
  });
}
