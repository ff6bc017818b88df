import { executeCarried } from '../carried-values.js';
import { type Database, Prisma } from '../client.js';

/** A large output of a run. */
export interface LargeOutput {
  readonly id: string;
  readonly executionId: string;
  /** Compressed; null where another store has it. */
  readonly data: Uint8Array | null;
}

/**
 * Keeps a large output, or that another store is going to have it. Repeating it changes nothing.
 * @returns false when its run is gone, and nothing was kept.
 */
export async function keepLargeOutput(db: Database, { id, executionId, data }: LargeOutput): Promise<boolean> {
  const count = await executeCarried(
    db,
    Prisma.sql`/* outputs.keep */
    INSERT INTO large_outputs (id, execution_id, data)
    SELECT ${id}::uuid, e.id, ${data} FROM executions e WHERE e.id = ${executionId}::uuid
    ON CONFLICT (id) DO UPDATE SET id = EXCLUDED.id`,
  );
  return count > 0;
}
