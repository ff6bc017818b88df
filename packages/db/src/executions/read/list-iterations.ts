import {
  DeckhandError,
  type IterationEntry,
  type NodeAttempt,
  type NodeStatus,
  type Page,
  type PageOf,
  parseOwnJson,
} from '@deckhand/contracts';
import { type Actor, memberMay } from '../../access.ts';
import { type Database, Prisma } from '../../client.ts';
import { toPage } from '../../paging.ts';

interface Row {
  readonly iteration: string;
  readonly status: NodeStatus;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly attempts: number;
  readonly attemptHistoryJson: string | null;
  readonly outputBytes: bigint;
  readonly errorJson: string | null;
}

/**
 * Lists the iterations of a node in their order, all, those with a status, or one; none for a node outside loops.
 * @throws DeckhandError NOT_FOUND when the actor may not see the run.
 */
export async function listIterations(
  db: Database,
  actor: Actor,
  { executionId, nodeId }: { readonly executionId: string; readonly nodeId: string },
  query: Page & { readonly status?: NodeStatus; readonly iteration?: string },
): Promise<PageOf<IterationEntry>> {
  const seen = await db.$queryRaw<unknown[]>`/* executions.find-visible */
    SELECT 1 FROM executions e
    JOIN memberships m ON m.workspace_id = e.workspace_id AND m.user_id = ${actor.userId}::uuid AND ${memberMay('runs.read')}
    WHERE e.id = ${executionId}::uuid AND (${actor.boundTo}::uuid IS NULL OR e.workspace_id = ${actor.boundTo}::uuid)`;
  if (seen.length === 0) throw new DeckhandError('NOT_FOUND', { message: 'No such run' });
  const { status = null, iteration = null, limit, offset } = query;
  const found = Prisma.sql`
    FROM node_iterations i
    WHERE i.execution_id = ${executionId}::uuid AND i.node_id = ${nodeId}
      AND (${status}::node_status IS NULL OR i.status = ${status}::node_status)
      AND (${iteration}::text IS NULL OR i.iteration = ${iteration}::text)`;
  const rows = await db.$queryRaw<Row[]>(Prisma.sql`/* executions.list-iterations */
    SELECT i.iteration, i.status::text AS status, i.started_at AS "startedAt", i.finished_at AS "finishedAt", i.attempts,
      i.attempt_history AS "attemptHistoryJson", i.output_bytes AS "outputBytes", i.error AS "errorJson"
    ${found}
    ORDER BY ${inOrder(Prisma.sql`i.iteration`)}
    LIMIT ${limit + 1} OFFSET ${offset}`);
  return toPage(query, rows, toEntry, async () => {
    const [counted] = await db.$queryRaw<{ total: number }[]>(Prisma.sql`SELECT count(*)::int AS total ${found}`);
    return counted?.total ?? 0;
  });
}

/** Returns the sort key of iterations: "2.0" is before "10.0". */
export function inOrder(iteration: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`string_to_array(${iteration}, '.')::int[]`;
}

function toEntry({
  iteration,
  startedAt,
  finishedAt,
  attemptHistoryJson,
  outputBytes,
  errorJson,
  ...row
}: Row): IterationEntry {
  return {
    iteration,
    ...row,
    startedAt: startedAt?.toISOString() ?? null,
    finishedAt: finishedAt?.toISOString() ?? null,
    ...(attemptHistoryJson !== null && { attemptHistory: parseOwnJson<NodeAttempt[]>(attemptHistoryJson) }),
    outputBytes: Number(outputBytes),
    error: errorJson === null ? null : parseOwnJson<{ message: string; code: string }>(errorJson),
  };
}
