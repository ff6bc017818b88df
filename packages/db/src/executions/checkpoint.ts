import type { ExecutionStatus, NodeStatus, WaitKind } from '@deckhand/contracts';
import { queryCarried } from '../carried-values.js';
import { type Database, Prisma } from '../client.js';
import { CHECKPOINT_VERSION, isUnclaimed, isUnlimited } from './claim.js';
import { digestOfRow } from './run-digest.js';

/** One node's row of a checkpoint. Times are ms since the epoch, JSON is serialised. */
export interface NodeRunRow {
  readonly nodeId: string;
  readonly status: NodeStatus;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly attempts: number;
  readonly handle: string | null;
  readonly output: string | null;
  /** Where it is, in place of `output`, when it is stored apart. */
  readonly outputRef: string | null;
  readonly outputBytes: number;
  readonly error: string | null;
  readonly state: string | null;
  readonly debug: string | null;
}

/** The row of a node inside a loop: its summary over all iterations. */
export interface NodeSummaryRow extends NodeRunRow {
  readonly iterations: number | null;
  readonly lastIteration: string | null;
}

/** The row of one iteration of a node. */
export interface NodeIterationRow extends NodeRunRow {
  readonly iteration: string;
}

/** A wait that a node has begun. Times are ms since the epoch, JSON is serialised. */
export interface WaitRow {
  readonly nodeId: string;
  /** "" outside loops. */
  readonly iteration: string;
  readonly kind: WaitKind;
  readonly details: string;
  readonly dueAt: number | null;
  readonly childExecutionId: string | null;
}

/** What one run adds to the database. Doing it again is harmless: it is known by execution, epoch and checkpoint. */
export interface Checkpoint {
  readonly executionId: string;
  readonly epoch: number;
  /** Set while the run is provisional: this checkpoint claims it. */
  readonly claim: CheckpointClaim | null;
  /** Counts up from 1 within the epoch. */
  readonly checkpoint: number;
  readonly currentNodeId: string | null;
  readonly nodeRuns: readonly NodeSummaryRow[];
  readonly nodeIterations: readonly NodeIterationRow[];
  readonly waits: readonly WaitRow[];
  /** The worker's last one: where the run ends, or how it rests. */
  readonly ending: CheckpointEnding | null;
}

/** What claims a run that nobody has claimed. */
export interface CheckpointClaim {
  readonly workerId: string;
  /** `digestOfRun` of what the worker began it with: it writes nothing when that is not the run's. Null when it was read here. */
  readonly digest: string | null;
  /** When the worker began it, in ms of this process' `performance.now()`. */
  readonly begunAt: number;
}

/** How the worker leaves a run. JSON is serialised. */
export type CheckpointEnding = FinishedEnding | RestingEnding;

/** The run is finished. */
export interface FinishedEnding {
  readonly kind: 'finished';
  readonly status: Extract<ExecutionStatus, 'success' | 'failed' | 'timeout'>;
  readonly error: string | null;
  readonly result: string | null;
}

/** The run rests until a wait ends. */
export interface RestingEnding {
  readonly kind: 'resting';
  readonly status: Extract<ExecutionStatus, 'running' | 'waiting_for_input' | 'waiting_for_human'>;
  /** When it goes on by itself, in ms since the epoch. */
  readonly wakeAt: number | null;
  /** How many answers the worker has seen: with more of them the run does not rest. */
  readonly answers: number;
}

/**
 * What became of a checkpoint. `written`: it is on disk. `paused`: its nodes are on disk, but a person paused the run, and
 * it did not end. `answered`: its nodes are on disk, but an answer came in between, and the run does not rest. `fenced`: the
 * run was stopped, ended or taken over, or claimed by another first, and nothing was written.
 */
export type CheckpointVerdict = 'written' | 'paused' | 'answered' | 'fenced';

/**
 * Writes the checkpoints of many runs in one statement, at most one a run.
 *
 * The race it excludes: a worker that was taken over, or whose run was stopped, holds an epoch that is no longer the run's
 * and writes nothing, however late it comes. The run's row is locked first, so that nothing changes in between. Of two that began a
 * provisional run only one claims it; the other one's epoch is the same, but its checkpoint has to claim and finds the run claimed.
 * @returns a verdict for each checkpoint, in their order.
 */
export async function writeCheckpoints(db: Database, checkpoints: readonly Checkpoint[]): Promise<CheckpointVerdict[]> {
  const now = performance.now();
  const runs = checkpoints.map((entry, index) => ({
    i: index,
    id: entry.executionId,
    epoch: entry.epoch,
    claimedBy: entry.claim?.workerId ?? null,
    digest: entry.claim?.digest ?? null,
    begunMsAgo: entry.claim ? now - entry.claim.begunAt : null,
    checkpoint: entry.checkpoint,
    current: entry.currentNodeId,
    status: entry.ending?.status ?? null,
    ...endingColumns(entry.ending),
    bytes: bytesOf(entry),
  }));
  const ids = checkpoints.map(({ executionId }) => executionId);
  const nodes = checkpoints.flatMap((entry, i) => entry.nodeRuns.map((row) => ({ i, ...row })));
  const iterations = checkpoints.flatMap((entry, i) => entry.nodeIterations.map((row) => ({ i, ...row })));
  const waits = checkpoints.flatMap((entry, i) => entry.waits.map((row) => ({ i, ...row })));
  // Runs are found by primary key and locked in its order, so that two writers never wait for each other in a circle. Their ids are
  // named once more, for the planner thinks that a recordset has 100 rows, and would read all of a table that is not yet large.
  const verdicts = await queryCarried<{ i: number; verdict: CheckpointVerdict }[]>(
    db,
    Prisma.sql`/* executions.checkpoint */
    WITH given AS (
      SELECT * FROM json_to_recordset(${JSON.stringify(runs)}::json) AS g(
        i int, id uuid, epoch int, "claimedBy" uuid, digest text, "begunMsAgo" float8, checkpoint int, current text, status execution_status, error text, result text,
        "isResting" boolean, "wakeAt" float8, answers int, bytes int)
    ), locked AS (
      SELECT e.id, e.epoch, e.checkpoint, e.status, e.answers, e.workspace_id, e.workflow_id, e.worker_id, e.dispatch,
        e.claimed_dispatch, e.checkpoint_version, e.workflow_version_id, e.execution_mode, e.trigger_node_id, e.deadline_at,
        e.trigger_data
      FROM executions e WHERE e.id = ANY (${ids}::uuid[]) ORDER BY e.id FOR UPDATE
    ), judged AS (
      SELECT g.*, l.workspace_id,
        l.epoch = g.epoch AND l.checkpoint >= g.checkpoint AND (g."claimedBy" IS NULL OR l.worker_id = g."claimedBy"
          OR l.status = g.status AND NOT g."isResting") AS is_repeated,
        CASE WHEN g."claimedBy" IS NULL
          THEN l.epoch = g.epoch AND l.checkpoint < g.checkpoint AND l.status IN ('running', 'paused')
          ELSE ${isUnclaimed(Prisma.sql`l`)} AND ${isUnlimited(Prisma.sql`l`)}
            AND (g.digest IS NULL OR g.digest = ${digestOfRow(Prisma.sql`l`)}) END AS is_accepted,
        l.status = 'paused' AS is_paused, g."isResting" AND l.answers <> g.answers AS is_answered,
        g.status IS NOT NULL AND l.status <> 'paused' AND NOT (g."isResting" AND l.answers <> g.answers) AS is_ending
      FROM given g LEFT JOIN locked l ON l.id = g.id
    ), moved AS (
      UPDATE executions e
      SET epoch = j.epoch, checkpoint = j.checkpoint, revision = e.revision + 1, stored_bytes = e.stored_bytes + j.bytes,
          current_node_id = CASE WHEN j."isResting" OR NOT j.is_ending THEN j.current END,
          status = CASE WHEN j.is_ending THEN j.status WHEN j."claimedBy" IS NULL THEN e.status ELSE 'running' END,
          claimed_dispatch = CASE WHEN j."claimedBy" IS NULL THEN e.claimed_dispatch ELSE e.dispatch END,
          checkpoint_version = CASE WHEN j."claimedBy" IS NULL THEN e.checkpoint_version ELSE ${CHECKPOINT_VERSION} END,
          started_at = CASE WHEN j."claimedBy" IS NULL THEN e.started_at
            ELSE greatest(e.created_at, now() - j."begunMsAgo" * interval '1 millisecond') END,
          finished_at = CASE WHEN j.is_ending AND NOT j."isResting" THEN now() END,
          worker_id = CASE WHEN NOT j.is_ending THEN coalesce(j."claimedBy", e.worker_id) END,
          wake_at = CASE WHEN j.is_ending THEN to_timestamp(j."wakeAt" / 1000.0) END,
          error = CASE WHEN j.is_ending THEN j.error END,
          result = CASE WHEN j.is_ending THEN j.result END
      FROM judged j WHERE e.id = j.id AND e.id = ANY (${ids}::uuid[]) AND j.is_accepted
    ), written_nodes AS (
      INSERT INTO node_runs (execution_id, node_id, status, started_at, finished_at, attempts, handle, output,
        output_ref, output_bytes, error, state, debug, iterations, last_iteration)
      SELECT j.id, n."nodeId", n.status, to_timestamp(n."startedAt" / 1000.0), to_timestamp(n."finishedAt" / 1000.0),
        n.attempts, n.handle, n.output, n."outputRef", n."outputBytes", n.error, n.state, n.debug, n.iterations,
        n."lastIteration"
      FROM json_to_recordset(${JSON.stringify(nodes)}::json) AS n(
        i int, "nodeId" text, status node_status, "startedAt" float8, "finishedAt" float8, attempts int, handle text,
        output text, "outputRef" uuid, "outputBytes" int, error text, state text, debug text, iterations int,
        "lastIteration" text)
      JOIN judged j ON j.i = n.i AND j.is_accepted
      ON CONFLICT (execution_id, node_id) DO UPDATE
      SET status = EXCLUDED.status,
          started_at = ${startIn(Prisma.sql`node_runs`)},
          finished_at = EXCLUDED.finished_at, attempts = EXCLUDED.attempts, handle = EXCLUDED.handle, output = EXCLUDED.output,
          output_ref = EXCLUDED.output_ref, output_bytes = EXCLUDED.output_bytes,
          error = EXCLUDED.error, state = EXCLUDED.state, debug = EXCLUDED.debug, iterations = EXCLUDED.iterations,
          last_iteration = EXCLUDED.last_iteration
    )${writtenIterations(iterations)}${writtenWaits(waits)}, unindexed AS (
      INSERT INTO unindexed_executions (execution_id)
      SELECT id FROM judged WHERE is_accepted AND is_ending AND NOT "isResting"
    ), stored AS (
      INSERT INTO storage_changes (workspace_id, bytes)
      SELECT workspace_id, sum(bytes) FROM judged WHERE is_accepted GROUP BY workspace_id HAVING sum(bytes) > 0
    )
    SELECT i, CASE
      WHEN is_accepted AND is_paused THEN 'paused'
      WHEN is_accepted AND is_answered THEN 'answered'
      WHEN is_accepted OR is_repeated THEN 'written'
      ELSE 'fenced' END AS verdict
    FROM judged`,
  );
  const byIndex = new Map(verdicts.map(({ i, verdict }) => [i, verdict]));
  return checkpoints.map((_, index) => byIndex.get(index) ?? 'fenced');
}

/** When a row of `table` that is written again began: a node that a pause kept from its first attempt has not, whatever was written before. */
function startIn(table: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`CASE EXCLUDED.status WHEN 'pending' THEN EXCLUDED.started_at
            ELSE coalesce(EXCLUDED.started_at, ${table}.started_at) END`;
}

// Most checkpoints have none of these, and what a statement does not name it need not open.

/** Adds iterations of nodes to the checkpoint statement, whose runs are `judged`. */
function writtenIterations(iterations: readonly object[]): Prisma.Sql {
  if (iterations.length === 0) return Prisma.empty;
  return Prisma.sql`, written_iterations AS (
    INSERT INTO node_iterations (execution_id, node_id, iteration, status, started_at, finished_at, attempts, handle,
      output, output_ref, output_bytes, error, state, debug)
    SELECT j.id, n."nodeId", n.iteration, n.status, to_timestamp(n."startedAt" / 1000.0),
      to_timestamp(n."finishedAt" / 1000.0), n.attempts, n.handle, n.output, n."outputRef",
      n."outputBytes", n.error, n.state, n.debug
    FROM json_to_recordset(${JSON.stringify(iterations)}::json) AS n(
      i int, "nodeId" text, iteration text, status node_status, "startedAt" float8, "finishedAt" float8, attempts int,
      handle text, output text, "outputRef" uuid, "outputBytes" int, error text, state text, debug text)
    JOIN judged j ON j.i = n.i AND j.is_accepted
    ON CONFLICT (execution_id, node_id, iteration) DO UPDATE
    SET status = EXCLUDED.status,
        started_at = ${startIn(Prisma.sql`node_iterations`)},
        finished_at = EXCLUDED.finished_at, attempts = EXCLUDED.attempts, handle = EXCLUDED.handle, output = EXCLUDED.output,
        output_ref = EXCLUDED.output_ref, output_bytes = EXCLUDED.output_bytes,
        error = EXCLUDED.error, state = EXCLUDED.state, debug = EXCLUDED.debug
  )`;
}

/** Adds waits that began. */
function writtenWaits(waits: readonly object[]): Prisma.Sql {
  if (waits.length === 0) return Prisma.empty;
  return Prisma.sql`, written_waits AS (
    INSERT INTO waits (execution_id, node_id, iteration, kind, details, due_at, created_at, child_execution_id)
    SELECT j.id, w."nodeId", w.iteration, w.kind, w.details, to_timestamp(w."dueAt" / 1000.0), now(), w."childExecutionId"
    FROM json_to_recordset(${JSON.stringify(waits)}::json) AS w(
      i int, "nodeId" text, iteration text, kind wait_kind, details text, "dueAt" float8, "childExecutionId" uuid)
    JOIN judged j ON j.i = w.i AND j.is_accepted
    ON CONFLICT (execution_id, node_id, iteration) DO NOTHING
  )`;
}

function endingColumns(ending: CheckpointEnding | null) {
  if (ending?.kind === 'resting') {
    return { error: null, result: null, isResting: true, wakeAt: ending.wakeAt, answers: ending.answers };
  }
  return { error: ending?.error ?? null, result: ending?.result ?? null, isResting: false, wakeAt: null, answers: 0 };
}

function bytesOf({ nodeRuns, nodeIterations, ending }: Checkpoint): number {
  const ofRows = [...nodeRuns, ...nodeIterations].reduce((sum, row) => sum + row.outputBytes, 0);
  return ofRows + (ending?.kind === 'finished' && ending.result ? Buffer.byteLength(ending.result) : 0);
}
