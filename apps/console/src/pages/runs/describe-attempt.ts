import { STATUS_LOOKS } from '../../components/status-badge.js';
import type { ShownAttempt } from './attempts.js';

/** Returns what came of an attempt. */
export function describeAttempt({ status, error }: ShownAttempt): string {
  return error ? `${error.code}: ${error.message}` : STATUS_LOOKS[status].label;
}
