import { createDatabase, failBlockedRun } from '@deckhand/db';
import { createLogger } from '@deckhand/runtime';
import { writeSync } from 'node:fs';
import { type Block, EXIT_BLOCKED, type WatchdogData } from './shared-state.ts';

/**
 * Logs why the process ends, and fails the run that occupies the event loop, over a connection of its own. Has no time
 * limit of its own: the caller sets one. Never throws an error of the database.
 */
export async function failOccupant(data: WatchdogData, block: Block): Promise<void> {
  // Writes to the descriptor, because the stream of standard output needs the main thread.
  const destination = { write: (line: string) => void writeSync(1, line) };
  const { worker, logLevel, databaseUrl } = data;
  const logger = createLogger({ name: 'worker', level: logLevel, destination }).child({ workerId: worker.id });
  const { executionId, blockedMs } = block;
  logger.fatal({ ...block, exitCode: EXIT_BLOCKED }, 'event loop was blocked for too long, ending this process');
  if (executionId === null) return;
  const db = createDatabase({ url: databaseUrl, poolSize: 1, preparesStatements: false });
  try {
    const hasFailed = await failBlockedRun(db, { executionId, blockedMs });
    logger.warn({ executionId, hasFailed }, 'tried to fail the run that blocked this worker');
  } catch (err) {
    logger.error({ err, executionId }, 'failed to end the run that blocked this worker');
  }
}
