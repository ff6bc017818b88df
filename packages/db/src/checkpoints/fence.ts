import { Prisma } from '../client.ts';
import { isUnclaimed, isUnlimited, type ClaimedExecution } from '../executions/claim/claim.ts';
import { createHash } from 'node:crypto';

const RUN = Prisma.raw('l');

/** Whether the checkpoint `g` belongs to the claim of the run `l`. */
const IS_OF_CLAIM = Prisma.sql`l.claim_token = g.token AND l.epoch = g.epoch`;

/** Whether the checkpoint `g` may claim the run `l`: it is unclaimed, and the worker started from what the run is. */
const MAY_CLAIM = Prisma.sql`g."claimedBy" IS NOT NULL AND ${isUnclaimed(RUN)} AND ${isUnlimited(RUN)}
  AND (g.digest IS NULL OR g.digest = ${computeRowDigest(RUN)})`;

/**
 * The state of a checkpoint `g` for the run `l`, as SQL: `repeated` if it is stored already, `new` if it has to be
 * written, null if it is fenced. A skipped number means that commits were lost. Later checkpoints are then refused, so
 * that none is missing in between.
 */
export const CHECKPOINT_STEP = Prisma.sql`CASE
  WHEN ${IS_OF_CLAIM} AND l.checkpoint = g.checkpoint THEN 'repeated'
  WHEN ${MAY_CLAIM} THEN 'new'
  WHEN g."claimedBy" IS NULL AND ${IS_OF_CLAIM} AND l.checkpoint = g.checkpoint - 1
    AND l.status IN ('running', 'paused') THEN 'new' END`;

/**
 * Whether the run `l` ends or rests as the checkpoint `g` requests. A pause prevents that, and so does an answer that
 * the worker has not seen.
 */
export const MAY_END = Prisma.sql`g.status IS NOT NULL AND l.status <> 'paused'
  AND NOT (g."isResting" AND l.answers <> g."answerCount")`;

/**
 * The verdict on an admitted checkpoint `a`, as SQL. For a repeated one it follows from the row: a run that its worker
 * still holds neither ended nor rests.
 */
export const VERDICT = Prisma.sql`CASE
  WHEN a.step IS NULL THEN 'fenced'
  WHEN a.was = 'paused' THEN 'paused'
  WHEN a.status IS NOT NULL AND CASE a.step WHEN 'new' THEN NOT a.ends ELSE a.holder IS NOT NULL END THEN 'answered'
  ELSE 'written' END`;

/** The data that a run starts from, in addition to its id. */
export type RunInput = Pick<
  ClaimedExecution,
  'workspaceId' | 'workflowVersionId' | 'executionMode' | 'triggerNodeId' | 'deadlineAt' | 'triggerData'
>;

/**
 * Returns the SHA-256, hex, of the data that a run starts from. A worker that started a run from a snapshot sends it
 * with its first checkpoint, so that somebody who can write to the queue cannot change what a run does.
 */
export function computeRunDigest(run: RunInput): string {
  const { workspaceId, workflowVersionId, executionMode, triggerNodeId, deadlineAt, triggerData } = run;
  return createHash('sha256')
    .update(
      [workspaceId, workflowVersionId, executionMode, triggerNodeId, deadlineAt.getTime(), triggerData].join('\n'),
    )
    .digest('hex');
}

/** Returns the same digest of the row `run` of executions, as SQL. */
function computeRowDigest(run: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`encode(sha256(convert_to(concat_ws(E'\\n', ${run}.workspace_id, ${run}.workflow_version_id,
    ${run}.execution_mode, ${run}.trigger_node_id, (extract(epoch FROM ${run}.deadline_at) * 1000)::bigint,
    ${run}.trigger_data), 'UTF8')), 'hex')`;
}
