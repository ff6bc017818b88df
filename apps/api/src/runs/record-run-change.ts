import { type Actor, recordExecutionChange } from '@deckhand/db';
import type { Services } from '../services.js';

/**
 * Puts what a person did to a run on record, right after it was done. The change stands by then, so a record that
 * cannot be written goes to the log instead of making the answer a failure.
 */
export async function recordRunChange(
  { db, logger }: Pick<Services, 'db' | 'logger'>,
  actor: Actor,
  action: `execution.${string}`,
  executionId: string,
): Promise<void> {
  await recordExecutionChange(db, actor, action, executionId).catch((err: unknown) => {
    logger.error({ err, action, executionId, userId: actor.userId }, 'a change could not be put on record');
  });
}
