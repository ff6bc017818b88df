import { type Claim, type ClaimedExecution, type FinishedEnding, NO_DEADLINE_AT, type RunKey } from '@deckhand/db';
import type { CompiledWorkflow, Ending, NodeRecord } from '@deckhand/engine';
import { ERRORS, type RunError, runError } from '@deckhand/contracts';
import type { RunChange, RunJob } from '@deckhand/queue';
import type { Logger, MemoryBudget } from '@deckhand/runtime';
import { randomUUID } from 'node:crypto';
import { CheckpointRefusedError, type CheckpointWriter } from '../checkpoints/checkpoint-writer.ts';
import { createJournal, FencedError, type Journal } from '../checkpoints/journal.ts';
import { RetriesEndedError } from '../checkpoints/retry-while-unavailable.ts';
import { type ActiveRun, type ActiveRuns, createActiveRun } from './active-runs.ts';
import { cancelWaitsOf } from './cancel-waits.ts';
import { driveRun, type NodeEnvironment, type WantedIterations } from './drive-run.ts';
import { failure, type FinalCheckpoint, writeFinalCheckpoint } from './final-checkpoint.ts';
import { type EarlierRecords, NeededOutputGoneError } from './records.ts';
import { SourceRunGoneError } from './reuse-records.ts';
import type { RunObserver } from './run-observer.ts';
import { inRunContext } from '../watchdog/run-context.ts';
import { createRunMemory, type RunMemory } from './run-memory.ts';
import { createWaitTimer, type WaitTimer } from './wait-timer.ts';

/** The work of a worker on one run of a job. */
export interface RunSession {
  /**
   * Resolves once the run no longer needs its job: true when this worker claimed it, false when it cannot be claimed.
   * Rejects when neither is known.
   */
  readonly claimed: Promise<boolean>;
  /** Resolves once this worker no longer holds the run, also when the run failed. Never rejects. */
  readonly done: Promise<void>;
}

/** Claims and releases runs. */
export interface RunClaims {
  /** Claims a run, or only reads it if its first checkpoint will claim it; undefined when it cannot be claimed. */
  readonly claim: (job: RunJob) => Promise<ClaimedExecution | undefined>;
  /** Releases a run: it is dispatched to other workers, or rests when it is paused. */
  readonly release: (run: Claim & { readonly executionId: string }) => Promise<void>;
  /** Dispatches the next run that waits for the slot of this one, under a limit of runs at once. */
  readonly slotFreed: (run: { readonly workspaceId: string; readonly workflowId: string }) => Promise<void>;
  /** Dispatches the next run that waits for the key of this one. */
  readonly keyFreed: (key: RunKey) => Promise<void>;
}

/** Reads the data that a claimed run needs. */
export interface RunLoader {
  readonly loadVersion: (versionId: string) => Promise<CompiledWorkflow>;
  readonly loadRecords: (claimed: ClaimedExecution) => Promise<EarlierRecords>;
  /** Reads records of iterations that earlier workers finished. @throws NeededOutputGoneError */
  readonly loadIterations: (
    executionId: string,
    wanted: WantedIterations,
  ) => Promise<Pick<EarlierRecords, 'records' | 'outputBytes'>>;
  /**
   * Returns the run's own records and, for a rerun from a node, those that it reuses.
   * @throws SourceRunGoneError, NeededOutputGoneError
   */
  readonly withReused: (
    claimed: ClaimedExecution,
    own: ReadonlyMap<string, NodeRecord>,
  ) => Promise<ReadonlyMap<string, NodeRecord>>;
  /**
   * Stops the run if an event has come that does so, by a wait that is on disk. An event that comes later stops it,
   * too.
   * @returns whether it is stopped.
   */
  readonly stopByEvents: (executionId: string) => Promise<boolean>;
  /**
   * Ends the open waits of a run that are due, and hands those that have ended to the run.
   * @returns in how many ms the next wait is due; null when there is none.
   */
  readonly loadAnswers: (run: ActiveRun) => Promise<number | null>;
}

/** Notifies others of the outcome of a run. Maintenance makes up for notifications that are lost. */
export interface RunNotifier {
  /** Notifies those who wait for the run that it finished, and how, or that it rests. */
  readonly announce: (change: RunChange) => void;
  /** Lets parents continue whose children are finished: the parents of these children, or these parents. */
  readonly finishChildren: (finished: { childIds: string[] } | { parentIds: string[] }) => Promise<void>;
  /** Gives the locks that a run held to the next. */
  readonly freeLocks: (run: { readonly executionId: string; readonly workspaceId: string }) => Promise<void>;
  /** Wakes resting runs at a time, in ms since the epoch. */
  readonly wakeAt: (time: number) => void;
}

/** The services that the sessions of a worker need. */
export interface SessionParts {
  readonly workerId: string;
  readonly active: ActiveRuns;
  readonly claims: RunClaims;
  readonly loader: RunLoader;
  readonly environment: NodeEnvironment;
  readonly writer: CheckpointWriter;
  /** The budget for data of runs. */
  readonly memory: MemoryBudget;
  readonly notifier: RunNotifier;
  /** Begins to observe a claimed run. */
  readonly observe: (run: ClaimedExecution) => RunObserver;
  readonly logger: Logger;
}

/**
 * The state of a session. A session goes back to `claiming` once, if the first checkpoint failed to claim the run.
 */
type State = 'claiming' | 'loading' | 'running' | 'closing' | 'closed';

const NEXT_STATES: Readonly<Record<State, readonly State[]>> = {
  claiming: ['loading', 'closed'],
  loading: ['running', 'closing'],
  running: ['closing'],
  closing: ['claiming', 'closed'],
  closed: [],
};

const SOURCE_RUN_GONE = { message: ERRORS.TRIGGER_DATA_GONE.message, code: 'TRIGGER_DATA_GONE' };

const NO_RECORDS: EarlierRecords = { records: new Map(), tallies: new Map(), positions: new Map(), outputBytes: 0 };

/** Starts the session of one run of a job: claims the run, drives it until it ends, rests or halts, and writes that. */
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
      parts.logger.error({ err, executionId: job.executionId }, 'run abandoned after an unexpected error');
      // No effect if the promise is settled: the run was claimed.
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
      this.#enter('closed');
      return;
    }
    await this.#runClaimed(claimed);
    if (this.#isClaimed || !job.snapshot) {
      this.#enter('closed');
      return;
    }
    // The snapshot is outdated: a limit of runs at once may apply to the run by now.
    this.#enter('claiming');
    return this.run({ ...job, snapshot: undefined });
  }

  #enter(next: State): void {
    if (!NEXT_STATES[this.#state].includes(next)) throw new Error(`invalid transition: ${this.#state} to ${next}`);
    this.#state = next;
  }

  /** Reserves a place and claims the run. */
  async #claim(job: RunJob): Promise<ClaimedExecution | undefined> {
    const { active, claims } = this.#parts;
    // Ignores a job that is delivered twice to this worker: a second claim would fence the first. A later dispatch is
    // claimed once the earlier one has left its place; until then, its job is not completed.
    if (!(await active.reserve(job.executionId, job.dispatch))) return undefined;
    let claimed: ClaimedExecution | undefined;
    try {
      claimed = await claims.claim(job);
      return claimed;
    } finally {
      if (!claimed) active.remove(job.executionId);
    }
  }

  /** Executes a claimed run, and frees its place whatever happens. */
  async #runClaimed(claimed: ClaimedExecution): Promise<void> {
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
      await inRunContext(claimed.id, () => this.#execute(claimed, { run, memory }, observer, logger));
    } catch (error) {
      if (error instanceof RetriesEndedError) {
        logger.warn({ err: error }, 'run left to recovery');
        return;
      }
      // A run must not stay with a worker that no longer works on it.
      logger.error({ err: error }, 'run released after an unexpected error');
      await claims.release(run);
    } finally {
      if (this.#state !== 'closing') this.#enter('closing');
      observer.closed();
      active.remove(claimed.id);
      memory.release();
      const { workflowId, concurrencyKey: key } = claimed;
      if (key !== null) {
        // Changes nothing unless the run has ended. If this fails, maintenance dispatches them.
        await claims.keyFreed({ workflowId, key }).catch((err: unknown) => {
          logger.warn({ err }, 'runs that wait for a key could not be dispatched yet');
        });
      }
      if (claimed.holdsSlot) {
        // If this fails, maintenance dispatches them.
        await claims.slotFreed(claimed).catch((err: unknown) => {
          logger.warn({ err }, 'held back runs could not be dispatched yet');
        });
      }
    }
  }

  async #execute(
    claimed: ClaimedExecution,
    { run, memory }: { run: ActiveRun; memory: RunMemory },
    observer: RunObserver,
    logger: Logger,
  ): Promise<void> {
    const { loader, environment, claims } = this.#parts;
    // A first claim has epoch 1: no earlier worker can have left records, and no wait can have been answered.
    const isNew = claimed.epoch === 1;
    const earlier = isNew ? NO_RECORDS : await loader.loadRecords(claimed);
    for (const record of earlier.records.values()) run.trackWait(record);
    const nextDueInMs = isNew ? null : await this.#loadAnswers(claimed, run);
    memory.recordEarlier(earlier.outputBytes);
    const journal = this.#openJournal(claimed, { run, memory }, earlier);
    const waitTimer = this.#openWaitTimer(run, journal, logger);
    if (nextDueInMs !== null) waitTimer.expect(nextDueInMs);
    try {
      if (earlier.goneNodeId !== undefined) throw new NeededOutputGoneError(earlier.goneNodeId);
      const workflow = await loader.loadVersion(claimed.workflowVersionId);
      if (await this.#isStoppedByEvents(claimed, workflow, journal, earlier.records.size === 0)) return;
      const records = await loader.withReused(claimed, earlier.records);
      await copyReused(records, earlier.records, journal);
      // A snapshot does not contain a limit of the time in which workers hold the run: without a deadline, that of the
      // version counts. No worker held a new run before, so all of it is left.
      const hasDeadline = claimed.deadlineAt.getTime() !== Date.parse(NO_DEADLINE_AT);
      if (isNew && claimed.digest !== null && !hasDeadline && workflow.countsHeldTime)
        run.limitTo(environment.now() + workflow.timeoutMs);
      this.#enter('running');
      const { positions } = earlier;
      const loadIterations = async (wanted: WantedIterations): Promise<NodeRecord[]> => {
        const { records: finished, outputBytes } = await loader.loadIterations(claimed.id, wanted);
        memory.recordEarlier(outputBytes);
        return [...finished.values()];
      };
      const driven = await driveRun(
        { claimed, workflow, records, positions, loadIterations, run, journal, observer, waitTimer },
        environment,
      );
      const ending = driven.kind === 'success' && !journal.hasRunNeededNode() ? notReached(claimed) : driven;
      // Nothing may be written for the run after its last checkpoint.
      await waitTimer.stop();
      this.#enter('closing');
      const final = await writeFinalCheckpoint(ending, run, journal);
      if (final.kind !== 'unfinished') {
        await this.#notify(claimed, final, observer, logger);
        if (workflow.usesLocks && final.kind === 'finished') await this.#freeLocks(claimed, logger);
        return;
      }
      if (run.haltReason() === 'fenced') return;
      // The last records must be on disk first, or the next worker would repeat those nodes.
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

  /**
   * Registers a new run for the events that stop it, before any of its nodes starts, and checks those that came while
   * it was queued. Without such events, it does nothing.
   */
  async #isStoppedByEvents(
    claimed: ClaimedExecution,
    workflow: CompiledWorkflow,
    journal: Journal,
    isNew: boolean,
  ): Promise<boolean> {
    const waits = cancelWaitsOf(workflow, claimed);
    if (waits.length === 0) return false;
    journal.stopBy(waits, isNew);
    if (!isNew) return false;
    await journal.flush();
    return this.#parts.loader.stopByEvents(claimed.id);
  }

  /** Returns in how many ms the next wait is due; null when there is none. */
  async #loadAnswers(claimed: ClaimedExecution, run: ActiveRun): Promise<number | null> {
    if (run.openWaits().length > 0) return this.#parts.loader.loadAnswers(run);
    run.setAnswers(new Map(), claimed.answerCount);
    return null;
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
    { records, tallies, positions }: EarlierRecords,
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
      positions: [...positions.values()],
      neededNodeId: neededNodeOf(claimed),
      onClaimed: this.#onClaimed,
      onOutput: memory.record,
      onVerdict: (verdict) => {
        if (verdict === 'fenced') run.halt('fenced');
        if (verdict === 'paused') run.pause();
      },
    });
  }

  /** Fails a run that cannot continue because of an error outside its nodes. */
  async #fail(
    error: unknown,
    claimed: ClaimedExecution,
    journal: Journal,
    observer: RunObserver,
    logger: Logger,
  ): Promise<void> {
    const dataGone = dataGoneEnding(error);
    if (!dataGone) logger.error({ err: error }, 'run failed because of an error of the service');
    try {
      await journal.finish(dataGone ?? failure('failed', serviceFailure(error), null));
      await this.#notify(claimed, { kind: 'finished', status: 'failed' }, observer, logger);
    } catch (again) {
      if (!(again instanceof FencedError)) throw again;
    }
  }

  async #freeLocks({ id, workspaceId }: ClaimedExecution, logger: Logger): Promise<void> {
    try {
      await this.#parts.notifier.freeLocks({ executionId: id, workspaceId });
    } catch (err) {
      // Maintenance does it.
      logger.warn({ err }, 'locks could not be given to others yet');
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
      // A child may have finished before this run rested.
      if (final.kind === 'resting' && final.waitsForChild) await notifier.finishChildren({ parentIds: [claimed.id] });
    } catch (err) {
      logger.warn({ err }, 'a parent could not be notified yet');
    }
  }
}

/** Returns the node that a rerun of a whole run has to run; undefined for another run. */
function neededNodeOf({ rerunFromNodeId, untilNodeId }: ClaimedExecution): string | undefined {
  return untilNodeId === null ? (rerunFromNodeId ?? undefined) : undefined;
}

/** Returns the ending of a rerun that succeeded without the node for which it was made. */
function notReached(claimed: ClaimedExecution): Ending {
  return { kind: 'failed', nodeId: neededNodeOf(claimed) ?? '', error: runError('NODE_NOT_REACHED') };
}

/** Returns the error that a run shows for an error of the service. */
function serviceFailure(error: unknown): RunError {
  return runError(error instanceof CheckpointRefusedError ? 'VALUE_NOT_STORABLE' : 'INTERNAL');
}

/** Returns the ending of a run whose data was deleted; undefined for any other error. */
function dataGoneEnding(error: unknown): FinishedEnding | undefined {
  if (error instanceof SourceRunGoneError) return failure('failed', SOURCE_RUN_GONE, null);
  return error instanceof NeededOutputGoneError ? failure('failed', runError('OUTPUT_GONE'), error.nodeId) : undefined;
}

/** Copies the records that a rerun reuses to its journal, before it records anything of its own. */
async function copyReused(
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
