import { queryWithRawParameters } from '../connection.ts';
import { type Database, Prisma } from '../client.ts';
import { emitEvents, endEventOf, hasEvents, OF_NO_NODE, reportFailures, waitEventOf } from '../events/emit.ts';
import { CHECKPOINT_VERSION } from '../executions/claim/claim.ts';
import { isOneOfRuns } from '../batch.ts';
import { heldUntil, TIME_LEFT } from '../executions/run-status.ts';
import { LOCK_RUNS } from '../lock-order.ts';
import type { Checkpoint, CheckpointEnding, CheckpointVerdict } from './checkpoint.ts';
import { CHECKPOINT_STEP, MAY_END, VERDICT } from './fence.ts';
import { addWaits, timeOf, toRecordset, writeIterations, writeNodeRuns } from './rows.ts';

/** Returns the new value of a column, which may differ in a checkpoint that claims the run. */
function whenClaiming(claiming: Prisma.Sql, otherwise: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`CASE WHEN a."claimedBy" IS NULL THEN ${otherwise} ELSE ${claiming} END`;
}

/**
 * The start of a run that a checkpoint claims: neither before the run was created nor after its first node started. In
 * a rerun from a node, reused nodes started before the run was created, and do not count.
 */
const STARTED_AT = Prisma.sql`least(greatest(e.created_at, now() - a."begunMsAgo" * interval '1 millisecond'),
            CASE WHEN a."notBefore" IS NOT NULL THEN ${timeOf(Prisma.sql`a."firstStart"`)} END)`;

/** What a checkpoint changes in every run, whose row is `e`. */
const MOVED = Prisma.sql`epoch = a.epoch, checkpoint = a.checkpoint, revision = e.revision + 1, stored_bytes = e.stored_bytes + a.bytes,
          losses = CASE WHEN a."hasProgress" THEN 0 ELSE e.losses END,
          claim_token = a.token,
          claimed_dispatch = ${whenClaiming(Prisma.sql`e.dispatch`, Prisma.sql`e.claimed_dispatch`)},
          checkpoint_version = ${whenClaiming(CHECKPOINT_VERSION, Prisma.sql`e.checkpoint_version`)},
          started_at = ${whenClaiming(STARTED_AT, Prisma.sql`e.started_at`)},
          status = CASE WHEN a.ends THEN a.status ELSE ${whenClaiming(Prisma.sql`'running'`, Prisma.sql`e.status`)} END,
          worker_id = CASE WHEN NOT a.ends THEN coalesce(a."claimedBy", e.worker_id) END,
          current_node_id = CASE WHEN a."isResting" OR NOT a.ends THEN a.current END,
          loop_positions = a.loops,
          held_until = CASE WHEN NOT a.ends THEN ${whenClaiming(heldUntil(Prisma.sql`now()`), Prisma.sql`e.held_until`)} END,
          time_left_ms = CASE WHEN a.ends AND a."isResting" AND a."claimedBy" IS NULL THEN ${TIME_LEFT} ELSE e.time_left_ms END,
          finished_at = CASE WHEN a.ends AND NOT a."isResting" THEN now() END,
          wake_at = CASE WHEN a.ends THEN to_timestamp(a."wakeAt" / 1000.0) END,
          error = CASE WHEN a.ends THEN a.error END,
          result = CASE WHEN a.ends THEN a.result END`;

/** Returns the query of the events of the admitted checkpoints: a run that starts, waits for a person, or ends. */
function eventsOf(hasWaits: boolean): Prisma.Sql {
  const ofRun = Prisma.sql`a.workspace_id, a.workflow_id, a.id AS execution_id`;
  const isNew = Prisma.sql`a.step = 'new' AND ${hasEvents(Prisma.raw('a'))}`;
  const begun = Prisma.sql`
          UNION ALL
          SELECT ${ofRun}, b.node_id, nullif(b.iteration, ''), ${waitEventOf(Prisma.raw('b.kind'), 'begun')}, a.revision, a.tags, NULL, 1
          FROM added_waits b JOIN admitted a ON a.id = b.execution_id WHERE b.kind IN ('approval', 'human') AND b.cancelled_at IS NULL AND ${isNew}`;
  return Prisma.sql`
          SELECT ${ofRun}, ${OF_NO_NODE}, 'run.started' AS type, a.revision, a.tags, NULL::text AS callback_url, 0 AS rank
          FROM admitted a WHERE ${isNew} AND a."claimedBy" IS NOT NULL
          UNION ALL
          SELECT ${ofRun}, ${OF_NO_NODE}, ${endEventOf(Prisma.raw('a.status'))}, a.revision, a.tags, a.callback_url, 2
          FROM admitted a WHERE ${isNew} AND a.ends AND NOT a."isResting"${hasWaits ? begun : Prisma.empty}`;
}

const EMITTED = emitEvents(eventsOf(false));
const EMITTED_WITH_WAITS = emitEvents(eventsOf(true));

const REPORTED = Prisma.sql`, reported AS (
      ${reportFailures(Prisma.sql`
        SELECT a.id AS execution_id, a.workspace_id, a.workflow_id, a.execution_mode, a.status, a.error_of
        FROM admitted a WHERE a.step = 'new' AND a.ends AND NOT a."isResting"`)}
    )`;

/**
 * Writes the checkpoints of many runs in one statement, at most one a run:
 *
 *     given ─▶ locked ─▶ admitted ─┬▶ moved              claims the run, counts the checkpoint, ends it or lets it rest
 *     (JSON)   (rows,    (fence)   ├▶ written_nodes …    nodes, iterations, waits
 *               by id)             ├▶ unindexed, stored  what maintenance does with it later
 *                                  ├▶ emitted            events for the endpoints of workspaces
 *                                  ├▶ reported           failed runs, for their error workflows
 *                                  └▶ the verdicts
 *
 * Race: a worker that was taken over, or whose run was stopped, holds a claim that is no longer the
 * run's and writes nothing, however late it comes. The run's row is locked before anything is decided. Of two that
 * began a provisional run one claims it, and the other finds it claimed.
 * @returns a verdict for each checkpoint, in their order.
 */
export async function writeCheckpoints(db: Database, checkpoints: readonly Checkpoint[]): Promise<CheckpointVerdict[]> {
  const now = performance.now();
  const runs = checkpoints.map((entry, index) => ({
    i: index,
    id: entry.executionId,
    epoch: entry.epoch,
    token: entry.token,
    claimedBy: entry.claim?.workerId ?? null,
    digest: entry.claim?.digest ?? null,
    begunMsAgo: entry.claim ? now - entry.claim.begunAt : null,
    firstStart: entry.claim ? firstStart(entry) : null,
    checkpoint: entry.checkpoint,
    current: entry.currentNodeId,
    loops: entry.loopPositions,
    status: entry.ending?.status ?? null,
    ...endingColumns(entry.ending),
    bytes: bytesOf(entry),
    hasProgress: hasProgress(entry),
  }));
  const isGiven = isOneOfRuns(
    Prisma.sql`e.id`,
    checkpoints.map(({ executionId }) => executionId),
  );
  const nodes = checkpoints.flatMap((entry, i) => entry.nodeRuns.map((row) => ({ i, ...row })));
  const iterations = checkpoints.flatMap((entry, i) => entry.nodeIterations.map((row) => ({ i, ...row })));
  const waits = checkpoints.flatMap((entry, i) => entry.waits.map((row) => ({ i, ...row })));
  const cancelling = checkpoints.filter(cancelsNodes).map(({ executionId }) => executionId);
  // Runs are found and locked in the order of their primary key, so that two writers never deadlock. The statement
  // contains the ids once more because the planner expects 100 rows of a recordset, and would scan a small table.
  const verdicts = await queryWithRawParameters<{ i: number; verdict: CheckpointVerdict }[]>(
    db,
    Prisma.sql`/* executions.checkpoint */
    WITH given AS (
      SELECT * FROM json_to_recordset(${toRecordset(runs)}::json) AS g(
        i int, id uuid, epoch int, token uuid, "claimedBy" uuid, digest text, "begunMsAgo" float8, "firstStart" float8, checkpoint int, current text, loops text,
        status execution_status, error text, result text, "isResting" boolean, "wakeAt" float8, "answerCount" int, bytes bigint,
        "hasProgress" boolean)
    ), locked AS (
      SELECT e.id, e.epoch, e.claim_token, e.checkpoint, e.status, e.answers, e.workspace_id, e.workflow_id, e.worker_id,
        e.dispatch, e.claimed_dispatch, e.checkpoint_version, e.workflow_version_id, e.execution_mode, e.trigger_node_id,
        e.deadline_at, e.trigger_data, e.created_at, e.started_at, e.expires_at, e.rerun_from_node_id, e.revision, e.error_of, e.tags, e.callback_url
      FROM executions e WHERE ${isGiven} ${LOCK_RUNS}
    ), admitted AS (
      SELECT g.*, l.workspace_id, l.workflow_id, l.execution_mode, l.error_of, l.tags, l.callback_url, l.revision + 1 AS revision, CASE WHEN l.rerun_from_node_id IS NULL THEN l.created_at END AS "notBefore",
        l.status AS was, l.worker_id AS holder, ${CHECKPOINT_STEP} AS step, ${MAY_END} AS ends
      FROM given g LEFT JOIN locked l ON l.id = g.id
    ), moved AS (
      UPDATE executions e
      SET ${MOVED}${cancelling.length === 0 ? Prisma.empty : lockStateOf(cancelling)}
      FROM admitted a WHERE e.id = a.id AND ${isGiven} AND a.step = 'new'
    ), written_nodes AS (
      ${writeNodeRuns(nodes)}
    )${writeIterations(iterations)}${addWaits(waits)}, unindexed AS (
      INSERT INTO unindexed_executions (execution_id)
      SELECT a.id FROM admitted a WHERE a.step = 'new' AND a.ends AND NOT a."isResting"
    ), stored AS (
      INSERT INTO storage_changes (workspace_id, bytes)
      SELECT a.workspace_id, sum(a.bytes) FROM admitted a WHERE a.step = 'new' GROUP BY a.workspace_id HAVING sum(a.bytes) > 0
    ), emitted AS (
      ${waits.length > 0 ? EMITTED_WITH_WAITS : EMITTED}
    )${checkpoints.some(isFailure) ? REPORTED : Prisma.empty}
    SELECT a.i, ${VERDICT} AS verdict FROM admitted a`,
  );
  const byIndex = new Map(verdicts.map(({ i, verdict }) => [i, verdict]));
  return checkpoints.map((_, index) => byIndex.get(index) ?? 'fenced');
}

/** Whether a checkpoint ends a run that may have an error workflow. Statements without any have no part for them. */
function isFailure({ ending }: Checkpoint): boolean {
  return ending?.kind === 'finished' && (ending.status === 'failed' || ending.status === 'timeout');
}

/** Whether a checkpoint cancels nodes of a run that goes on: they hold no locks from now on. */
function cancelsNodes({ nodeRuns, nodeIterations, ending }: Checkpoint): boolean {
  const isCancelled = ({ status }: { readonly status: string }): boolean => status === 'stopped';
  return ending?.kind !== 'finished' && (nodeRuns.some(isCancelled) || nodeIterations.some(isCancelled));
}

/** Returns the assignment by which maintenance finds the locks of cancelled nodes. */
function lockStateOf(cancelling: readonly string[]): Prisma.Sql {
  return Prisma.sql`,
          lock_state = CASE WHEN e.lock_state = 1 AND e.id = ANY (${[...cancelling]}::uuid[]) THEN 2 ELSE e.lock_state END`;
}

/** Returns when the first node of a checkpoint started, in ms since the epoch; null if none did. */
function firstStart({ nodeRuns }: Checkpoint): number | null {
  return nodeRuns.reduce<number | null>(
    (first, { startedAt }) => (startedAt === null ? first : Math.min(first ?? startedAt, startedAt)),
    null,
  );
}

function endingColumns(ending: CheckpointEnding | null) {
  if (ending?.kind === 'resting') {
    return { error: null, result: null, isResting: true, wakeAt: ending.wakeAt, answerCount: ending.answerCount };
  }
  return {
    error: ending?.error ?? null,
    result: ending?.result ?? null,
    isResting: false,
    wakeAt: null,
    answerCount: 0,
  };
}

function bytesOf({ nodeRuns, nodeIterations, ending }: Checkpoint): number {
  // Summaries of nodes in loops have the size of outputs of earlier checkpoints, too.
  const outputs = [...nodeRuns.filter(({ iterations }) => iterations === null), ...nodeIterations];
  const ofRows = outputs.reduce((sum, row) => sum + row.outputBytes, 0);
  return ofRows + (ending?.kind === 'finished' && ending.result ? Buffer.byteLength(ending.result) : 0);
}

/**
 * Returns true if the checkpoint contains a finished node. Finished nodes are never written again, so this is progress.
 */
function hasProgress({ nodeRuns, nodeIterations }: Checkpoint): boolean {
  const isProgress = ({ status }: { readonly status: string }): boolean => status === 'success' || status === 'failed';
  return nodeRuns.some(isProgress) || nodeIterations.some(isProgress);
}
