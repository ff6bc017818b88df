import type { NodeStatus } from '@deckhand/contracts';
import { type Actor, memberMay } from '../../access.ts';
import { type Database, Prisma } from '../../client.ts';
import { inOrder } from './list-iterations.ts';

/** One node's output in a run. */
export interface NodeOutputRecord {
  readonly status: NodeStatus;
  /** "" outside loops, "3" inside one, "3.1" inside two. */
  readonly iteration: string;
  /** Serialised; null if it is offloaded. */
  readonly outputJson: string | null;
  /** The reference to an offloaded output. */
  readonly outputRef: string | null;
}

/** The data that a run in debug mode stored about a node. */
export interface NodeDebugRecord {
  readonly iteration: string;
  /** Serialised JSON object with parameters, input and console, if present. */
  readonly debugJson: string;
}

/**
 * A node of a run; for a node in a loop an iteration, or null for the last one. In nested loops, a number without a dot
 * is the position among the iterations of the node, in their order.
 */
interface NodeRequest {
  readonly executionId: string;
  readonly nodeId: string;
  readonly iteration: string | null;
}

/** Returns the query of the wanted iteration of the node `n` in a loop, served by the primary key. */
function wantedIteration(iteration: string | null): Prisma.Sql {
  if (iteration === null) return Prisma.sql`n.last_iteration`;
  if (iteration.includes('.')) return Prisma.sql`${iteration}::text`;
  return Prisma.sql`CASE WHEN n.last_iteration LIKE '%.%' THEN (
      SELECT o.iteration FROM node_iterations o WHERE o.execution_id = n.execution_id AND o.node_id = n.node_id
      ORDER BY ${inOrder(Prisma.sql`o.iteration`)} LIMIT 1 OFFSET ${Number(iteration)}::int
    ) ELSE ${iteration}::text END`;
}

/**
 * Reads the data that a run in debug mode stored about a node. @returns undefined if the run is not visible, or nothing
 * was stored about that node or iteration.
 */
export async function readNodeDebug(
  db: Database,
  actor: Actor,
  { executionId, nodeId, iteration }: NodeRequest,
): Promise<NodeDebugRecord | undefined> {
  const rows = await db.$queryRaw<NodeDebugRecord[]>`/* executions.read-debug */
    SELECT record.iteration, record.debug AS "debugJson"
    FROM executions e
    JOIN memberships m ON m.workspace_id = e.workspace_id AND m.user_id = ${actor.userId}::uuid AND ${memberMay('runs.read')}
    JOIN node_runs n ON n.execution_id = e.id AND n.node_id = ${nodeId}
    CROSS JOIN LATERAL (
      SELECT '' AS iteration, n.debug WHERE n.iterations IS NULL AND ${iteration}::text IS NULL
      UNION ALL
      SELECT i.iteration, i.debug
      FROM node_iterations i
      WHERE i.execution_id = n.execution_id AND i.node_id = n.node_id
        AND i.iteration = ${wantedIteration(iteration)}
    ) record
    WHERE e.id = ${executionId}::uuid AND record.debug IS NOT NULL
      AND (${actor.boundTo}::uuid IS NULL OR e.workspace_id = ${actor.boundTo}::uuid)`;
  return rows[0];
}

/**
 * Reads the output of a node, of any size; for a node in a loop, the output of one iteration.
 * @param iteration null takes the last one of a node in a loop.
 * @returns undefined if the run is not visible, or that node or iteration has no output.
 */
export async function readNodeOutput(
  db: Database,
  actor: Actor,
  node: NodeRequest,
): Promise<NodeOutputRecord | undefined> {
  const rows = await db.$queryRaw<NodeOutputRecord[]>`/* executions.read-output */
    SELECT record.status::text AS status, record.iteration, record.output AS "outputJson",
      record.output_ref AS "outputRef"
    FROM executions e
    JOIN memberships m ON m.workspace_id = e.workspace_id AND m.user_id = ${actor.userId}::uuid AND ${memberMay('runs.read')}
    JOIN node_runs n ON n.execution_id = e.id AND n.node_id = ${node.nodeId}
    CROSS JOIN LATERAL (
      SELECT n.status, '' AS iteration, n.output, n.output_ref
      WHERE n.iterations IS NULL AND ${node.iteration}::text IS NULL
      UNION ALL
      SELECT i.status, i.iteration, i.output, i.output_ref
      FROM node_iterations i
      WHERE i.execution_id = n.execution_id AND i.node_id = n.node_id
        AND i.iteration = ${wantedIteration(node.iteration)}
    ) record
    WHERE e.id = ${node.executionId}::uuid AND (record.output IS NOT NULL OR record.output_ref IS NOT NULL)
      AND (${actor.boundTo}::uuid IS NULL OR e.workspace_id = ${actor.boundTo}::uuid)`;
  return rows[0];
}

/** What a run has of a node. */
export interface NodeExtent {
  /** Null for a node that has not begun. */
  readonly status: NodeStatus | null;
  /** How many iterations of the node have begun; null outside loops, and before the first. */
  readonly iterations: number | null;
  /** Null without iterations. */
  readonly firstIteration: string | null;
  readonly lastIteration: string | null;
}

/**
 * Reads what a run has of a node, to say why there is no output.
 * @returns undefined if the run is not visible.
 */
export async function readNodeExtent(
  db: Database,
  actor: Actor,
  { executionId, nodeId }: Omit<NodeRequest, 'iteration'>,
): Promise<NodeExtent | undefined> {
  const rows = await db.$queryRaw<NodeExtent[]>`/* executions.read-node-extent */
    SELECT n.status::text AS status, n.iterations, (
        SELECT i.iteration FROM node_iterations i WHERE i.execution_id = e.id AND i.node_id = n.node_id
        ORDER BY ${inOrder(Prisma.sql`i.iteration`)} LIMIT 1
      ) AS "firstIteration", (
        SELECT i.iteration FROM node_iterations i WHERE i.execution_id = e.id AND i.node_id = n.node_id
        ORDER BY ${inOrder(Prisma.sql`i.iteration`)} DESC LIMIT 1
      ) AS "lastIteration"
    FROM executions e
    JOIN memberships m ON m.workspace_id = e.workspace_id AND m.user_id = ${actor.userId}::uuid AND ${memberMay('runs.read')}
    LEFT JOIN node_runs n ON n.execution_id = e.id AND n.node_id = ${nodeId}
    WHERE e.id = ${executionId}::uuid AND (${actor.boundTo}::uuid IS NULL OR e.workspace_id = ${actor.boundTo}::uuid)`;
  return rows[0];
}
