import { publishChanges, publishControl, type ControlMessage, type Redis } from '@deckhand/queue';
import type { Logger, RunCounters } from '@deckhand/runtime';

/**
 * Notifies the workers that hold runs, and callers that wait for them, that a person acted. The change is already
 * committed and fenced in the database, so a notification that fails is only logged.
 */
export async function notifyWorkers(
  {
    redis,
    logger,
    metrics,
  }: { readonly redis: Redis; readonly logger: Logger; readonly metrics: { readonly runs: RunCounters } },
  type: ControlMessage['type'],
  executionIds: readonly string[],
): Promise<void> {
  if (executionIds.length === 0) return;
  if (type === 'stop') metrics.runs.finished('stopped', executionIds.length);
  try {
    await publishControl(redis, { type, executionIds });
    const ended = type === 'stop' ? 'stopped' : undefined;
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
}
