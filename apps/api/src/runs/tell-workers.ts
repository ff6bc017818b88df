import { publishChanges, publishControl, type ControlMessage } from '@deckhand/queue';
import type { Services } from '../services.js';

/**
 * Tells the workers that hold runs, and whoever waits for them, that a person acted. Only a hint: the database's fence
 * is what makes it true, so an error is logged and nothing else.
 */
export async function tellWorkers(
  { redis, logger, metrics }: Pick<Services, 'redis' | 'logger' | 'metrics'>,
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
    logger.warn({ err, executions: executionIds.length }, 'workers could not be told; their next write will');
  }
}
