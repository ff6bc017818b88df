import type { ExecutionStatus } from '@deckhand/contracts';
import { type Actor, memberMay } from '../../access.ts';
import { batchRows, isOneOfRuns } from '../../batch.ts';
import { type Database, Prisma } from '../../client.ts';

/** The part of a run that shows whether it changed. */
export interface ExecutionState {
  readonly status: ExecutionStatus;
  /** Changes with every visible change of the run. */
  readonly revision: number;
}

/** The state of a run, for those who follow it. */
export interface FollowedState extends ExecutionState {
  /** Whether a node has responded to the caller. */
  readonly hasResponse: boolean;
}

/** The state of a run, for a caller who may see it. */
export interface VisibleState extends ExecutionState {
  readonly workspaceId: string;
}

/** A request for the state of a run. */
export interface ReadStateRequest {
  readonly executionId: string;
  readonly actor: Actor;
}

/**
 * Reads the states of many runs for callers who may see them, without their nodes. @returns the states in the order of
 * the requests; undefined for a run that does not exist or is not visible.
 */
export async function readVisibleStates(
  db: Database,
  requests: readonly ReadStateRequest[],
): Promise<(VisibleState | undefined)[]> {
  const isAsked = isOneOfRuns(
    Prisma.sql`e.id`,
    requests.map((request) => request.executionId),
  );
  const rows = await db.$queryRaw<(VisibleState & { position: number })[]>`/* executions.read-visible-states */
    SELECT asked.position::int AS position, e.status::text AS status, e.revision, e.workspace_id AS "workspaceId"
    FROM ${batchRows([
      { type: 'uuid', values: requests.map((request) => request.executionId) },
      { type: 'uuid', values: requests.map((request) => request.actor.userId) },
      { type: 'uuid', values: requests.map((request) => request.actor.boundTo) },
    ])} AS asked (id, user_id, bound_to, position)
    JOIN executions e ON e.id = asked.id AND ${isAsked} AND (asked.bound_to IS NULL OR asked.bound_to = e.workspace_id)
    JOIN memberships m ON m.workspace_id = e.workspace_id AND m.user_id = asked.user_id AND ${memberMay('runs.read')}`;
  const found = new Map(rows.map(({ position, ...state }) => [position, state]));
  return requests.map((_, index) => found.get(index + 1));
}

/**
 * Reads the states of runs without an access check, to decide when to read a run; never send them to a caller. @returns
 * a state for each run that exists.
 */
export async function readStates(db: Database, ids: readonly string[]): Promise<Map<string, FollowedState>> {
  const rows = await db.$queryRaw<(FollowedState & { id: string })[]>`/* executions.read-states */
    SELECT id, status::text AS status, revision, responded_by IS NOT NULL AS "hasResponse"
    FROM executions WHERE ${isOneOfRuns(Prisma.sql`id`, ids)}`;
  return new Map(rows.map(({ id, ...state }) => [id, state]));
}

/** The result of a run, or its status so far. */
export interface ExecutionResult {
  readonly status: ExecutionStatus;
  /** Serialised `{ body, statusCode, headers }` of the Terminal node; null without one. */
  readonly resultJson: string | null;
  /** The same of the node that responded to the caller; null without one. */
  readonly responseJson: string | null;
}

/** Reads the results of many runs, for callers that wait for them; undefined for a run that was deleted. */
export async function readResults(db: Database, ids: readonly string[]): Promise<(ExecutionResult | undefined)[]> {
  const rows = await db.$queryRaw<(ExecutionResult & { id: string })[]>`/* executions.read-results */
    SELECT id, status::text AS status, result AS "resultJson", response AS "responseJson" FROM executions WHERE ${isOneOfRuns(Prisma.sql`id`, ids)}`;
  const found = new Map(rows.map(({ id, ...result }) => [id, result]));
  return ids.map((id) => found.get(id));
}
