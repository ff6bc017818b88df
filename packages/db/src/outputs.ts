import { type Database, Prisma } from './client.ts';
import { executeWithRawParameters } from './connection.ts';
import { SEARCHED_CHARS } from './search/execution-text.ts';

/** A large output of a run. */
export interface LargeOutput {
  readonly id: string;
  readonly executionId: string;
  /** Compressed; null if another store has it. */
  readonly data: Uint8Array | null;
}

/** A large output to store. */
export interface NewLargeOutput extends LargeOutput {
  /** Its text, the beginning of which is stored uncompressed for searches. */
  readonly text: string;
}

/**
 * Stores a large output, or records that another store is about to have it. Repeating it changes nothing. @returns
 * false if its run was deleted, and nothing was stored.
 */
export async function keepLargeOutput(db: Database, { id, executionId, data, text }: NewLargeOutput): Promise<boolean> {
  const count = await executeWithRawParameters(
    db,
    Prisma.sql`/* outputs.keep */
    INSERT INTO large_outputs (id, execution_id, data, search_text)
    SELECT ${id}::uuid, e.id, ${data}, ${text.slice(0, SEARCHED_CHARS)} FROM executions e WHERE e.id = ${executionId}::uuid
    ON CONFLICT (id) DO UPDATE SET id = EXCLUDED.id`,
  );
  return count > 0;
}

/** Finds large outputs by id. Deleted ones are missing in the result. */
export function findLargeOutputs(db: Database, ids: readonly string[]): Promise<LargeOutput[]> {
  return db.$queryRaw<LargeOutput[]>(Prisma.sql`/* outputs.find */
    SELECT id, execution_id AS "executionId", data FROM large_outputs WHERE id = ANY (${[...ids]}::uuid[])`);
}

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
