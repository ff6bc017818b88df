import {
  fileIdsIn,
  type JsonObject,
  type JsonValue,
  type Person,
  WAIT_EVENTS,
  type WaitPlace,
} from '@deckhand/contracts';
import type { Actor, LinkHolder } from '../../access.ts';
import { recordChange } from '../../audit/record.ts';
import { type Database, Prisma, type Queryable } from '../../client.ts';
import { emitEvents, hasEvents } from '../../events/emit.ts';
import { nameFiles } from '../../files.ts';
import { personJson } from '../../users.ts';
import { type Answerer, answererOf, mayAnswer, requireMayAnswer } from './approvers.ts';
import { isTimeUp } from './end-waits.ts';
import { type LockedExecution, lockExecution, lockLinkedExecution } from '../lock.ts';

/** How a wait for a person ended. */
export interface WaitEnd {
  /** Serialised JSON; null if its time was up before an answer. */
  readonly answer: string | null;
  /** The person who answered; null for a link, and if its time was up. */
  readonly by: string | null;
  /** Null also for a link, and after that person was deleted. */
  readonly byUser: Person | null;
  readonly at: Date;
}

/** The result of an answer. */
export type AnswerOutcome =
  /** Nothing waits for an answer. */
  | { readonly kind: 'notWaiting' }
  /** The wait had already ended: by another answer, by its time, or by the same answer and the run has continued. */
  | { readonly kind: 'ended'; readonly end: WaitEnd }
  /** `toAnswer` has to check the details first. */
  | { readonly kind: 'unchecked'; readonly workspaceId: string; readonly details: string }
  /** The node waits in several iterations of a loop, and the request names none. */
  | { readonly kind: 'several'; readonly iterations: readonly string[] }
  | RecordedOutcome;

/** The answer is recorded, by this call or an earlier one. */
export interface RecordedOutcome {
  readonly kind: 'recorded';
  readonly workspaceId: string;
  readonly iteration: string;
  /** The job to be queued; null if there is none, because a worker holds the run and has to be notified. */
  readonly dispatch: number | null;
  /** Whether `confirmAnswer` has to be called once the job is queued. */
  readonly isUnconfirmed: boolean;
}

/** An answer to a wait of a run. */
export interface AnswerRequest {
  readonly executionId: string;
  readonly nodeId: string;
  readonly kind: 'approval' | 'human';
  /** Its action in the audit log. */
  readonly action: `execution.${string}`;
  /** Which iteration of the node, "" outside loops; undefined for the only one that is open. */
  readonly iteration: string | undefined;
  /**
   * Checks the answer against the question and completes it, while the run is locked.
   * @returns undefined if that may take long: then nothing is recorded, and the request has to be repeated once the
   * details have been checked.
   * @throws DeckhandError when it does not fit.
   */
  readonly toAnswer: (details: string) => JsonValue | undefined;
  /** Whether the recorded answer is the same. */
  readonly isSame: (recorded: string) => boolean;
}

interface FoundWait extends Answerer {
  readonly iteration: string;
  /** Serialised: message and choices, or title and schema. */
  readonly details: string;
  /** Serialised; null while nobody has answered. */
  readonly answer: string | null;
  readonly by: string | null;
  readonly byUser: Person | null;
  /** Null while it is open. */
  readonly at: Date | null;
  readonly isTimeUp: boolean;
  /** Whether it is an answer of the same person, or of the link, that may not have been confirmed yet. */
  readonly isUnconfirmed: boolean;
  /** Whether the run has not yet continued from here. */
  readonly isNodeWaiting: boolean;
}

/**
 * Records the answer to a wait, once. The run's row is locked first, so an answer and a worker that lets the run rest
 * cannot miss each other: the worker sees the increased count of answers.
 *
 * Race: an answer and the time at once. Both end the wait by a write that requires it to be open
 * (`endDueWaits` is the other). An answer that comes after the time, by the database's clock, ends the wait as the time
 * would. So the run continues with an answer if and only if the caller is told that it is recorded.
 *
 * If a job has to be queued, the answer is unconfirmed until then: repeating the same answer by the same person, or
 * through the same link, counts as the same answer, even if it names no iteration and the node waits in others
 * meanwhile. Any other answer to a wait that has ended is told how it ended.
 * @throws DeckhandError NOT_FOUND, FORBIDDEN, or what `toAnswer` throws.
 */
export function answerWait(db: Database, actor: Actor | LinkHolder, request: AnswerRequest): Promise<AnswerOutcome> {
  const { executionId, nodeId } = request;
  return db.$transaction(async (tx): Promise<AnswerOutcome> => {
    const isLink = actor.userId === null;
    const run = isLink
      ? await lockLinkedExecution(tx, executionId)
      : await lockExecution(tx, actor, executionId, 'approvals.read', 'approvals.read');
    const waits = await findWaits(tx, actor, request);
    requireMayAnswer(waits, run.role);
    const { workspaceId } = run;
    const given = waits.find(({ answer, isUnconfirmed }) => isUnconfirmed && request.isSame(answer ?? ''));
    if (given) return { kind: 'recorded', workspaceId, ...againOf(run, given) };
    const open = waits.filter(({ at }) => at === null);
    // What others have to answer is not meant.
    const inTime = open.filter((wait) => !wait.isTimeUp && mayAnswer(wait));
    if (inTime.length > 1 && canBeAnswered(run)) {
      return { kind: 'several', iterations: inTime.map(({ iteration }) => iteration) };
    }
    const wait = inTime[0] ?? open.find(mayAnswer) ?? waits.find((ended) => ended.at !== null && mayAnswer(ended));
    if (!wait) return { kind: 'notWaiting' };
    if (wait.at !== null) return { kind: 'ended', end: endOf(wait, wait.at) };
    if (!canBeAnswered(run)) return { kind: 'notWaiting' };
    const value = request.toAnswer(wait.details);
    if (value === undefined) return { kind: 'unchecked', workspaceId, details: wait.details };
    const answer = JSON.stringify(value);
    const { iteration } = wait;
    const isDispatched = run.workerId === null;
    if (!(await endWait(tx, actor, { ...request, iteration, answer, isUnconfirmed: isDispatched }))) {
      // Its time ended it, here or in the worker that holds the run.
      const [ended] = await findWaits(tx, actor, { ...request, iteration });
      return ended?.at ? { kind: 'ended', end: endOf(ended, ended.at) } : { kind: 'notWaiting' };
    }
    // A run that is paused, or not queued, writes no checkpoint that names them.
    const files = fileIdsIn(answer);
    if (files.length > 0) await nameFiles(tx, executionId, files);
    // A request that is repeated after a 503 finds this answer.
    const { requestToken: _unmarked, ...recorder } = actor;
    const { action } = request;
    const details: JsonObject = isLink ? { nodeId, by: 'link' } : { nodeId };
    await recordChange(tx, recorder, { action, workspaceId, resourceId: executionId, details });
    const dispatch = isDispatched ? run.dispatch + 1 : run.dispatch;
    await tx.$executeRaw(Prisma.sql`
      WITH answered AS (
        UPDATE executions
        SET answers = answers + 1, dispatch = ${dispatch}, revision = revision + 1,
            status = CASE WHEN ${isDispatched} THEN 'running' ELSE status END,
            dispatched_at = CASE WHEN ${isDispatched} THEN now() ELSE dispatched_at END
        WHERE id = ${executionId}::uuid
        RETURNING id, workspace_id, workflow_id, execution_mode, revision, tags
      )
      ${emitEvents(Prisma.sql`
        SELECT a.workspace_id, a.workflow_id, a.id AS execution_id, ${nodeId}::text AS node_id,
          nullif(${iteration}::text, '') AS iteration, ${WAIT_EVENTS[request.kind].answered}::text AS type, a.revision,
          a.tags, NULL::text AS callback_url, 0 AS rank
        FROM answered a WHERE ${hasEvents(Prisma.raw('a'))}`)}`);
    return {
      kind: 'recorded',
      workspaceId,
      iteration,
      dispatch: isDispatched ? dispatch : null,
      isUnconfirmed: isDispatched,
    };
  });
}

/** Marks an answer as confirmed to its author: the next answer is another one. */
export async function confirmAnswer(db: Database, { executionId, nodeId, iteration }: WaitPlace): Promise<void> {
  await db.$executeRaw`
    UPDATE waits SET is_unconfirmed = NULL
    WHERE execution_id = ${executionId}::uuid AND node_id = ${nodeId} AND iteration = ${iteration}`;
}

/** Maximum number of waits of a node that are read: enough to detect several. */
const MAX_WAITS = 21;

/**
 * Reads waits of a node: unconfirmed answers of the actor, then those that the actor may answer; of these, open ones,
 * the oldest first, then ended ones.
 */
function findWaits(
  tx: Queryable,
  { userId }: Actor | LinkHolder,
  { executionId, nodeId, kind, iteration = null }: Omit<AnswerRequest, 'iteration'> & { iteration?: string | null },
): Promise<FoundWait[]> {
  return tx.$queryRaw<FoundWait[]>(Prisma.sql`
    SELECT w.iteration, w.details, w.answer, w.answered_by AS by, ${personJson(Prisma.sql`u`)} AS "byUser",
      w.answered_at AS at, ${isTimeUp} AS "isTimeUp",
      coalesce(w.is_unconfirmed AND w.answer IS NOT NULL AND w.answered_by IS NOT DISTINCT FROM ${userId}::uuid, false)
        AS "isUnconfirmed",
      coalesce(i.status, n.status) = 'waiting' AS "isNodeWaiting", ${answererOf(userId)}
    FROM waits w
    JOIN executions e ON e.id = w.execution_id
    LEFT JOIN workflow_versions v ON v.id = e.workflow_version_id
    LEFT JOIN memberships m ON m.workspace_id = e.workspace_id AND m.user_id = ${userId}::uuid
    LEFT JOIN users me ON me.id = ${userId}::uuid
    LEFT JOIN node_iterations i
      ON i.execution_id = w.execution_id AND i.node_id = w.node_id AND i.iteration = w.iteration
    LEFT JOIN node_runs n ON n.execution_id = w.execution_id AND n.node_id = w.node_id
    LEFT JOIN users u ON u.id = w.answered_by
    WHERE w.execution_id = ${executionId}::uuid AND w.node_id = ${nodeId} AND w.kind = ${kind}::wait_kind
      AND w.cancelled_at IS NULL AND (w.answered_at IS NOT NULL OR coalesce(i.status, n.status) = 'waiting')
      ${iteration === null ? Prisma.empty : Prisma.sql`AND w.iteration = ${iteration}`}
    ORDER BY "isUnconfirmed" DESC, "isApprover" DESC, w.answered_at IS NOT NULL, w.answered_at DESC, w.created_at, w.iteration
    LIMIT ${MAX_WAITS}`);
}

/** Returns the result of a repeated answer: its job is queued again unless the run has continued. */
function againOf(
  run: LockedExecution,
  { iteration, isNodeWaiting }: FoundWait,
): Pick<RecordedOutcome, 'iteration' | 'dispatch' | 'isUnconfirmed'> {
  const isStill = isNodeWaiting && run.workerId === null && canBeAnswered(run);
  return { iteration, dispatch: isStill ? run.dispatch : null, isUnconfirmed: true };
}

/** Ends an open wait, by the answer, or by the time if that is up. @returns whether the answer ended it. */
async function endWait(
  tx: Queryable,
  { userId }: Actor | LinkHolder,
  wait: WaitPlace & { readonly answer: string; readonly isUnconfirmed: boolean },
): Promise<boolean> {
  const [ended] = await tx.$queryRaw<{ isAnswered: boolean }[]>(Prisma.sql`
    UPDATE waits
    SET answer = CASE WHEN ${isTimeUp} THEN NULL ELSE ${wait.answer} END,
        answered_by = CASE WHEN ${isTimeUp} THEN NULL ELSE ${userId}::uuid END,
        answered_at = statement_timestamp(), is_unconfirmed = ${wait.isUnconfirmed || null}::boolean
    WHERE execution_id = ${wait.executionId}::uuid AND node_id = ${wait.nodeId} AND iteration = ${wait.iteration}
      AND answered_at IS NULL
    RETURNING answer IS NOT NULL AS "isAnswered"`);
  return ended?.isAnswered === true;
}

function endOf({ answer, by, byUser }: FoundWait, at: Date): WaitEnd {
  return { answer, by, byUser, at };
}

/** A paused run has to be resumed first; a finished one has no open waits. */
function canBeAnswered({ status }: LockedExecution): boolean {
  return status === 'running' || status === 'waiting_for_input' || status === 'waiting_for_human';
}
