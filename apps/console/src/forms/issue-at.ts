import { ApiError } from '../api/api-error.ts';

/** Returns the issue of a field in an error response; false if there is none, so that the input shows no error. */
export function issueAt(error: unknown, path: string): string | false {
  if (!(error instanceof ApiError)) return false;
  return error.issues.find((issue) => issue.path === path)?.message ?? false;
}

/** Returns true if every issue can be shown at one of the fields. */
export function isAllAt(error: unknown, paths: readonly string[]): boolean {
  return error instanceof ApiError && error.issues.length > 0 && error.issues.every(({ path }) => paths.includes(path));
}
