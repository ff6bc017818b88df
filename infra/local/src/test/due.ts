import type { TestPart } from './parts.ts';

/**
 * Returns the parts that CI should run for a commit, in the order in which they are tried: one in rotation, so that
 * every part is run now and then whatever changes, then those that the changes since their last green run can reach.
 * @param commit the number that chooses the part in rotation, such as a hash.
 * @param changedSince returns the paths that changed since the last green run of a part; undefined if that is unknown.
 */
export function partsDue(
  parts: readonly TestPart[],
  commit: number,
  changedSince: (part: TestPart) => readonly string[] | undefined,
): readonly TestPart[] {
  const first = commit % parts.length;
  const [rotating, ...others] = [...parts.slice(first), ...parts.slice(0, first)];
  const isReached = (part: TestPart): boolean => changedSince(part)?.some((path) => part.reachedBy.test(path)) ?? true;
  return [...(rotating === undefined ? [] : [rotating]), ...others.filter(isReached)];
}
