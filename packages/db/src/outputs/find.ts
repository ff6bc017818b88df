import { type Database, Prisma } from '../client.js';
import type { LargeOutput } from './keep.js';

/** Finds large outputs by id. Deleted ones are missing in the result. */
export function findLargeOutputs(db: Database, ids: readonly string[]): Promise<LargeOutput[]> {
  return db.$queryRaw<LargeOutput[]>(Prisma.sql`/* outputs.find */
    SELECT id, execution_id AS "executionId", data FROM large_outputs WHERE id = ANY (${[...ids]}::uuid[])`);
}
