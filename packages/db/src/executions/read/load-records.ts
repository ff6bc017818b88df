import type { NodeStatus } from '@deckhand/contracts';
import { type Database, Prisma } from '../../client.ts';
import { isRun } from '../../batch.ts';

/** A node run as it is stored, for the worker that resumes the run. JSON is serialised. */
export interface StoredNodeRun {
  readonly nodeId: string;
  /** "" outside loops. */
  readonly iteration: string;
  readonly status: NodeStatus;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly attempts: number;
  readonly attemptHistory: string | null;
  readonly handle: string | null;
  readonly output: string | null;
  /** The reference to an offloaded output, instead of `output`. */
  readonly outputRef: string | null;
  readonly error: string | null;
  readonly state: string | null;
  /** For the summary of a node in a loop: the number of iterations that have started. */
  readonly iterations: number | null;
  /** For such a summary, serialised: status → how many iterations have it. Null if an earlier version wrote it. */
  readonly iterationCounts: string | null;
  /** For such a summary: the size of the outputs of all iterations together, in bytes. */
  readonly outputBytes: number | null;
}

/** Reads every node run of an execution: nodes outside loops, summaries, and the iterations. */
export async function loadNodeRuns(db: Database, executionId: string): Promise<StoredNodeRun[]> {
  // Both are served by their primary keys.
  return db.$queryRaw<StoredNodeRun[]>(Prisma.sql`/* executions.load-records */
    ${selectNodeRuns(executionId)}
    UNION ALL
    SELECT ${ITERATION} FROM node_iterations WHERE ${isRun(Prisma.sql`execution_id`, executionId)}`);
}

/** Reads the node runs of an execution with, of nodes inside loops, only their summaries and these iterations. */
export async function loadOpenNodeRuns(
  db: Database,
  executionId: string,
  iterations: readonly string[],
): Promise<StoredNodeRun[]> {
  // Served by the primary keys. Without the limit, the planner may read all iterations of a run it knows little of.
  return db.$queryRaw<StoredNodeRun[]>(Prisma.sql`/* executions.load-open-records */
    ${selectNodeRuns(executionId)}
    UNION ALL
    SELECT r.* FROM node_runs n CROSS JOIN unnest(${iterations}::text[]) AS open (iteration) CROSS JOIN LATERAL (
      SELECT ${ITERATION} FROM node_iterations i
      WHERE i.execution_id = n.execution_id AND ${isRun(Prisma.sql`i.execution_id`, executionId)} AND i.node_id = n.node_id AND i.iteration = open.iteration LIMIT 1
    ) r
    WHERE ${isRun(Prisma.sql`n.execution_id`, executionId)} AND n.iterations IS NOT NULL`);
}

/** Reads the runs of nodes in iterations of an execution, those that exist in no order. */
export async function loadIterations(
  db: Database,
  executionId: string,
  { nodeIds, iterations }: { readonly nodeIds: readonly string[]; readonly iterations: readonly string[] },
): Promise<StoredNodeRun[]> {
  return db.$queryRaw<StoredNodeRun[]>(Prisma.sql`/* executions.load-iterations */
    SELECT r.* FROM unnest(${nodeIds}::text[]) AS n (id) CROSS JOIN unnest(${iterations}::text[]) AS wanted (iteration)
    CROSS JOIN LATERAL (
      SELECT ${ITERATION} FROM node_iterations i
      WHERE ${isRun(Prisma.sql`i.execution_id`, executionId)} AND i.node_id = n.id AND i.iteration = wanted.iteration LIMIT 1
    ) r`);
}

function selectNodeRuns(executionId: string): Prisma.Sql {
  return Prisma.sql`SELECT node_id AS "nodeId", '' AS iteration, status::text, started_at AS "startedAt",
      finished_at AS "finishedAt", attempts, attempt_history AS "attemptHistory", handle, output,
      output_ref AS "outputRef", error, state, iterations,
      iteration_counts AS "iterationCounts", CASE WHEN iterations IS NOT NULL THEN output_bytes::float8 END AS "outputBytes"
    FROM node_runs WHERE ${isRun(Prisma.sql`execution_id`, executionId)}`;
}

const ITERATION = Prisma.sql`node_id AS "nodeId", iteration, status::text, started_at AS "startedAt",
      finished_at AS "finishedAt", attempts, attempt_history AS "attemptHistory", handle, output,
      output_ref AS "outputRef", error, state,
      NULL::int AS iterations, NULL AS "iterationCounts", NULL::float8 AS "outputBytes"`;
