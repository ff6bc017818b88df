import type { ExecutionResponse, NodeProgress } from '@deckhand/sdk/operations';
import { durationText, type Span, type Style } from '@deckhand/terminal';

type Status = ExecutionResponse['status'] | NodeProgress['status'] | 'draft' | 'active' | 'inactive';

const STYLES: Readonly<Record<Status, Style | undefined>> = {
  pending: 'dim',
  running: 'cyan',
  paused: 'yellow',
  waiting: 'yellow',
  waiting_for_input: 'yellow',
  waiting_for_human: 'yellow',
  success: 'green',
  failed: 'red',
  timeout: 'red',
  stopped: 'yellow',
  skipped: 'dim',
  draft: 'dim',
  active: 'green',
  inactive: undefined,
};

/** Formats a status in its color. A status that this version does not know has none. */
export function statusText(status: Status): Span {
  return { text: status, style: STYLES[status] };
}

/** Formats a time without its fractions of a second: `2026-11-25 10:00:00Z`. */
export function timeText(time: string | null): string {
  return time === null ? '–' : time.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
}

/** Formats how long something took, or takes by now; nothing if it has not begun. */
export function elapsedText(startedAt: string | null, finishedAt: string | null, now: number): string {
  if (startedAt === null) return '';
  return durationText((finishedAt === null ? now : Date.parse(finishedAt)) - Date.parse(startedAt));
}
