import { executeCarried } from '../carried-values.js';
import { type Database, Prisma } from '../client.js';

/** A large output of a run. */
export interface LargeOutput {
  readonly id: string;
  readonly executionId: string;
  /** Compressed; null where another store has it. */
  readonly data: Uint8Array | null;
}

/** Keeps a large output, or that another store is going to have it. Repeating it changes nothing. */
export async function keepLargeOutput(db: Database, { id, executionId, data }: LargeOutput): Promise<void> {
  await executeCarried(
    db,
    Prisma.sql`/* outputs.keep */
    INSERT INTO large_outputs (id, execution_id, data) VALUES (${id}::uuid, ${executionId}::uuid, ${data})
    ON CONFLICT (id) DO NOTHING`,
  );
}
