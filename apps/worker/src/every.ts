import type { Logger } from '@deckhand/runtime';

/**
 * Does something again and again, `intervalMs` after the last time ended, so that a slow one never overlaps the next. An
 * error is logged and the next one tried. @returns a function that stops it.
 */
export function every(intervalMs: number, logger: Logger, name: string, act: () => Promise<void>): () => void {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function tick(): Promise<void> {
    const startedAt = performance.now();
    try {
      await act();
    } catch (err) {
      logger.warn({ err, task: name }, 'a periodic task failed and will be tried again');
    }
    const leftMs = Math.max(intervalMs - (performance.now() - startedAt), 10);
    if (!isStopped) timer = setTimeout(() => void tick(), leftMs);
  }

  void tick();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
