import { useSyncExternalStore } from 'react';
import { dateLocale } from '../language/i18n.ts';
import { describeAge, describeElapsed } from './durations.ts';

/** Returns the current time, in ms, each second anew. */
export function useNow(): number {
  return useSyncExternalStore(watchClock, readClock);
}

/** A time as how long ago it was, with the full time as a tooltip. */
export function RelativeTime({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return null;
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toLocaleString(dateLocale())}>
      {describeAge(now - date.getTime(), date)}
    </time>
  );
}

/** The time that has passed since `since`, with the full time as a tooltip. */
export function ElapsedTime({ since }: { since: string }) {
  const now = useNow();
  const date = new Date(since);
  return (
    <time dateTime={since} title={date.toLocaleString(dateLocale())}>
      {describeElapsed(now - date.getTime())}
    </time>
  );
}

const TICK_MS = 1_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function readClock(): number {
  return now;
}

/** One clock for the page: it runs while anything shows a time. */
function watchClock(listener: () => void): () => void {
  listeners.add(listener);
  now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
