import type { JsonValue } from '@deckhand/contracts';
import { v7 as uuidv7 } from 'uuid';
import { type Database, Prisma } from '../client.js';

/** An operation for the audit log. The person is unknown, so the entry says `operator` and the host. */
export interface Operation {
  readonly action: `${string}.${string}`;
  readonly details: Readonly<Record<string, JsonValue>>;
  /** Name of the machine where the command ran. */
  readonly host: string;
}

/** Records in the audit log of each workspace how many of its runs an operator changed. */
export async function recordOperation(
  db: Database,
  { action, details, host }: Operation,
  executionIds: readonly string[],
): Promise<void> {
  const counts = await db.$queryRaw<{ workspaceId: string; runs: number }[]>(Prisma.sql`
    SELECT workspace_id AS "workspaceId", count(*)::int AS runs FROM executions
    WHERE id = ANY(${[...executionIds]}::uuid[]) GROUP BY workspace_id`);
  await db.auditEntry.createMany({
    data: counts.map(({ workspaceId, runs }) => ({
      id: uuidv7(),
      workspaceId,
      action,
      resourceType: action.slice(0, action.indexOf('.')),
      resourceId: '',
      details: { ...details, by: 'operator', host, runs },
    })),
  });
}
