import type { ExecutionStatus } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import { batchRows, isOneOf } from '../batch.js';
import { type Database, Prisma } from '../client.js';

/** The little of a run that says whether it changed. */
export interface ExecutionState {
  readonly status: ExecutionStatus;
  /** Changes with every change that a reader could see. */
  readonly revision: number;
}

/** The state of a run that somebody may see. */
export interface VisibleState extends ExecutionState {
  readonly workspaceId: string;
}

/** A run whose state somebody asks for. */
export interface ReadStateRequest {
  readonly executionId: string;
  readonly actor: Actor;
}

/**
 * Reads the states of many runs for those who may see them, without looking at their nodes.
 * @returns the states in the order asked for; undefined for a run that is not there or not visible.
 */
export async function readVisibleStates(
  db: Database,
  requests: readonly ReadStateRequest[],
): Promise<(VisibleState | undefined)[]> {
  const rows = await db.$queryRaw<(VisibleState & { position: number })[]>`/* executions.read-visible-states */
    SELECT asked.position::int AS position, e.status::text AS status, e.revision, e.workspace_id AS "workspaceId"
    FROM ${batchRows([
      { type: 'uuid', values: requests.map((request) => request.executionId) },
      { type: 'uuid', values: requests.map((request) => request.actor.userId) },
      { type: 'uuid', values: requests.map((request) => request.actor.boundTo) },
    ])} AS asked (id, user_id, bound_to, position)
    JOIN executions e ON e.id = asked.id AND (asked.bound_to IS NULL OR asked.bound_to = e.workspace_id)
    JOIN memberships m ON m.workspace_id = e.workspace_id AND m.user_id = asked.user_id`;
  const found = new Map(rows.map(({ position, ...state }) => [position, state]));
  return requests.map((_, index) => found.get(index + 1));
}

/**
 * Reads the states of runs on behalf of nobody: what it answers is for deciding when to look, never to be sent.
 * @returns a state for each run that is there.
 */
export async function readStates(db: Database, ids: readonly string[]): Promise<Map<string, ExecutionState>> {
  const rows = await db.$queryRaw<(ExecutionState & { id: string })[]>`/* executions.read-states */
    SELECT id, status::text AS status, revision FROM executions WHERE ${isOneOf(Prisma.sql`id`, ids, 'uuid')}`;
  return new Map(rows.map(({ id, ...state }) => [id, state]));
}
