import type { JsonValue } from '@deckhand/contracts';
import { type Actor } from '../access.js';
import { type Database, Prisma, type Queryable } from '../client.js';
import { isTimeUp } from './end-waits.js';
import { type LockedExecution, lockExecution } from './lock.js';

/** How a wait for a person has ended. */
export interface WaitEnd {
  /** Serialised JSON; null when its time was up before somebody answered. */
  readonly answer: string | null;
  /** Who answered; null when its time was up. */
  readonly by: string | null;
  readonly at: Date;
}

/** What answering led to. */
export type AnswerOutcome =
  /** Nothing waits for an answer there. */
  | { readonly kind: 'notWaiting' }
  /** The wait had ended already: by another answer, by its time, or by the same answer and the run has gone on. */
  | { readonly kind: 'ended'; readonly end: WaitEnd }
  /** `toAnswer` asks to see the details first. */
  | { readonly kind: 'unchecked'; readonly workspaceId: string; readonly details: string }
  /** Recorded, now or before. `dispatch`: the job to be queued; null when a worker holds the run and is to be told. */
  | { readonly kind: 'recorded'; readonly workspaceId: string; readonly dispatch: number | null };

/** Who answers which wait of a run. */
export interface AnswerRequest {
  readonly executionId: string;
  readonly nodeId: string;
  readonly kind: 'approval' | 'human';
  /**
   * Checks the answer against what is asked and completes it, while the run is locked.
   * @returns undefined where that may take long: then nothing is recorded, and the request is to be made again once the
   * details are known to fit.
   * @throws DeckhandError when it does not fit.
   */
  readonly toAnswer: (details: string) => JsonValue | undefined;
  /** Whether the recorded answer says the same. */
  readonly isSame: (recorded: string) => boolean;
}

interface FoundWait {
  readonly iteration: string;
  /** Serialised: message and choices, or title and schema. */
  readonly details: string;
  /** Serialised; null while nobody has answered. */
  readonly answer: string | null;
  readonly by: string | null;
  /** Null while it is open. */
  readonly at: Date | null;
  /** Whether the run has yet to go on from here. */
  readonly isNodeWaiting: boolean;
}

/**
 * Records the answer to a wait, once. The run's row is locked first, so an answer and a worker that lets the run rest
 * cannot miss each other: the worker sees the count of answers raised.
 *
 * The race it excludes: an answer and the time at once. Both end the wait by a write that needs it to be open
 * (`endDueWaits` is the other), and an answer that comes after the time by the database's clock ends it as that would.
 * So the run goes on with an answer if and only if the caller is told that it is recorded.
 *
 * The same answer again, before the run went on, asks for the same dispatch to be queued again.
 * @throws DeckhandError NOT_FOUND, FORBIDDEN, or what `toAnswer` throws.
 */
export function answerWait(db: Database, actor: Actor, request: AnswerRequest): Promise<AnswerOutcome> {
  const { executionId } = request;
  return db.$transaction(async (tx): Promise<AnswerOutcome> => {
    const run = await lockExecution(tx, actor, executionId);
    const wait = await findWait(tx, request);
    if (!wait) return { kind: 'notWaiting' };
    if (wait.at !== null) return answerAgain(run, wait, wait.at, request);
    if (!canBeAnswered(run)) return { kind: 'notWaiting' };
    const { workspaceId } = run;
    const value = request.toAnswer(wait.details);
    if (value === undefined) return { kind: 'unchecked', workspaceId, details: wait.details };
    const answer = JSON.stringify(value);
    if (!(await endWait(tx, actor, { ...request, iteration: wait.iteration, answer }))) {
      // Ended by its time, here or by the worker that holds the run.
      const ended = await findWait(tx, request, wait.iteration);
      return ended?.at ? { kind: 'ended', end: endOf(ended, ended.at) } : { kind: 'notWaiting' };
    }
    const isDispatched = run.workerId === null;
    const dispatch = isDispatched ? run.dispatch + 1 : run.dispatch;
    await tx.$executeRaw(Prisma.sql`
      UPDATE executions
      SET answers = answers + 1, dispatch = ${dispatch}, revision = revision + 1,
          status = CASE WHEN ${isDispatched} THEN 'running' ELSE status END,
          dispatched_at = CASE WHEN ${isDispatched} THEN now() ELSE dispatched_at END
      WHERE id = ${executionId}::uuid`);
    return { kind: 'recorded', workspaceId, dispatch: isDispatched ? dispatch : null };
  });
}

/** Reads one wait of a node. Inside a loop there may be several: the oldest open one, else the one that ended last. */
async function findWait(
  tx: Queryable,
  { executionId, nodeId, kind }: AnswerRequest,
  iteration: string | null = null,
): Promise<FoundWait | undefined> {
  const [wait] = await tx.$queryRaw<FoundWait[]>(Prisma.sql`
    SELECT w.iteration, w.details, w.answer, w.answered_by AS by, w.answered_at AS at,
      coalesce(i.status, n.status) = 'waiting' AS "isNodeWaiting"
    FROM waits w
    LEFT JOIN node_iterations i
      ON i.execution_id = w.execution_id AND i.node_id = w.node_id AND i.iteration = w.iteration
    LEFT JOIN node_runs n ON n.execution_id = w.execution_id AND n.node_id = w.node_id
    WHERE w.execution_id = ${executionId}::uuid AND w.node_id = ${nodeId} AND w.kind = ${kind}::wait_kind
      AND (w.answered_at IS NOT NULL OR coalesce(i.status, n.status) = 'waiting')
      AND (${iteration}::text IS NULL OR w.iteration = ${iteration}::text)
    ORDER BY w.answered_at IS NOT NULL, w.answered_at DESC, w.created_at, w.iteration LIMIT 1`);
  return wait;
}

/** What an answer to a wait that has ended leads to: the same one is harmless until the run has gone on. */
function answerAgain(run: LockedExecution, wait: FoundWait, at: Date, { isSame }: AnswerRequest): AnswerOutcome {
  const isRepeated = wait.answer !== null && isSame(wait.answer) && wait.isNodeWaiting && canBeAnswered(run);
  if (!isRepeated) return { kind: 'ended', end: endOf(wait, at) };
  return { kind: 'recorded', workspaceId: run.workspaceId, dispatch: run.workerId === null ? run.dispatch : null };
}

/** Ends an open wait, by the answer or by the time if that is up. @returns whether the answer is what ended it. */
async function endWait(
  tx: Queryable,
  actor: Actor,
  wait: { executionId: string; nodeId: string; iteration: string; answer: string },
): Promise<boolean> {
  const [ended] = await tx.$queryRaw<{ isAnswered: boolean }[]>(Prisma.sql`
    UPDATE waits
    SET answer = CASE WHEN ${isTimeUp} THEN NULL ELSE ${wait.answer} END,
        answered_by = CASE WHEN ${isTimeUp} THEN NULL ELSE ${actor.userId}::uuid END,
        answered_at = statement_timestamp()
    WHERE execution_id = ${wait.executionId}::uuid AND node_id = ${wait.nodeId} AND iteration = ${wait.iteration}
      AND answered_at IS NULL
    RETURNING answer IS NOT NULL AS "isAnswered"`);
  return ended?.isAnswered === true;
}

function endOf({ answer, by }: FoundWait, at: Date): WaitEnd {
  return { answer, by, at };
}

/** A paused run is resumed first; a finished one waits for nothing. */
function canBeAnswered({ status }: LockedExecution): boolean {
  return status === 'running' || status === 'waiting_for_input' || status === 'waiting_for_human';
}
