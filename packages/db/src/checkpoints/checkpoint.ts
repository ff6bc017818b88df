import type { ExecutionStatus, NodeStatus, WaitKind } from '@deckhand/contracts';
import type { Claim } from '../executions/claim/claim.ts';

/** One node's row of a checkpoint. Times are ms since the epoch, JSON is serialised. */
export interface NodeRunRow {
  readonly nodeId: string;
  readonly status: NodeStatus;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly attempts: number;
  /** The latest attempts of a node with several, as the API shows them. */
  readonly attemptHistory: string | null;
  readonly handle: string | null;
  readonly output: string | null;
  /** Where the output is stored, in place of `output`, when it is large. */
  readonly outputRef: string | null;
  readonly outputBytes: number;
  readonly error: string | null;
  readonly state: string | null;
  readonly debug: string | null;
}

/**
 * The row of a node; of a node inside a loop, its summary over all iterations: `outputBytes` is the size of all of
 * their outputs, which are in rows of their own.
 */
export interface NodeSummaryRow extends NodeRunRow {
  readonly iterations: number | null;
  readonly lastIteration: string | null;
  /** Serialised: status → how many iterations have it. */
  readonly iterationCounts?: string;
}

/** The row of one iteration of a node. */
export interface NodeIterationRow extends NodeRunRow {
  readonly iteration: string;
}

/**
 * A wait that a node has begun, or that ends because its node is cancelled. Times are ms since the epoch, JSON is
 * serialised.
 */
export interface WaitRow {
  readonly nodeId: string;
  /** "" outside loops. */
  readonly iteration: string;
  readonly kind: WaitKind;
  readonly details: string;
  readonly dueAt: number | null;
  readonly childExecutionId: string | null;
  /** Of a wait for an event: its name, and its key, which is empty for any. Null for others. */
  readonly eventName: string | null;
  readonly eventKey: string | null;
  /** Who alone may answer: ids and addresses in lower case, and roles. Null for everybody whose role may answer. */
  readonly approverPeople: readonly string[] | null;
  readonly approverRoles: readonly string[] | null;
  /** True if whoever started the run, or saved its version, may not answer. */
  readonly fourEyes: true | null;
  /** Null unless the node is cancelled. */
  readonly isCancelled: true | null;
}

/**
 * The changes that a worker writes for one run. Writing them again is harmless: they are identified by claim and
 * number. Numbers count up from 1 within a claim, without a gap. A missing number was lost in a failover, and later
 * ones are refused.
 */
export interface Checkpoint extends Claim {
  readonly executionId: string;
  /** Set while the run is provisional: this checkpoint claims it. */
  readonly claim: CheckpointClaim | null;
  readonly checkpoint: number;
  readonly currentNodeId: string | null;
  /** Serialised positions of the loops in progress; null without any. */
  readonly loopPositions: string | null;
  readonly nodeRuns: readonly NodeSummaryRow[];
  readonly nodeIterations: readonly NodeIterationRow[];
  readonly waits: readonly WaitRow[];
  /** Set for the last checkpoint of the worker: how the run ends or rests. */
  readonly ending: CheckpointEnding | null;
}

/** Claims a provisional run. */
export interface CheckpointClaim {
  readonly workerId: string;
  /**
   * `computeRunDigest` of the snapshot that the worker started from: if it differs from that of the run, nothing is
   * written. Null if the worker read the run from the database.
   */
  readonly digest: string | null;
  /** When the worker started the run, in ms of this process' `performance.now()`. */
  readonly begunAt: number;
}

/** How the worker finishes with a run: it has ended, or it rests. JSON is serialised. */
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
  /** When the run continues by itself, in ms since the epoch. */
  readonly wakeAt: number | null;
  /** Number of answers that the worker has seen. If there are more, the run does not rest. */
  readonly answerCount: number;
}

/**
 * The result of a checkpoint, from the run's row as it is now. `written`: it is stored. `paused`: its nodes are stored,
 * but somebody paused the run, and it did not end. `answered`: its nodes are stored, but the run neither ended nor
 * rests, because an answer came in between, or a pause that is over again. `fenced`: the run was stopped, ended or
 * claimed by another worker, or commits of it were lost, and nothing was written.
 */
export type CheckpointVerdict = 'written' | 'paused' | 'answered' | 'fenced';
