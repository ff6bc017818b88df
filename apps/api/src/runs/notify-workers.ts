import { publishChanges, publishControl, type ControlMessage, type Redis } from '@deckhand/queue';
import type { Logger, RunCounters } from '@deckhand/runtime';

/**
 * Notifies the workers that hold runs, and callers that wait for them, that a person acted. The change is already
 * committed and fenced in the database, so a notification that fails is only logged.
 */
export type NotifyWorkers = (type: ControlMessage['type'], executionIds: readonly string[]) => Promise<void>;

/** Creates the function that notifies workers. It also counts the runs that were stopped. */
export function createNotifyWorkers(parts: {
  readonly redis: Redis;
  readonly logger: Logger;
  readonly runs: RunCounters;
}): NotifyWorkers {
  const { redis, logger, runs } = parts;
  return async (type, executionIds) => {
    if (executionIds.length === 0) return;
    const ended = type === 'stop' ? 'stopped' : undefined;
    if (ended) runs.finished(ended, executionIds.length);
    try {
      await publishControl(redis, { type, executionIds });
      await publishChanges(
        redis,
        executionIds.map((executionId) => ({ executionId, ended })),
      );
    } catch (err) {
      logger.warn(
        { err, executions: executionIds.length },
        'workers could not be notified; their next write will find out',
      );
    }
  };
}
