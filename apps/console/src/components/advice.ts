import { ApiError } from '../api/api-error.js';

/** An error for people: what happened, and what to do about it. */
export interface Advice {
  readonly message: string;
  readonly advice: string;
}

/** Explains an error. */
export function adviceOn(error: unknown): Advice {
  if (!(error instanceof ApiError)) {
    return { message: 'This page failed', advice: `Reload it. If it fails again, report: ${String(error)}` };
  }
  return { message: error.message, advice: adviceOnIssue(error) };
}

function adviceOnIssue({ status, code, retryAfter, requestId }: ApiError): string {
  switch (status) {
    case 0:
      return 'Check your connection. This page retries automatically.';
    case 401:
      return 'Sign in again.';
    case 403:
      return 'Ask an administrator of the workspace for a role with this permission.';
    case 404:
      return 'It may have been deleted, or it is in a workspace of which you are not a member.';
    case 409:
      return code === 'NO_ACTIVE_VERSION' ? 'Save a version first.' : 'Reload the page to see the current state.';
    case 413:
      return 'Free storage, or ask an administrator for a higher quota.';
    case 429:
      return `Wait ${retryAfter ?? 60} seconds, then try again.`;
    default:
      if (status >= 500) return `Try again in a moment. If it keeps failing, report the request ${requestId ?? ''}.`;
      return '';
  }
}

/** Advice for a refused password: its error is that of a missing session or permission. */
export function adviceOnPassword(error: unknown): string | undefined {
  const isRefused = error instanceof ApiError && (error.status === 401 || error.status === 403);
  return isRefused ? 'Check whether Caps Lock is on, and try again.' : undefined;
}
