import { ApiError } from '../api/api-error.ts';

/** Returns the issue of a field in an error response; false if there is none, so that the input shows no error. */
export function issueAt(error: unknown, path: string): string | false {
  if (!(error instanceof ApiError)) return false;
  return error.issues.find((issue) => issue.path === path)?.message ?? false;
}

/**
 * Returns the issues of a field that holds a whole value, and of all parts of the value, by their paths within it. None
 * if the response also has issues of other fields.
 */
export function issuesWithin(error: unknown, path: string): readonly string[] {
  if (!(error instanceof ApiError)) return [];
  const inner = error.issues.flatMap((issue) => {
    if (issue.path === path) return [issue.message];
    const rest = issue.path.startsWith(path) ? issue.path.slice(path.length) : '';
    return /^[.[]/.test(rest) ? [`${rest.replace(/^\./, '')}: ${issue.message}`] : [];
  });
  return inner.length === error.issues.length ? inner : [];
}

/** Returns true if every issue can be shown at one of the fields. */
export function isAllAt(error: unknown, paths: readonly string[]): boolean {
  return error instanceof ApiError && error.issues.length > 0 && error.issues.every(({ path }) => paths.includes(path));
}
