import type { WaitPlace } from '@deckhand/db';
import { begunWait, type NodeRecord, recordKey, type RunControl, type WaitAnswer } from '@deckhand/engine';

/** Why a run in progress halts. */
export type HaltReason = 'fenced' | 'timeout' | 'draining' | 'uncaughtError' | 'memoryExceeded';

/** A run that this worker holds: what the worker changes while the run loop reads it. */
export class ActiveRun implements RunControl {
  readonly executionId: string;
  readonly epoch: number;
  readonly token: string;
  #deadlineAt: number;
  #isClaimed = false;
  #isPaused = false;
  #haltReason: HaltReason | undefined;
  #abort: AbortController | undefined;
  readonly #answers = new Map<string, WaitAnswer>();
  #answersSeen = 0;
  /** By the key of their node's record. */
  readonly #openWaits = new Map<string, WaitPlace>();
  readonly #listeners: (() => void)[] = [];

  /** @param run with its deadline in ms since the epoch. */
  constructor(run: {
    readonly executionId: string;
    readonly epoch: number;
    readonly token: string;
    readonly deadlineAt: number;
  }) {
    this.executionId = run.executionId;
    this.epoch = run.epoch;
    this.token = run.token;
    this.#deadlineAt = run.deadlineAt;
  }

  isHalted(): boolean {
    return this.#haltReason !== undefined;
  }

  signal(): AbortSignal {
    if (this.#abort) return this.#abort.signal;
    this.#abort = new AbortController();
    if (this.isHalted()) this.#abort.abort();
    return this.#abort.signal;
  }

  isPaused(): boolean {
    return this.#isPaused;
  }

  answer(key: string): WaitAnswer | undefined {
    return this.#answers.get(key);
  }

  answersSeen(): number {
    return this.#answersSeen;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Returns the time at which the run times out, in ms since the epoch. */
  deadlineAt(): number {
    return this.#deadlineAt;
  }

  /** Moves the deadline forward; a later one is ignored. */
  limitTo(deadlineAt: number): void {
    this.#deadlineAt = Math.min(this.#deadlineAt, deadlineAt);
  }

  /** Returns true once the run is claimed in the database. A provisional run is claimed by its first checkpoint. */
  isClaimed(): boolean {
    return this.#isClaimed;
  }

  /** Notes that the run is claimed. */
  setClaimed(): void {
    this.#isClaimed = true;
  }

  /** Returns why the run halts; undefined while nothing has halted it. */
  haltReason(): HaltReason | undefined {
    return this.#haltReason;
  }

  /** Interrupts nodes in flight, and starts none any more. Only the first call counts. */
  halt(reason: HaltReason): void {
    if (this.isHalted()) return;
    this.#haltReason = reason;
    this.#abort?.abort();
    this.#changed();
  }

  /** Lets nodes in flight finish and starts none, until `resume`. */
  pause(): void {
    this.#isPaused = true;
    this.#changed();
  }

  /** Ends a pause. */
  resume(): void {
    this.#isPaused = false;
    this.#changed();
  }

  /** Keeps account of the waits that are open, from a record of a node. */
  trackWait(record: NodeRecord): void {
    const begun = begunWait(record);
    const key = recordKey(record.nodeId, record.iteration);
    if (begun) this.#openWaits.set(key, { nodeId: begun.nodeId, iteration: begun.iteration });
    else if (this.#openWaits.size > 0) this.#openWaits.delete(key);
  }

  /** Returns the open waits. */
  openWaits(): WaitPlace[] {
    return [...this.#openWaits.values()];
  }

  /** Adds ended waits, by wait key. @param seen how many answers of the run had been given when they were read. */
  setAnswers(answers: ReadonlyMap<string, WaitAnswer>, seen: number): void {
    // Concurrent reads may arrive out of order. Merging them is safe: a wait that has ended stays ended.
    for (const [key, answer] of answers) this.#answers.set(key, answer);
    this.#answersSeen = Math.max(this.#answersSeen, seen);
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
