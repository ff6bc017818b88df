import { type Database, Prisma } from '../client.js';
import { IS_HELD_BACK } from './demand.js';

/** How many runs of all workspaces wait for others to end, because of a limit of runs at once. */
export async function countHeldBack(db: Database): Promise<number> {
  // Served by executions_held_back.
  const [row] = await db.$queryRaw<{ runs: number }[]>(Prisma.sql`
    SELECT count(*)::int AS runs FROM executions e WHERE ${IS_HELD_BACK}`);
  return row?.runs ?? 0;
}
