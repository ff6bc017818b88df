import { type Database, Prisma } from '../client.js';
import type { LargeOutput } from './keep.js';

/** Large outputs of deleted runs, which the object store still has. */
export function findDeletedOutputs(db: Database, limit: number): Promise<Omit<LargeOutput, 'data'>[]> {
  return db.$queryRaw(Prisma.sql`/* outputs.find-deleted */
    SELECT id, execution_id AS "executionId" FROM deleted_outputs ORDER BY id LIMIT ${limit}`);
}

/** Forgets large outputs that the object store no longer has. */
export async function forgetDeletedOutputs(db: Database, ids: readonly string[]): Promise<void> {
  await db.$executeRaw(Prisma.sql`/* outputs.forget-deleted */
    DELETE FROM deleted_outputs WHERE id IN (
      SELECT id FROM deleted_outputs WHERE id = ANY (${[...ids]}::uuid[]) FOR UPDATE SKIP LOCKED)`);
}
