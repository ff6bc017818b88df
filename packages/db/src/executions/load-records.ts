import type { NodeStatus } from '@deckhand/contracts';
import { type Database, Prisma } from '../client.js';

/** A node run as it is stored, for the worker that resumes the run. JSON is serialised. */
export interface StoredNodeRun {
  readonly nodeId: string;
  /** "" outside loops. */
  readonly iteration: string;
  readonly status: NodeStatus;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly attempts: number;
  readonly handle: string | null;
  readonly output: string | null;
  /** The reference to an offloaded output, instead of `output`. */
  readonly outputRef: string | null;
  readonly error: string | null;
  readonly state: string | null;
  /** For the summary of a node in a loop: the number of iterations that have started. */
  readonly iterations: number | null;
}

/** Reads every node run of an execution: nodes outside loops, summaries, and the iterations. */
export async function loadNodeRuns(db: Database, executionId: string): Promise<StoredNodeRun[]> {
  // Both are served by their primary keys.
  return db.$queryRaw<StoredNodeRun[]>(Prisma.sql`/* executions.load-records */
    SELECT node_id AS "nodeId", '' AS iteration, status::text, started_at AS "startedAt", finished_at AS "finishedAt",
      attempts, handle, output, output_ref AS "outputRef", error, state, iterations
    FROM node_runs WHERE execution_id = ${executionId}::uuid
    UNION ALL
    SELECT node_id, iteration, status::text, started_at, finished_at, attempts, handle, output, output_ref, error, state, NULL
    FROM node_iterations WHERE execution_id = ${executionId}::uuid`);
}
