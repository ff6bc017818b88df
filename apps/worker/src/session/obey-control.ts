import { onControl, type Redis } from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';
import type { ActiveRuns } from './active-runs.ts';
import type { RunLoader } from './run-loader.ts';

/** Follows the messages about runs: stops, pauses and resumes those that this worker holds, and reads their answers. */
export async function obeyControl(
  subscriber: Redis,
  parts: {
    readonly active: ActiveRuns;
    readonly loader: Pick<RunLoader, 'loadAnswers'>;
    /** Called when an event has come. */
    readonly onEvents: () => void;
    readonly logger: Logger;
  },
): Promise<void> {
  const { active, loader, logger } = parts;
  await onControl(subscriber, ({ type, executionIds }) => {
    if (type === 'events') parts.onEvents();
    for (const executionId of executionIds) {
      const run = active.get(executionId);
      if (type === 'stop') run?.halt('fenced');
      if (type === 'pause') run?.pause();
      if (type === 'resume') run?.resume();
      if (type === 'answer' && run) {
        loader
          .loadAnswers(run)
          .catch((err: unknown) => logger.warn({ err, executionId }, 'failed to read responses to waits, retrying'));
      }
    }
  });
}
