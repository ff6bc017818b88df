import { ApiFault } from '../api/api-fault.js';

/** What an answer says is wrong with one field; false where it says nothing, so that an input shows no error. */
export function faultAt(error: unknown, path: string): string | false {
  if (!(error instanceof ApiFault)) return false;
  return error.faults.find((fault) => fault.path === path)?.message ?? false;
}

/** Whether everything that is wrong can be shown at one of the fields. */
export function isAllAt(error: unknown, paths: readonly string[]): boolean {
  return error instanceof ApiFault && error.faults.length > 0 && error.faults.every(({ path }) => paths.includes(path));
}
