import { fileIdsIn } from '@deckhand/contracts';
import { type Checkpoint, type Database, nameFiles } from '@deckhand/db';

/**
 * Records which files the outputs of a checkpoint name. It runs before the checkpoint is written, so that every output
 * that can be read has its files. Files from another run are named as well, so that they stay as long as this one.
 * @returns undefined when it names none.
 */
export function nameFilesOf(
  db: Database,
  { executionId, nodeRuns, nodeIterations }: Checkpoint,
): Promise<void> | undefined {
  const ids = new Set<string>();
  for (const rows of [nodeRuns, nodeIterations])
    for (const { output } of rows) if (output !== null) for (const id of fileIdsIn(output)) ids.add(id);
  return ids.size === 0 ? undefined : nameFiles(db, executionId, [...ids]);
}
