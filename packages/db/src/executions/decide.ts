import type { JsonValue } from '@deckhand/contracts';
import { type Actor } from '../access.js';
import { type Database, Prisma } from '../client.js';
import { type LockedExecution, lockExecution } from './lock.js';

/** A wait that somebody may answer, with what it asks. */
export interface OpenWait {
  readonly iteration: string;
  /** Serialised: message and choices, or title and schema. */
  readonly details: string;
  /** Serialised; null while nobody has answered. */
  readonly answer: string | null;
  readonly isEnded: boolean;
}

/** What answering led to. */
export type AnswerOutcome =
  /** Nothing waits for an answer there. */
  | { readonly kind: 'notWaiting' }
  /** Somebody else decided first, and differently. */
  | { readonly kind: 'decidedOtherwise' }
  /** Recorded, now or before. `dispatch`: the job to be queued; null when a worker holds the run and is to be told. */
  | { readonly kind: 'recorded'; readonly workspaceId: string; readonly dispatch: number | null };

/** Who answers which wait of a run. */
export interface AnswerRequest {
  readonly executionId: string;
  readonly nodeId: string;
  readonly kind: 'approval' | 'human';
  /** Checks the answer against what is asked and completes it. @throws DeckhandError when it does not fit. */
  readonly toAnswer: (details: string) => JsonValue;
  /** Whether the recorded answer says the same. */
  readonly isSame: (recorded: string) => boolean;
}

/**
 * Records the answer to a wait, once. The run's row is locked first, so an answer and a worker that lets the run rest
 * cannot miss each other: the worker sees the count of answers raised.
 *
 * The same answer again, before the run went on, asks for the same dispatch to be queued again.
 * @throws DeckhandError NOT_FOUND, FORBIDDEN, or what `toAnswer` throws.
 */
export function answerWait(db: Database, actor: Actor, request: AnswerRequest): Promise<AnswerOutcome> {
  const { executionId, nodeId } = request;
  return db.$transaction(async (tx): Promise<AnswerOutcome> => {
    const run = await lockExecution(tx, actor, executionId);
    const { workspaceId } = run;
    // Inside a loop several may wait: the oldest open one is answered, else the one that was ended last.
    const [wait] = await tx.$queryRaw<OpenWait[]>(Prisma.sql`
      SELECT w.iteration, w.details, w.answer, w.answered_at IS NOT NULL AS "isEnded"
      FROM waits w
      LEFT JOIN node_iterations i
        ON i.execution_id = w.execution_id AND i.node_id = w.node_id AND i.iteration = w.iteration
      LEFT JOIN node_runs n ON n.execution_id = w.execution_id AND n.node_id = w.node_id
      WHERE w.execution_id = ${executionId}::uuid AND w.node_id = ${nodeId} AND w.kind = ${request.kind}::wait_kind
        AND coalesce(i.status, n.status) = 'waiting'
      ORDER BY w.answered_at IS NOT NULL, w.created_at, w.iteration LIMIT 1`);
    if (!wait || !canBeAnswered(run)) return { kind: 'notWaiting' };
    if (wait.isEnded) {
      if (wait.answer === null) return { kind: 'notWaiting' };
      if (!request.isSame(wait.answer)) return { kind: 'decidedOtherwise' };
      return { kind: 'recorded', workspaceId, dispatch: run.workerId === null ? run.dispatch : null };
    }
    const answer = JSON.stringify(request.toAnswer(wait.details));
    await tx.$executeRaw(Prisma.sql`
      UPDATE waits SET answer = ${answer}, answered_by = ${actor.userId}::uuid, answered_at = now()
      WHERE execution_id = ${executionId}::uuid AND node_id = ${nodeId} AND iteration = ${wait.iteration}`);
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

/** A paused run is resumed first; a finished one waits for nothing. */
function canBeAnswered({ status }: LockedExecution): boolean {
  return status === 'running' || status === 'waiting_for_input' || status === 'waiting_for_human';
}
