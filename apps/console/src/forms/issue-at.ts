import { ApiError } from '../api/api-error.js';

/** What an answer says is wrong with one field; false where it says nothing, so that an input shows no error. */
export function issueAt(error: unknown, path: string): string | false {
  if (!(error instanceof ApiError)) return false;
  return error.issues.find((issue) => issue.path === path)?.message ?? false;
}

/** Whether everything that is wrong can be shown at one of the fields. */
export function isAllAt(error: unknown, paths: readonly string[]): boolean {
  return error instanceof ApiError && error.issues.length > 0 && error.issues.every(({ path }) => paths.includes(path));
}
