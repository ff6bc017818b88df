import { type ClaimedExecution, type FinishedEnding, NO_DEADLINE_AT } from '@deckhand/db';
import type { CompiledWorkflow, Ending, NodeRecord } from '@deckhand/engine';
import { type RunError, runError } from '@deckhand/contracts';
import type { Logger } from '@deckhand/runtime';
import { randomUUID } from 'node:crypto';
import { CheckpointRefusedError } from '../checkpoints/checkpoint-writer.ts';
import { createJournal, FencedError, type Journal } from '../checkpoints/journal.ts';
import { RetriesEndedError } from '../checkpoints/retry-while-unavailable.ts';
import { runContext } from '../watchdog/run-context.ts';
import { ActiveRun } from './active-runs.ts';
import { cancelWaitsOf } from '../checkpoints/node-rows.ts';
import { driveRun, type WantedIterations, failure, type FinalCheckpoint, writeFinalCheckpoint } from './drive-run.ts';
import { type EarlierRecords, NeededOutputGoneError } from './records.ts';
import { SourceRunGoneError } from './reuse-records.ts';
import { createRunMemory, type RunMemory } from './run-memory.ts';
import type { RunObserver } from './run-reports.ts';
import type { SessionParts } from './session-parts.ts';
import { createWaitTimer, type WaitTimer } from './wait-timer.ts';

/** A run is claimed before it is loaded, or by its first checkpoint, while it runs. */
type State = 'loading' | 'running' | 'closing' | 'closed';

const NEXT_STATES: Readonly<Record<State, readonly State[]>> = {
  loading: ['running', 'closing'],
  running: ['closing'],
  closing: ['closed'],
  closed: [],
};

const NO_RECORDS: EarlierRecords = { records: new Map(), tallies: new Map(), positions: new Map(), outputBytes: 0 };

/**
 * A run that this worker holds, from its claim until it is held no longer.
 *
 * 1. Whatever happens, the run leaves its place among the active ones, and its memory and limits are freed.
 * 2. Nothing is written for the run after its last checkpoint: the timer of its waits stops before.
 * 3. A run that neither ended nor rests is released, once its last records are on disk. A fenced one is not: it belongs
 *    to another worker. One whose checkpoints could not be written before the worker ends is left to recovery.
 */
export class HeldRun {
  readonly #claimed: ClaimedExecution;
  readonly #parts: SessionParts;
  readonly #onClaimed: () => void;
  readonly #run: ActiveRun;
  readonly #memory: RunMemory;
  readonly #observer: RunObserver;
  readonly #logger: Logger;
  #state: State = 'loading';

  constructor(claimed: ClaimedExecution, parts: SessionParts, onClaimed: () => void) {
    this.#claimed = claimed;
    this.#parts = parts;
    this.#logger = parts.logger.child({ executionId: claimed.id });
    this.#run = new ActiveRun({
      executionId: claimed.id,
      epoch: claimed.epoch,
      token: claimed.token ?? randomUUID(),
      deadlineAt: claimed.deadlineAt.getTime(),
    });
    this.#onClaimed = () => {
      this.#run.setClaimed();
      onClaimed();
    };
    const now = parts.environment.now();
    if (claimed.timeLeftMs !== null) this.#run.limitTo(now + claimed.timeLeftMs);
    if (this.#run.deadlineAt() <= now) this.#run.halt('timeout');
    if (!claimed.isProvisional) this.#onClaimed();
    parts.active.add(this.#run);
    this.#memory = createRunMemory(parts.memory, claimed, () => this.#run.halt('memoryExceeded'));
    this.#observer = parts.observe(claimed);
  }

  /** Returns whether the run was claimed: a provisional one is claimed by its first checkpoint. */
  isClaimed(): boolean {
    return this.#run.isClaimed();
  }

  /** Executes the run, and frees its place whatever happens. */
  async run(): Promise<void> {
    const { active, claims } = this.#parts;
    try {
      await runContext.run(this.#claimed.id, () => this.#execute());
    } catch (error) {
      if (error instanceof RetriesEndedError) {
        this.#logger.warn({ err: error }, 'left a run to recovery');
        return;
      }
      // A run must not stay with a worker that no longer works on it.
      this.#logger.error({ err: error }, 'released a run after an unexpected error');
      await claims.release(this.#run);
    } finally {
      if (this.#state !== 'closing') this.#enter('closing');
      this.#observer.closed();
      active.remove(this.#claimed.id);
      this.#memory.release();
      await this.#freeLimits();
      this.#enter('closed');
    }
  }

  #enter(next: State): void {
    if (!NEXT_STATES[this.#state].includes(next)) throw new Error(`invalid transition: ${this.#state} to ${next}`);
    this.#state = next;
  }

  async #execute(): Promise<void> {
    const run = this.#run;
    // A first claim has epoch 1: no earlier worker can have left records, and no wait can have been answered.
    const isNew = this.#claimed.epoch === 1;
    const earlier = isNew ? NO_RECORDS : await this.#parts.loader.loadRecords(this.#claimed);
    for (const record of earlier.records.values()) run.trackWait(record);
    const nextDueInMs = isNew ? null : await this.#loadAnswers();
    this.#memory.recordEarlier(earlier.outputBytes);
    const journal = this.#openJournal(earlier);
    const waitTimer = this.#openWaitTimer(journal);
    if (nextDueInMs !== null) waitTimer.expect(nextDueInMs);
    try {
      await this.#drive(earlier, journal, waitTimer);
    } catch (error) {
      if (error instanceof FencedError) return;
      if (error instanceof RetriesEndedError) throw error;
      await waitTimer.stop();
      await this.#fail(error, journal);
    } finally {
      await waitTimer.stop();
    }
  }

  /** Loads what the run needs, runs the engine, and writes how the run ended. */
  async #drive(earlier: EarlierRecords, journal: Journal, waitTimer: WaitTimer): Promise<void> {
    const { loader, environment } = this.#parts;
    const claimed = this.#claimed;
    if (earlier.goneNodeId !== undefined) throw new NeededOutputGoneError(earlier.goneNodeId);
    const workflow = await loader.loadVersion(claimed.workflowVersionId);
    if (await this.#isStoppedByEvents(workflow, journal, earlier.records.size === 0)) return;
    const records = claimed.rerunFromNodeId === null ? earlier.records : await this.#reuse(earlier.records, journal);
    this.#limitHeldTime(workflow);
    this.#enter('running');
    const driven = await driveRun(
      {
        ...{ claimed, workflow, records, journal, waitTimer },
        positions: earlier.positions,
        loadIterations: (wanted) => this.#loadIterations(wanted),
        run: this.#run,
        observer: this.#observer,
      },
      environment,
    );
    const ending = driven.kind === 'success' && !journal.hasRunNeededNode() ? notReached(claimed) : driven;
    await waitTimer.stop();
    this.#enter('closing');
    await this.#close(ending, workflow, journal);
  }

  /**
   * Copies the records that a rerun from a node reuses to its journal, before it records anything of its own.
   * @returns its own records and those that it reuses.
   */
  async #reuse(own: ReadonlyMap<string, NodeRecord>, journal: Journal): Promise<ReadonlyMap<string, NodeRecord>> {
    const records = await this.#parts.loader.withReused(this.#claimed, own);
    for (const [key, record] of records) {
      if (own.has(key)) continue;
      journal.record(record);
      if (journal.isBehind()) await journal.flush();
    }
    return records;
  }

  /** Writes how the run ended or rests, and notifies others; releases it if it did neither. */
  async #close(ending: Ending, workflow: CompiledWorkflow, journal: Journal): Promise<void> {
    const isOneCheckpoint = !this.isClaimed();
    const final = await writeFinalCheckpoint(ending, this.#run, journal);
    if (final.kind !== 'unfinished') {
      await this.#notify(final, isOneCheckpoint);
      if (workflow.usesLocks && final.kind === 'finished') await this.#freeLocks();
      return;
    }
    if (this.#run.haltReason() === 'fenced') return;
    // The last records must be on disk first, or the next worker would repeat those nodes.
    await journal.flush();
    await this.#parts.claims.release(this.#run);
  }

  /** Fails a run that cannot continue because of an error outside its nodes. */
  async #fail(error: unknown, journal: Journal): Promise<void> {
    const dataGone = dataGoneEnding(error);
    if (!dataGone) this.#logger.error({ err: error }, 'failed a run because of an error of the service');
    try {
      await journal.finish(dataGone ?? failure('failed', serviceFailure(error), null));
      await this.#notify({ kind: 'finished', status: 'failed', result: null });
    } catch (again) {
      if (!(again instanceof FencedError)) throw again;
    }
  }

  /**
   * Applies the default limit of the time in which workers hold a run. A snapshot does not contain it: without a
   * deadline, that of the version counts. No worker held a new run before, so all of it is left.
   */
  #limitHeldTime(workflow: CompiledWorkflow): void {
    const { epoch, digest, deadlineAt } = this.#claimed;
    const hasDeadline = deadlineAt.getTime() !== Date.parse(NO_DEADLINE_AT);
    if (epoch === 1 && digest !== null && !hasDeadline && workflow.countsHeldTime)
      this.#run.limitTo(this.#parts.environment.now() + workflow.timeoutMs);
  }

  /**
   * Registers a new run for the events that stop it, before any of its nodes starts, and checks those that came while
   * it was queued. Without such events, it does nothing.
   */
  async #isStoppedByEvents(workflow: CompiledWorkflow, journal: Journal, isNew: boolean): Promise<boolean> {
    const waits = cancelWaitsOf(workflow, this.#claimed);
    if (waits.length === 0) return false;
    journal.stopBy(waits, isNew);
    if (!isNew) return false;
    await journal.flush();
    return this.#parts.loader.stopByEvents(this.#claimed.id);
  }

  /** Returns in how many ms the next wait is due; null when there is none. */
  async #loadAnswers(): Promise<number | null> {
    if (this.#run.openWaits().length > 0) return this.#parts.loader.loadAnswers(this.#run);
    this.#run.setAnswers(new Map(), this.#claimed.answerCount);
    return null;
  }

  async #loadIterations(wanted: WantedIterations): Promise<readonly NodeRecord[]> {
    const { records, outputBytes } = await this.#parts.loader.loadIterations(this.#claimed.id, wanted);
    this.#memory.recordEarlier(outputBytes);
    return [...records.values()];
  }

  #openWaitTimer(journal: Journal): WaitTimer {
    return createWaitTimer({
      endDue: async () => {
        await journal.flush();
        return this.#parts.loader.loadAnswers(this.#run);
      },
      onError: (err) => {
        if (!(err instanceof FencedError)) this.#logger.warn({ err }, 'failed to end due waits, retrying');
      },
    });
  }

  #openJournal({ records, tallies, positions }: EarlierRecords): Journal {
    const { workerId, writer } = this.#parts;
    const { id, epoch, digest, isProvisional } = this.#claimed;
    return createJournal({
      executionId: id,
      epoch,
      token: this.#run.token,
      claim: isProvisional ? { workerId, digest, begunAt: performance.now() } : null,
      writer,
      records,
      tallies: new Map(tallies),
      positions: [...positions.values()],
      neededNodeId: neededNodeOf(this.#claimed),
      onClaimed: this.#onClaimed,
      onOutput: this.#memory.record,
      onVerdict: (verdict) => {
        if (verdict === 'fenced') this.#run.halt('fenced');
        if (verdict === 'paused') this.#run.pause();
      },
    });
  }

  /**
   * Notifies those who wait for the run. A caller that waits for the result gets it with the notification, if the run
   * was written in one checkpoint: no node of such a run has responded to the caller before.
   */
  async #notify(final: Exclude<FinalCheckpoint, { kind: 'unfinished' }>, isOneCheckpoint = false): Promise<void> {
    const { notifier } = this.#parts;
    const { id, hasParent, isAwaited = false } = this.#claimed;
    if (final.kind === 'finished') this.#observer.finished(final.status);
    else if (final.wakeAt !== null) notifier.wakeAt(final.wakeAt);
    if (final.kind === 'finished')
      notifier.announceEnd(id, final.status, isAwaited && isOneCheckpoint ? final.result : null);
    else notifier.announce({ executionId: id });
    try {
      if (final.kind === 'finished' && hasParent) await notifier.finishChildren({ childIds: [id] });
      // A child may have finished before this run rested.
      if (final.kind === 'resting' && final.waitsForChild) await notifier.finishChildren({ parentIds: [id] });
    } catch (err) {
      this.#logger.warn({ err }, 'failed to notify a parent run, retrying');
    }
  }

  async #freeLocks(): Promise<void> {
    const { id, workspaceId } = this.#claimed;
    try {
      await this.#parts.notifier.freeLocks({ executionId: id, workspaceId });
    } catch (err) {
      // Maintenance does it.
      this.#logger.warn({ err }, 'failed to give locks to other runs, retrying');
    }
  }

  /** Dispatches runs that wait for this one under a limit. If that fails, maintenance does it. */
  async #freeLimits(): Promise<void> {
    const { claims } = this.#parts;
    const { workflowId, concurrencyKey: key, holdsSlot } = this.#claimed;
    if (key !== null) {
      // Changes nothing unless the run has ended.
      await claims.keyFreed({ workflowId, key }).catch((err: unknown) => {
        this.#logger.warn({ err }, 'failed to dispatch runs that wait for a key, retrying');
      });
    }
    if (holdsSlot) {
      await claims.slotFreed(this.#claimed).catch((err: unknown) => {
        this.#logger.warn({ err }, 'failed to dispatch held back runs, retrying');
      });
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
  if (error instanceof SourceRunGoneError) return failure('failed', runError('TRIGGER_DATA_GONE'), null);
  return error instanceof NeededOutputGoneError ? failure('failed', runError('OUTPUT_GONE'), error.nodeId) : undefined;
}
