import type { Claim, ClaimedExecution, FinishedEnding } from '@deckhand/db';
import type { CompiledWorkflow, NodeRecord } from '@deckhand/engine';
import { ERRORS, type RunError, runError } from '@deckhand/contracts';
import type { RunChange, RunJob } from '@deckhand/queue';
import type { Logger, MemoryBudget } from '@deckhand/runtime';
import { randomUUID } from 'node:crypto';
import { CheckpointRefusedError, type CheckpointWriter } from '../checkpoints/checkpoint-writer.js';
import { createJournal, FencedError, type Journal } from '../checkpoints/journal.js';
import { RetriesEndedError } from '../checkpoints/retry-while-unavailable.js';
import { type ActiveRun, type ActiveRuns, createActiveRun } from './active-runs.js';
import { driveRun, type NodeEnvironment } from './drive-run.js';
import { failure, type FinalCheckpoint, writeFinalCheckpoint } from './final-checkpoint.js';
import { type EarlierRecords, NeededOutputGoneError } from './records.js';
import { SourceRunGoneError } from './reuse-records.js';
import type { RunObserver } from './run-observer.js';
import { inRunContext } from '../watchdog/run-context.js';
import { createRunMemory, type RunMemory } from './run-memory.js';
import { createWaitTimer, type WaitTimer } from './wait-timer.js';

/** What a worker does with one run of a job. */
export interface RunSession {
  /**
   * Resolves once the run needs its job no longer: true when this worker claimed it, false when it cannot be claimed.
   * Rejects when neither is known.
   */
  readonly claimed: Promise<boolean>;
  /** Resolves once this worker does not hold the run any more. Failures of the run are part of it. */
  readonly done: Promise<void>;
}

/** How a worker gets runs, and gives them back. */
export interface RunClaims {
  /** Claims a run, or reads one that its first checkpoint claims; undefined when it cannot be claimed. */
  readonly claim: (job: RunJob) => Promise<ClaimedExecution | undefined>;
  /** Gives a run back: it is dispatched to others, or rests when it is paused. */
  readonly release: (run: Claim & { readonly executionId: string }) => Promise<void>;
  /** Lets the next run go on that waited for this one, under a limit of runs at once. */
  readonly slotLeft: (run: { readonly workspaceId: string; readonly workflowId: string }) => Promise<void>;
}

/** Reads what a claimed run needs. */
export interface RunLoader {
  readonly loadVersion: (versionId: string) => Promise<CompiledWorkflow>;
  readonly loadRecords: (executionId: string) => Promise<EarlierRecords>;
  /**
   * The run's own records, and for one that repeats another from a node, those that it reuses.
   * @throws SourceRunGoneError
   */
  readonly withReused: (
    claimed: ClaimedExecution,
    own: ReadonlyMap<string, NodeRecord>,
  ) => Promise<ReadonlyMap<string, NodeRecord>>;
  /**
   * Ends the waits of a run whose time is up, and hands all that ended to the run.
   * @returns in how many ms the next one is due; null when none is.
   */
  readonly loadAnswers: (run: ActiveRun) => Promise<number | null>;
}

/** Whom a session notifies of what became of its run. What gets lost here maintenance finds. */
export interface RunNotifier {
  /** Notifies those who wait for the run that it finished, and how, or rests. */
  readonly announce: (change: RunChange) => void;
  /** Lets parents go on whose children are finished: of these children, or these parents. */
  readonly finishChildren: (finished: { childIds: string[] } | { parentIds: string[] }) => Promise<void>;
  /** Lets a resting run go on at its time, in ms since the epoch. */
  readonly wakeAt: (time: number) => void;
}

/** What sessions of a worker work with. */
export interface SessionParts {
  readonly workerId: string;
  readonly active: ActiveRuns;
  readonly claims: RunClaims;
  readonly loader: RunLoader;
  readonly environment: NodeEnvironment;
  readonly writer: CheckpointWriter;
  /** What the outputs of runs count against. */
  readonly memory: MemoryBudget;
  readonly notifier: RunNotifier;
  /** Observes a claimed run. */
  readonly observe: (run: ClaimedExecution) => RunObserver;
  readonly logger: Logger;
}

/**
 * Where a session is. One that read a run which its first checkpoint did not claim begins anew, once, by claiming it.
 */
type State = 'claiming' | 'loading' | 'running' | 'leaving' | 'left';

const NEXT: Readonly<Record<State, readonly State[]>> = {
  claiming: ['loading', 'left'],
  loading: ['running', 'leaving'],
  running: ['leaving'],
  leaving: ['claiming', 'left'],
  left: [],
};

const SOURCE_RUN_GONE = { message: ERRORS.TRIGGER_DATA_GONE.message, code: 'TRIGGER_DATA_GONE' };

const NO_RECORDS: EarlierRecords = { records: new Map(), tallies: new Map(), outputBytes: 0 };

/** Takes one run of a job: claims it, runs it until it ends, rests or halts, and writes how it ended. */
export function startRunSession(job: RunJob, parts: SessionParts): RunSession {
  let decide: (isClaimed: boolean) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const claimed = new Promise<boolean>((resolve, reject) => {
    decide = resolve;
    fail = reject;
  });
  const done = new Session(parts, decide).run(job).then(
    () => decide(false),
    (err: unknown) => {
      parts.logger.error({ err, executionId: job.executionId }, 'a run was left after an unexpected error');
      // It has no effect on a run that was claimed.
      fail(err);
    },
  );
  return { claimed, done };
}

class Session {
  readonly #parts: SessionParts;
  readonly #onClaimed: () => void;
  #state: State = 'claiming';
  #isClaimed = false;
  #active: ActiveRun | undefined;

  constructor(parts: SessionParts, decide: (isClaimed: boolean) => void) {
    this.#parts = parts;
    this.#onClaimed = () => {
      this.#isClaimed = true;
      this.#active?.setClaimed();
      decide(true);
    };
  }

  async run(job: RunJob): Promise<void> {
    const claimed = await this.#claim(job);
    if (!claimed) {
      this.#enter('left');
      return;
    }
    await this.#hold(claimed);
    if (this.#isClaimed || !job.snapshot) {
      this.#enter('left');
      return;
    }
    // What the job says of the run is outdated: the run may be under a limit of runs at once by now.
    this.#enter('claiming');
    return this.run({ ...job, snapshot: undefined });
  }

  #enter(next: State): void {
    if (!NEXT[this.#state].includes(next)) throw new Error(`a session cannot go from ${this.#state} to ${next}`);
    this.#state = next;
  }

  /** Reserves a place and claims the run. */
  async #claim(job: RunJob): Promise<ClaimedExecution | undefined> {
    const { active, claims } = this.#parts;
    // A job that is delivered twice to one worker does nothing: a second claim would fence the first.
    if (!active.reserve(job.executionId)) return undefined;
    let claimed: ClaimedExecution | undefined;
    try {
      claimed = await claims.claim(job);
      return claimed;
    } finally {
      if (!claimed) active.remove(job.executionId);
    }
  }

  /** Runs a claimed run, and frees its place whatever happens. */
  async #hold(claimed: ClaimedExecution): Promise<void> {
    const { active, claims, environment, observe } = this.#parts;
    const logger = this.#parts.logger.child({ executionId: claimed.id });
    const run = createActiveRun({
      executionId: claimed.id,
      epoch: claimed.epoch,
      token: claimed.token ?? randomUUID(),
      deadlineAt: claimed.deadlineAt.getTime(),
    });
    const now = environment.now();
    if (claimed.timeLeftMs !== null) run.limitTo(now + claimed.timeLeftMs);
    if (run.deadlineAt() <= now) run.halt('timeout');
    this.#active = run;
    if (!claimed.isProvisional) this.#onClaimed();
    active.add(run);
    const memory = createRunMemory(this.#parts.memory, claimed, () => run.halt('memoryExceeded'));
    const observer = observe(claimed);
    try {
      this.#enter('loading');
      await inRunContext(claimed.id, () => this.#runHeld(claimed, { run, memory }, observer, logger));
    } catch (error) {
      if (error instanceof RetriesEndedError) {
        logger.warn({ err: error }, 'a run was left to recovery');
        return;
      }
      // Whatever it was, the run must not stay with a worker that has given up on it.
      logger.error({ err: error }, 'a run was given back after an unexpected error');
      await claims.release(run);
    } finally {
      if (this.#state !== 'leaving') this.#enter('leaving');
      observer.left();
      active.remove(claimed.id);
      memory.release();
      if (claimed.holdsSlot) {
        // Maintenance does what fails here.
        await claims.slotLeft(claimed).catch((err: unknown) => {
          logger.warn({ err }, 'held back runs could not be dispatched yet');
        });
      }
    }
  }

  async #runHeld(
    claimed: ClaimedExecution,
    { run, memory }: { run: ActiveRun; memory: RunMemory },
    observer: RunObserver,
    logger: Logger,
  ): Promise<void> {
    const { loader, environment, claims } = this.#parts;
    // A first claim has epoch 1: nobody can have left records, or answers to waits.
    const isNew = claimed.epoch === 1;
    const [earlier, nextDueInMs] = isNew
      ? [NO_RECORDS, null]
      : await Promise.all([loader.loadRecords(claimed.id), loader.loadAnswers(run)]);
    memory.recordEarlier(earlier.outputBytes);
    const journal = this.#openJournal(claimed, { run, memory }, earlier);
    const waitTimer = this.#openWaitTimer(run, journal, logger);
    if (nextDueInMs !== null) waitTimer.expect(nextDueInMs);
    try {
      if (earlier.goneNodeId !== undefined) throw new NeededOutputGoneError(earlier.goneNodeId);
      const records = await loader.withReused(claimed, earlier.records);
      await keepReused(records, earlier.records, journal);
      const workflow = await loader.loadVersion(claimed.workflowVersionId);
      // Nobody has held a new run before: all of its time is left.
      if (isNew && workflow.countsHeldTime) run.limitTo(environment.now() + workflow.timeoutMs);
      this.#enter('running');
      const ending = await driveRun({ claimed, workflow, records, run, journal, observer, waitTimer }, environment);
      // Nothing is written for the run after its last checkpoint.
      await waitTimer.stop();
      this.#enter('leaving');
      const final = await writeFinalCheckpoint(ending, run, journal);
      if (final.kind !== 'unfinished') {
        await this.#notify(claimed, final, observer, logger);
        return;
      }
      if (run.haltReason() === 'fenced') return;
      // What finished last must be on disk first, or the next worker would do it again.
      await journal.flush();
      await claims.release(run);
    } catch (error) {
      if (error instanceof FencedError) return;
      if (error instanceof RetriesEndedError) throw error;
      await waitTimer.stop();
      await this.#fail(error, claimed, journal, observer, logger);
    } finally {
      await waitTimer.stop();
    }
  }

  #openWaitTimer(run: ActiveRun, journal: Journal, logger: Logger): WaitTimer {
    return createWaitTimer({
      endDue: async () => {
        await journal.flush();
        return this.#parts.loader.loadAnswers(run);
      },
      onError(err) {
        if (!(err instanceof FencedError)) logger.warn({ err }, 'due waits could not be ended yet');
      },
    });
  }

  #openJournal(
    claimed: ClaimedExecution,
    { run, memory }: { run: ActiveRun; memory: RunMemory },
    { records, tallies }: EarlierRecords,
  ): Journal {
    const { workerId, writer } = this.#parts;
    const { digest, isProvisional } = claimed;
    return createJournal({
      executionId: claimed.id,
      epoch: claimed.epoch,
      token: run.token,
      claim: isProvisional ? { workerId, digest, begunAt: performance.now() } : null,
      writer,
      records,
      tallies: new Map(tallies),
      onClaimed: this.#onClaimed,
      onOutput: memory.record,
      onVerdict: (verdict) => {
        if (verdict === 'fenced') run.halt('fenced');
        if (verdict === 'paused') run.pause();
      },
    });
  }

  /** Fails a run that cannot go on, for a reason that is not its own. */
  async #fail(
    error: unknown,
    claimed: ClaimedExecution,
    journal: Journal,
    observer: RunObserver,
    logger: Logger,
  ): Promise<void> {
    const dataGone = dataGoneEnding(error);
    if (!dataGone) logger.error({ err: error }, 'the run failed for a reason of the service, not of its own');
    try {
      await journal.finish(dataGone ?? failure('failed', serviceFailure(error), null));
      await this.#notify(claimed, { kind: 'finished', status: 'failed' }, observer, logger);
    } catch (again) {
      if (!(again instanceof FencedError)) throw again;
    }
  }

  /** Notifies those who wait for the run. */
  async #notify(
    claimed: ClaimedExecution,
    final: Exclude<FinalCheckpoint, { kind: 'unfinished' }>,
    observer: RunObserver,
    logger: Logger,
  ): Promise<void> {
    const { notifier } = this.#parts;
    if (final.kind === 'finished') observer.finished(final.status);
    else if (final.wakeAt !== null) notifier.wakeAt(final.wakeAt);
    notifier.announce({ executionId: claimed.id, ended: final.kind === 'finished' ? final.status : undefined });
    try {
      if (final.kind === 'finished' && claimed.hasParent) await notifier.finishChildren({ childIds: [claimed.id] });
      // A child may have been quicker than this run came to rest.
      if (final.kind === 'resting' && final.waitsForChild) await notifier.finishChildren({ parentIds: [claimed.id] });
    } catch (err) {
      logger.warn({ err }, 'a parent could not be notified yet');
    }
  }
}

/** What a run says of an error that is not its own. */
function serviceFailure(error: unknown): RunError {
  return runError(error instanceof CheckpointRefusedError ? 'VALUE_NOT_STORABLE' : 'INTERNAL');
}

/** How a run ends whose data somebody deleted; undefined for any other error. */
function dataGoneEnding(error: unknown): FinishedEnding | undefined {
  if (error instanceof SourceRunGoneError) return failure('failed', SOURCE_RUN_GONE, null);
  return error instanceof NeededOutputGoneError ? failure('failed', runError('OUTPUT_GONE'), error.nodeId) : undefined;
}

/** Makes the records that a rerun reuses its own: on disk before the run goes on. */
async function keepReused(
  records: ReadonlyMap<string, NodeRecord>,
  own: ReadonlyMap<string, NodeRecord>,
  journal: Journal,
): Promise<void> {
  for (const [key, record] of records) {
    if (own.has(key)) continue;
    journal.record(record);
    if (journal.isBehind()) await journal.flush();
  }
}
