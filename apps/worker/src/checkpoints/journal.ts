import type { JsonValue, NodeStatus } from '@deckhand/contracts';
import type {
  Checkpoint,
  CheckpointClaim,
  CheckpointEnding,
  CheckpointVerdict,
  FinishedEnding,
  NodeIterationRow,
  NodeRunRow,
  NodeSummaryRow,
  RestingEnding,
  WaitRow,
} from '@deckhand/db';
import { begunWait, type LoopPosition, type NodeRecord, recordKey, type WaitRequest } from '@deckhand/engine';
import { serialiseAttempts } from './attempt-history.ts';
import type { CheckpointSource, CheckpointWriter } from './checkpoint-writer.ts';
import { currentNodeOf } from './current-node.ts';
import { writePositions } from './loop-positions.ts';
import { RetriesEndedError } from './retry-while-unavailable.ts';

/** This worker no longer holds the run: it was stopped, it ended, or another worker has claimed it. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}

/** Gathers the records of one run and writes them in checkpoints. */
export interface Journal {
  /**
   * Adds a record to the next checkpoint.
   * @param startedRunId for a cancelled node: the run that it has started, or may be about to start.
   */
  record(record: NodeRecord, startedRunId?: string): void;
  /** Resolves when every record so far is on disk. @throws FencedError, CheckpointRefusedError, RetriesEndedError. */
  flush(): Promise<void>;
  /**
   * Writes the last checkpoint of a finished run.
   * @returns `paused` if the run was paused meanwhile and has not ended.
   * @throws as `flush` does.
   */
  finish(ending: FinishedEnding): Promise<Unfenced>;
  /**
   * Writes the last checkpoint of a run that rests.
   * @returns `paused` or `answered` if that happened meanwhile and the run does not rest.
   * @throws as `flush` does.
   */
  rest(ending: RestingEnding): Promise<Unfenced>;
  /**
   * Returns true when so many records wait to be written that the run should flush: a loop must not fill the memory.
   */
  isBehind(): boolean;
  /** Returns the node that runs or is waited for; null when there is none. */
  currentNodeId(): string | null;
  /**
   * Names the waits for events that stop the run. The last checkpoint of a finished run ends them.
   * @param areNew whether the next checkpoint adds them.
   */
  stopBy(cancelWaits: readonly WaitRow[], areNew: boolean): void;
  /** Returns whether the needed node was run, outside a loop or in any iteration, by this worker or an earlier one. */
  hasRunNeededNode(): boolean;
  /** Sets the function from which each checkpoint takes the positions of the loops in progress. */
  positionsFrom(read: () => readonly LoopPosition[]): void;
}

/** Counts the iterations of a node inside a loop, including those that earlier workers recorded. */
export interface NodeTally {
  iterations: number;
  startedAt: number | null;
  lastIteration: string;
  /** Size of the outputs of all iterations together, as JSON in bytes. */
  outputBytes: number;
  /** Number of iterations by status. */
  readonly counts: Map<NodeStatus, number>;
  /** The error of the iteration that failed last. */
  error?: string | null;
}

/** What a journal needs. */
export interface JournalOptions {
  readonly executionId: string;
  readonly epoch: number;
  readonly token: string;
  /** The claim of a provisional run, which its first checkpoint makes; null if the run is claimed already. */
  readonly claim: CheckpointClaim | null;
  readonly writer: CheckpointWriter;
  /** Records of earlier workers. */
  readonly records: ReadonlyMap<string, NodeRecord>;
  readonly tallies: Map<string, NodeTally>;
  /** Positions of loops that earlier workers left in progress. */
  readonly positions: readonly LoopPosition[];
  /** The node without which the run is not a success; undefined without one. */
  readonly neededNodeId?: string | undefined;
  /** Called when the first checkpoint of a provisional run is on disk: the run is claimed. */
  readonly onClaimed: () => void;
  /** Called for every recorded output. `bytes`: its size as JSON. */
  readonly onOutput: (record: NodeRecord, bytes: number) => void;
  /** Called for every verdict but `written`. */
  readonly onVerdict: (verdict: CheckpointVerdict) => void;
}

/** Records, and bytes of their outputs, that may wait to be written before `isBehind` is true. */
const MAX_BACKLOG = 2_000;
const MAX_BACKLOG_BYTES = 16_777_216;

const UNFINISHED: ReadonlySet<NodeStatus> = new Set(['pending', 'running', 'waiting']);

type Unfenced = Exclude<CheckpointVerdict, 'fenced'>;

interface Waiter {
  readonly resolve: (verdict: Unfenced) => void;
  readonly reject: (error: unknown) => void;
}

/** Opens the journal of a run. */
export function createJournal(options: JournalOptions): Journal {
  const { executionId, epoch, token, writer, tallies } = options;
  let { claim } = options;
  /** Records of unfinished nodes, by key. When the run fails, they are written as stopped. */
  const unfinished = new Map([...options.records].filter(([, { status }]) => UNFINISHED.has(status)));

  const { neededNodeId } = options;
  let hasRunNeeded =
    neededNodeId === undefined || tallies.has(neededNodeId) || [...options.records.values()].some(isNeeded);

  let nodeRuns = new Map<string, NodeSummaryRow>();
  let nodeIterations = new Map<string, NodeIterationRow>();
  let waits: WaitRow[] = [];
  let cancelWaits: readonly WaitRow[] = [];
  let ending: CheckpointEnding | null = null;
  let isDirty = false;
  /** Bytes of the outputs that wait to be written. */
  let backlogBytes = 0;
  let number = 0;
  let readPositions = (): readonly LoopPosition[] => options.positions;
  let waiters: Waiter[] = [];
  let inFlight: Waiter[] = [];
  let end: FencedError | RetriesEndedError | undefined;

  const source: CheckpointSource = {
    takeCheckpoint(): Checkpoint | undefined {
      if (!isDirty || end) return undefined;
      number += 1;
      const checkpoint: Checkpoint = {
        executionId,
        epoch,
        token,
        claim,
        checkpoint: number,
        currentNodeId: currentNodeOf(unfinished.values(), ending?.kind === 'resting' ? ending.status : undefined),
        loopPositions: ending?.kind === 'finished' ? null : writePositions(epoch, readPositions()),
        nodeRuns: [...nodeRuns.values()],
        nodeIterations: [...nodeIterations.values()],
        waits,
        ending,
      };
      nodeRuns = new Map();
      nodeIterations = new Map();
      backlogBytes = 0;
      waits = [];
      isDirty = false;
      inFlight = waiters;
      waiters = [];
      return checkpoint;
    },
    settled(verdict) {
      if (verdict === 'fenced') {
        end = new FencedError(`run ${executionId} is no longer held in epoch ${epoch}`);
        rejectAll(end);
      } else {
        if (claim) options.onClaimed();
        claim = null;
        for (const waiter of inFlight.splice(0)) waiter.resolve(verdict);
      }
      if (verdict !== 'written') options.onVerdict(verdict);
    },
    failed(error) {
      // Nothing was written. The next checkpoint gets the same number, because a gap would be refused.
      number -= 1;
      // No later checkpoint may be written without this one: the next worker would lack its records.
      if (error instanceof RetriesEndedError) end = error;
      rejectAll(error);
    },
  };

  function isNeeded({ nodeId, status }: NodeRecord): boolean {
    return nodeId === neededNodeId && status !== 'skipped' && status !== 'pending';
  }

  function rejectAll(error: unknown): void {
    for (const waiter of [...inFlight.splice(0), ...waiters.splice(0)]) waiter.reject(error);
  }

  function addRow(record: NodeRecord, status: NodeStatus): void {
    const row = toRow(record, status);
    backlogBytes += row.outputBytes;
    if (row.output !== null) options.onOutput(record, row.outputBytes);
    if (record.iteration === '') {
      nodeRuns.set(record.nodeId, { iterations: null, lastIteration: null, ...row });
    } else {
      nodeIterations.set(recordKey(record.nodeId, record.iteration), { iteration: record.iteration, ...row });
      nodeRuns.set(record.nodeId, summarise(record, row));
    }
    isDirty = true;
    writer.enqueue(source);
  }

  /**
   * Returns the summary of a node inside a loop: its latest iteration, without the output, and over all iterations the
   * size of the outputs and counts by status.
   */
  function summarise(record: NodeRecord, row: NodeRunRow): NodeSummaryRow {
    const key = recordKey(record.nodeId, record.iteration);
    const tally = tallies.get(record.nodeId) ?? {
      iterations: 0,
      startedAt: record.startedAt,
      lastIteration: '',
      outputBytes: 0,
      counts: new Map<NodeStatus, number>(),
    };
    const before = unfinished.get(key)?.status;
    if (before === undefined) tally.iterations += 1;
    else tally.counts.set(before, (tally.counts.get(before) ?? 1) - 1);
    tally.counts.set(row.status, (tally.counts.get(row.status) ?? 0) + 1);
    tally.lastIteration = record.iteration;
    tally.outputBytes += row.outputBytes;
    if (row.status === 'failed') tally.error = row.error;
    tallies.set(record.nodeId, tally);
    // A node that failed the run stays failed, although its other iterations are stopped afterwards.
    const isFailed = row.status === 'stopped' && ending?.status === 'failed' && tally.error !== undefined;
    return {
      nodeId: row.nodeId,
      status: isFailed ? 'failed' : row.status,
      startedAt: tally.startedAt,
      finishedAt: row.finishedAt,
      attempts: row.attempts,
      attemptHistory: null,
      handle: row.handle,
      output: null,
      outputRef: null,
      outputBytes: tally.outputBytes,
      error: isFailed ? (tally.error ?? null) : row.error,
      state: null,
      debug: null,
      iterations: tally.iterations,
      lastIteration: tally.lastIteration,
      iterationCounts: JSON.stringify(Object.fromEntries([...tally.counts].filter(([, count]) => count > 0))),
    };
  }

  function wait(): Promise<Unfenced> {
    if (end) return Promise.reject(end);
    return new Promise((resolve, reject) => {
      waiters.push({ resolve, reject });
      isDirty = true;
      writer.enqueue(source);
    });
  }

  /** Ends the wait of a node that is cancelled, or of the run that it is about to start. */
  function cancelWait(record: NodeRecord, startedRunId: string | undefined): void {
    const begun = toWait(record) ?? (startedRunId === undefined ? undefined : toWaitForRun(record, startedRunId));
    if (!begun) return;
    const others = waits.filter(({ nodeId, iteration }) => nodeId !== begun.nodeId || iteration !== begun.iteration);
    const isOnDisk = others.length === waits.length;
    waits = others;
    // A wait that is in no checkpoint yet leaves no trace, unless another run has to be stopped.
    if (isOnDisk || begun.kind === 'workflow') waits.push({ ...begun, isCancelled: true });
  }

  async function writeEnding(wanted: CheckpointEnding): Promise<Unfenced> {
    ending = wanted;
    const verdict = await wait();
    ending = null;
    return verdict;
  }

  return {
    record(record, startedRunId) {
      if (end) return;
      const key = recordKey(record.nodeId, record.iteration);
      if (!hasRunNeeded) hasRunNeeded = isNeeded(record);
      addRow(record, record.status);
      const begun = toWait(record);
      if (begun) waits.push(begun);
      if (record.status === 'stopped') cancelWait(unfinished.get(key) ?? record, startedRunId);
      if (UNFINISHED.has(record.status)) unfinished.set(key, record);
      else unfinished.delete(key);
    },
    async flush() {
      await wait();
    },
    finish(wanted) {
      // Set before the rows below are added: their summaries depend on it.
      ending = wanted;
      if (wanted.status !== 'success') for (const record of unfinished.values()) addRow(record, 'stopped');
      waits.push(...cancelWaits.map((wait) => ({ ...wait, isCancelled: true as const })));
      return writeEnding(wanted);
    },
    rest: (wanted) => writeEnding(wanted),
    stopBy(given, areNew) {
      cancelWaits = given;
      if (areNew) waits.push(...given);
    },
    hasRunNeededNode: () => hasRunNeeded,
    positionsFrom: (read) => void (readPositions = read),
    currentNodeId: () => currentNodeOf(unfinished.values(), undefined),
    isBehind: () => nodeRuns.size + nodeIterations.size > MAX_BACKLOG || backlogBytes > MAX_BACKLOG_BYTES,
  };
}

function toRow(record: NodeRecord, status: NodeStatus): NodeRunRow {
  const output = record.output === undefined ? null : JSON.stringify(record.output);
  return {
    nodeId: record.nodeId,
    status,
    startedAt: record.startedAt,
    finishedAt: record.finishedAt,
    attempts: record.attempts,
    attemptHistory: record.attemptHistory ? serialiseAttempts(record.attemptHistory) : null,
    handle: record.handle,
    output,
    outputRef: null,
    outputBytes: output === null ? 0 : Buffer.byteLength(output),
    error: serialise(record.error),
    state: serialise(record.state),
    debug: serialise(record.debug),
  };
}

function toWait(record: NodeRecord): WaitRow | undefined {
  const begun = begunWait(record);
  if (!begun) return undefined;
  const { nodeId, iteration, wait } = begun;
  const { executionId } = wait.details;
  return {
    nodeId,
    iteration,
    kind: wait.kind,
    details: JSON.stringify(wait.details),
    dueAt: wait.dueAt,
    childExecutionId: wait.kind === 'workflow' && typeof executionId === 'string' ? executionId : null,
    ...eventOf(wait),
    isCancelled: null,
  };
}

/** Returns what a wait for an event waits for; nulls for any other wait. */
function eventOf({ kind, details: { name, key } }: WaitRequest): Pick<WaitRow, 'eventName' | 'eventKey'> {
  if (kind !== 'event' || typeof name !== 'string') return { eventName: null, eventKey: null };
  return { eventName: name, eventKey: typeof key === 'string' ? key : '' };
}

function toWaitForRun({ nodeId, iteration }: NodeRecord, executionId: string): WaitRow {
  const details = JSON.stringify({ executionId });
  return {
    nodeId,
    iteration,
    kind: 'workflow',
    details,
    dueAt: null,
    childExecutionId: executionId,
    eventName: null,
    eventKey: null,
    isCancelled: null,
  };
}

function serialise(value: JsonValue | NodeRecord['error'] | undefined): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}
