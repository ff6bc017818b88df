import { type Actor, recordExecutionChange } from '@deckhand/db';
import type { RunContext } from '../contexts.ts';

/**
 * Records in the audit log what a person did to a run. The change is committed by then, so an error is logged instead
 * of failing the request.
 */
export async function recordRunChange(
  { db, logger }: Pick<RunContext, 'db' | 'logger'>,
  actor: Actor,
  action: `execution.${string}`,
  executionId: string,
): Promise<void> {
  await recordExecutionChange(db, actor, action, executionId).catch((err: unknown) => {
    logger.error({ err, action, executionId, userId: actor.userId }, 'failed to write an audit record');
  });
}
