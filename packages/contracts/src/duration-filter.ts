import { type ValidationIssue, validationFailed } from './errors.ts';
import { toDate } from './formats.ts';
import { type ExecutionFilter, type ListExecutionsQuery, MAX_DURATION_RANGE_DAYS } from './schemas/execution-lists.ts';

type DurationFilter = Pick<ExecutionFilter, 'minDurationMs' | 'maxDurationMs' | 'startedAt'>;

/** Such a filter, and the order of the list. */
type OrderedFilter = DurationFilter & Pick<Partial<ListExecutionsQuery>, 'sortBy'>;

const DAY_MS = 86_400_000;

/** Returns true if a filter limits the duration of runs. */
export function hasDuration({ minDurationMs, maxDurationMs }: DurationFilter): boolean {
  return minDurationMs !== undefined || maxDurationMs !== undefined;
}

/**
 * Refuses a filter by duration without a range of start times. No index has durations, so all runs of the range are
 * read: without one, or in another order, that could be every run of the workspace.
 * @param within the path to the filter in its request, with a dot at its end.
 * @throws DeckhandError VALIDATION_FAILED.
 */
export function checkDuration(filter: OrderedFilter, within = ''): void {
  if (!hasDuration(filter)) return;
  const { minDurationMs = 0, maxDurationMs = Infinity, startedAt: { gte, gt, lte, lt } = {} } = filter;
  const issues: ValidationIssue[] = [];
  if (minDurationMs > maxDurationMs) {
    issues.push({ path: `${within}maxDurationMs`, message: 'must not be less than minDurationMs' });
  }
  const timeOf = (time: string | undefined): number[] => (time === undefined ? [] : [toDate(time).getTime()]);
  const from = Math.max(...timeOf(gte), ...timeOf(gt));
  const to = Math.min(Date.now(), ...timeOf(lte), ...timeOf(lt));
  if (to - from > MAX_DURATION_RANGE_DAYS * DAY_MS) {
    const name = gt !== undefined && gte === undefined ? 'gt' : 'gte';
    issues.push({
      path: `${within}startedAt.${name}`,
      message: `must be at most ${MAX_DURATION_RANGE_DAYS} days before startedAt.lte, or before now, with a filter by duration`,
    });
  }
  if (filter.sortBy !== undefined && filter.sortBy !== 'startedAt') {
    issues.push({ path: `${within}sortBy`, message: 'must be startedAt with a filter by duration' });
  }
  if (issues.length > 0) throw validationFailed(issues);
}
