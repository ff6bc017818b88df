import type { ExecutionStatus, WaitPlace } from '@deckhand/contracts';
import { type Database, Prisma } from '../../client.ts';
import { isTimeUp } from './end-waits.ts';

/** The wait that a link leads to, and its run. */
export interface LinkedWait {
  readonly workspaceId: string;
  readonly status: ExecutionStatus;
  /** Null until the run gets there. */
  readonly wait: {
    readonly kind: 'approval' | 'human';
    /** Serialised: message and choices, or title and schema. */
    readonly details: string;
    /** Serialised; null while nobody has answered. */
    readonly answer: string | null;
    /** The person who answered; null for a link. */
    readonly by: string | null;
    /** When it ended; null while it is open. */
    readonly at: Date | null;
    readonly isTimeUp: boolean;
    readonly isCancelled: boolean;
    /** Whether the run has not yet continued from here. */
    readonly isNodeWaiting: boolean;
  } | null;
}

/** Reads the wait that a link leads to, and changes nothing. Returns undefined if its run does not exist any more. */
export async function readLinkedWait(
  db: Database,
  { executionId, nodeId, iteration }: WaitPlace,
): Promise<LinkedWait | undefined> {
  // Served by the primary keys.
  const [row] = await db.$queryRaw<
    (Pick<LinkedWait, 'workspaceId' | 'status'> & { [K in keyof Wait]: Wait[K] | null })[]
  >(Prisma.sql`/* executions.read-linked-wait */
    SELECT e.workspace_id AS "workspaceId", e.status::text, w.kind::text, w.details, w.answer, w.answered_by AS by,
      w.answered_at AS at, w.execution_id IS NOT NULL AND ${isTimeUp} AS "isTimeUp",
      w.cancelled_at IS NOT NULL AS "isCancelled", coalesce(i.status, n.status) = 'waiting' AS "isNodeWaiting"
    FROM executions e
    JOIN workspaces s ON s.id = e.workspace_id
    LEFT JOIN waits w ON w.execution_id = e.id AND w.node_id = ${nodeId} AND w.iteration = ${iteration}
      AND w.kind IN ('approval', 'human')
    LEFT JOIN node_iterations i
      ON i.execution_id = e.id AND i.node_id = ${nodeId} AND i.iteration = ${iteration}
    LEFT JOIN node_runs n ON n.execution_id = e.id AND n.node_id = ${nodeId}
    WHERE e.id = ${executionId}::uuid`);
  if (!row) return undefined;
  const { workspaceId, status, kind, details, answer, by, at, isTimeUp: isUp, isCancelled, isNodeWaiting } = row;
  if (kind === null || details === null) return { workspaceId, status, wait: null };
  const ended = { answer, by, at, isTimeUp: isUp === true, isCancelled: isCancelled === true };
  return { workspaceId, status, wait: { kind, details, ...ended, isNodeWaiting: isNodeWaiting === true } };
}

type Wait = NonNullable<LinkedWait['wait']>;
