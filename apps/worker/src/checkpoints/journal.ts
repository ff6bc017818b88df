import type { NodeStatus } from '@deckhand/contracts';
import type {
  Checkpoint,
  CheckpointClaim,
  CheckpointEnding,
  CheckpointVerdict,
  FinishedEnding,
  NodeIterationRow,
  NodeSummaryRow,
  RestingEnding,
  WaitRow,
} from '@deckhand/db';
import { type LoopPosition, type NodeRecord, recordKey } from '@deckhand/engine';
import type { CheckpointRefusedError, CheckpointSource, CheckpointWriter } from './checkpoint-writer.ts';
import { currentNodeOf, toRow, toWait, toWaitForRun } from './node-rows.ts';
import { writePositions } from './loop-positions.ts';
import { countIteration, emptyTally, type NodeTally, summarise } from './node-tally.ts';
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

/** What the next checkpoint has. */
interface Backlog {
  readonly nodeRuns: Map<string, NodeSummaryRow>;
  readonly nodeIterations: Map<string, NodeIterationRow>;
  waits: WaitRow[];
  /** Bytes of the outputs. */
  outputBytes: number;
}

/** Opens the journal of a run. */
export function createJournal(options: JournalOptions): Journal {
  return new RunJournal(options);
}

/**
 * The journal of one run.
 *
 * 1. Checkpoints are numbered from 1 without a gap: one that was not written leaves its number to the next.
 * 2. Once the run is fenced, or a checkpoint could not be written before the worker ended, no other one is written: the
 *    next worker would lack the records of that one.
 * 3. A flush resolves when the checkpoint is written that has all records so far. Those who flush while one is being
 *    written wait for the one after it.
 */
class RunJournal implements Journal, CheckpointSource {
  readonly #options: JournalOptions;
  readonly #unfinished: Map<string, NodeRecord>;
  #claim: CheckpointClaim | null;
  #hasRunNeeded: boolean;
  #readPositions: () => readonly LoopPosition[];
  #backlog = emptyBacklog();
  /** Whether there is something to write, or somebody waits for a verdict. */
  #isDirty = false;
  #ending: CheckpointEnding | null = null;
  #cancelWaits: readonly WaitRow[] = [];
  #number = 0;
  /** Those who wait for the next checkpoint, and for the one that is being written. */
  #waiters: Waiter[] = [];
  #inFlight: Waiter[] = [];
  #end: FencedError | RetriesEndedError | undefined;

  constructor(options: JournalOptions) {
    const { records, tallies, neededNodeId } = options;
    this.#options = options;
    // When the run fails, these are written as stopped.
    this.#unfinished = new Map([...records].filter(([, { status }]) => UNFINISHED.has(status)));
    this.#claim = options.claim;
    this.#readPositions = () => options.positions;
    this.#hasRunNeeded =
      neededNodeId === undefined ||
      tallies.has(neededNodeId) ||
      [...records.values()].some((record) => this.#isNeeded(record));
  }

  record(record: NodeRecord, startedRunId?: string): void {
    if (this.#end) return;
    const key = recordKey(record.nodeId, record.iteration);
    if (!this.#hasRunNeeded) this.#hasRunNeeded = this.#isNeeded(record);
    this.#addRow(record, record.status);
    const begun = toWait(record);
    if (begun) this.#backlog.waits.push(begun);
    if (record.status === 'stopped') this.#cancelWait(this.#unfinished.get(key) ?? record, startedRunId);
    if (UNFINISHED.has(record.status)) this.#unfinished.set(key, record);
    else this.#unfinished.delete(key);
  }

  async flush(): Promise<void> {
    await this.#written();
  }

  finish(wanted: FinishedEnding): Promise<Unfenced> {
    // Set before the rows below are added: their summaries depend on it.
    this.#ending = wanted;
    if (wanted.status !== 'success') for (const record of this.#unfinished.values()) this.#addRow(record, 'stopped');
    this.#backlog.waits.push(...this.#cancelWaits.map((wait) => ({ ...wait, isCancelled: true as const })));
    return this.#writeEnding(wanted);
  }

  rest(wanted: RestingEnding): Promise<Unfenced> {
    return this.#writeEnding(wanted);
  }

  isBehind(): boolean {
    const { nodeRuns, nodeIterations, outputBytes } = this.#backlog;
    return nodeRuns.size + nodeIterations.size > MAX_BACKLOG || outputBytes > MAX_BACKLOG_BYTES;
  }

  currentNodeId(): string | null {
    return currentNodeOf(this.#unfinished.values(), undefined);
  }

  stopBy(cancelWaits: readonly WaitRow[], areNew: boolean): void {
    this.#cancelWaits = cancelWaits;
    if (areNew) this.#backlog.waits.push(...cancelWaits);
  }

  hasRunNeededNode(): boolean {
    return this.#hasRunNeeded;
  }

  positionsFrom(read: () => readonly LoopPosition[]): void {
    this.#readPositions = read;
  }

  takeCheckpoint(): Checkpoint | undefined {
    if (!this.#isDirty || this.#end) return undefined;
    const { executionId, epoch, token } = this.#options;
    const { nodeRuns, nodeIterations, waits } = this.#backlog;
    const ending = this.#ending;
    const checkpoint: Checkpoint = {
      executionId,
      epoch,
      token,
      claim: this.#claim,
      checkpoint: this.#number + 1,
      currentNodeId: currentNodeOf(this.#unfinished.values(), ending?.kind === 'resting' ? ending.status : undefined),
      loopPositions: ending?.kind === 'finished' ? null : writePositions(epoch, this.#readPositions()),
      nodeRuns: [...nodeRuns.values()],
      nodeIterations: [...nodeIterations.values()],
      waits,
      ending,
    };
    // Only now: had the checkpoint failed, its records would be lost.
    this.#number += 1;
    this.#backlog = emptyBacklog();
    this.#isDirty = false;
    this.#inFlight = this.#waiters;
    this.#waiters = [];
    return checkpoint;
  }

  settled(verdict: CheckpointVerdict): void {
    const { executionId, epoch, onClaimed, onVerdict } = this.#options;
    if (verdict === 'fenced') {
      this.#end = new FencedError(`this worker no longer holds run ${executionId} (epoch ${epoch})`);
      this.#rejectAll(this.#end);
    } else {
      if (this.#claim) onClaimed();
      this.#claim = null;
      for (const waiter of this.#inFlight.splice(0)) waiter.resolve(verdict);
    }
    if (verdict !== 'written') onVerdict(verdict);
  }

  failed(error: CheckpointRefusedError | RetriesEndedError): void {
    // Nothing was written, and a gap would be refused.
    this.#number -= 1;
    if (error instanceof RetriesEndedError) this.#end = error;
    this.#rejectAll(error);
  }

  #isNeeded({ nodeId, status }: NodeRecord): boolean {
    return nodeId === this.#options.neededNodeId && status !== 'skipped' && status !== 'pending';
  }

  #rejectAll(error: unknown): void {
    for (const waiter of [...this.#inFlight.splice(0), ...this.#waiters.splice(0)]) waiter.reject(error);
  }

  #addRow(record: NodeRecord, status: NodeStatus): void {
    const { nodeId, iteration } = record;
    const row = toRow(record, status);
    this.#backlog.outputBytes += row.outputBytes;
    if (row.output !== null) this.#options.onOutput(record, row.outputBytes);
    if (iteration === '') {
      this.#backlog.nodeRuns.set(nodeId, { iterations: null, lastIteration: null, ...row });
    } else {
      const key = recordKey(nodeId, iteration);
      const tally = this.#options.tallies.get(nodeId) ?? emptyTally(record.startedAt);
      countIteration(tally, record, row, this.#unfinished.get(key)?.status);
      this.#options.tallies.set(nodeId, tally);
      this.#backlog.nodeIterations.set(key, { iteration, ...row });
      this.#backlog.nodeRuns.set(nodeId, summarise(tally, row, this.#ending?.status === 'failed'));
    }
    this.#enqueue();
  }

  #enqueue(): void {
    this.#isDirty = true;
    this.#options.writer.enqueue(this);
  }

  /** Resolves with the verdict of a checkpoint that has everything so far. */
  #written(): Promise<Unfenced> {
    if (this.#end) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#enqueue();
    });
  }

  async #writeEnding(wanted: CheckpointEnding): Promise<Unfenced> {
    this.#ending = wanted;
    const verdict = await this.#written();
    this.#ending = null;
    return verdict;
  }

  /** Ends the wait of a node that is cancelled, or of the run that it is about to start. */
  #cancelWait(record: NodeRecord, startedRunId: string | undefined): void {
    const begun = toWait(record) ?? (startedRunId === undefined ? undefined : toWaitForRun(record, startedRunId));
    if (!begun) return;
    const { waits } = this.#backlog;
    const others = waits.filter(({ nodeId, iteration }) => nodeId !== begun.nodeId || iteration !== begun.iteration);
    const isOnDisk = others.length === waits.length;
    this.#backlog.waits = others;
    // A wait that is in no checkpoint yet leaves no trace, unless another run has to be stopped.
    if (isOnDisk || begun.kind === 'workflow') others.push({ ...begun, isCancelled: true });
  }
}

function emptyBacklog(): Backlog {
  return { nodeRuns: new Map(), nodeIterations: new Map(), waits: [], outputBytes: 0 };
}
