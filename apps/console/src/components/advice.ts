import { ApiError } from '../api/api-error.ts';
import { i18n } from '../language/i18n.ts';

/** An error for people: what happened, and what to do about it. */
export interface Advice {
  readonly message: string;
  readonly advice: string;
}

/** Explains an error. */
export function adviceOn(error: unknown): Advice {
  if (!(error instanceof ApiError)) {
    return {
      message: i18n.t('This page failed'),
      advice: i18n.t('Reload it. If it fails again, report: {error}', { error: String(error) }),
    };
  }
  return { message: error.message, advice: adviceOnIssue(error) };
}

function adviceOnIssue({ status, code, retryAfter, requestId }: ApiError): string {
  switch (status) {
    case 0:
      return i18n.t('Check your connection. This page retries automatically.');
    case 401:
      return i18n.t('Sign in again.');
    case 403:
      if (code === 'SECOND_FACTOR_REQUIRED') return i18n.t('Open "Your account" in the menu at the top, and add one.');
      return i18n.t('Ask an administrator of the workspace for a role with this permission.');
    case 404:
      return i18n.t('It may have been deleted, or it is in a workspace of which you are not a member.');
    case 409:
      return code === 'NO_ACTIVE_VERSION'
        ? i18n.t('Save a version first.')
        : i18n.t('Reload the page to see the current state.');
    case 413:
      return i18n.t('Free storage, or ask an administrator for a higher quota.');
    case 429:
      return i18n.t('Wait {seconds} seconds, then try again.', { seconds: retryAfter ?? 60 });
    default:
      if (status >= 500) {
        return i18n.t('Try again in a moment. If it keeps failing, report the request {requestId}.', {
          requestId: requestId ?? '',
        });
      }
      return '';
  }
}

/** Advice for a refused password: its error is that of a missing session or permission. */
export function adviceOnPassword(error: unknown): string | undefined {
  const isRefused = error instanceof ApiError && (error.status === 401 || error.code === 'FORBIDDEN');
  return isRefused ? i18n.t('Check whether Caps Lock is on, and try again.') : undefined;
}
