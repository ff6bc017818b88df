import type { ExecutionResponse, NodeProgress } from '@deckhand/sdk/operations';
import type { Span, Style } from './text.ts';

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

/** Formats a duration: `12 ms`, `3.4 s`, `2 min 5 s`, `3 h 2 min`, `4 d 1 h`. */
function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(seconds / 3_600);
  if (hours < 24) return `${hours} h ${Math.floor((seconds % 3_600) / 60)} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Formats how long something took, or takes by now; nothing if it has not begun. */
export function elapsedText(startedAt: string | null, finishedAt: string | null, now: number): string {
  if (startedAt === null) return '';
  return durationText((finishedAt === null ? now : Date.parse(finishedAt)) - Date.parse(startedAt));
}
