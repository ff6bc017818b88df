import { useEffect, useState } from 'react';
import { describeDuration, durationMs } from '../../components/durations.ts';

const TICK_MS = 500;

/** A duration, or the time elapsed so far. */
export function Duration({ from, to }: { from: string | null; to: string | null }) {
  const isRunning = from !== null && to === null;
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  const ms = durationMs(from, to, now);
  return ms === undefined ? null : <>{describeDuration(ms)}</>;
}
