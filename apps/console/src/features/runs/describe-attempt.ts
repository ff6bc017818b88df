import { STATUS_LOOKS } from '../../components/status-badge.tsx';
import type { ShownAttempt } from './attempts.ts';

/** Returns what came of an attempt. */
export function describeAttempt({ status, error }: ShownAttempt): string {
  return error ? `${error.code}: ${error.message}` : STATUS_LOOKS[status].label;
}
