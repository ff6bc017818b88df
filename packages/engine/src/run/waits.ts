/**
 * The nodes of a run that go on later: those that wait for an answer or for the time of their next attempt, and those
 * that a pause holds before an attempt.
 *
 * 1. A wait ends by the one answer that the control has for it.
 * 2. The next attempt of a node is such a wait, if it is due late: it outlives the worker.
 */
import type { WaitAnswer, WaitRequest } from '../outcome.ts';
import { type BegunWait, waitKey } from './records.ts';
import type { RunControl } from './ports.ts';
import type { Kept, Progress } from './progress.ts';
import type { Task } from './scope.ts';

/** A node that waits. Its wait ends with an attempt, or with what its type makes of the answer. */
export interface Waiting {
  readonly task: Task;
  readonly next: 'resume' | 'attempt';
  readonly wait: WaitRequest;
  readonly progress: Progress;
}

/** A node that a pause holds before an attempt. */
export interface Held {
  readonly task: Task;
  readonly kept: Kept;
}

/** The nodes of a run that go on later. */
export class Waits {
  readonly #control: Pick<RunControl, 'answer'>;
  /** By `waitKey`. */
  readonly #waiting = new Map<string, Waiting>();
  #held: Held[] = [];

  constructor(control: Pick<RunControl, 'answer'>) {
    this.#control = control;
  }

  /** Keeps a node until its wait ends. */
  keep(begun: BegunWait, task: Task, progress: Progress): void {
    const { wait, next } = begun;
    this.#waiting.set(waitKey(begun), { task, next, wait, progress });
  }

  /** Keeps a node until the pause ends. */
  hold(task: Task, kept: Kept): void {
    this.#held.push({ task, kept });
  }

  /** Returns whether nodes may go on, unless the run is paused. */
  hasEnded(): boolean {
    return this.#held.length > 0 || [...this.#waiting.keys()].some((key) => this.#control.answer(key) !== undefined);
  }

  /** Takes the nodes whose waits have ended, one by one. */
  *takeEnded(): Generator<Waiting & { readonly answer: WaitAnswer }> {
    for (const [key, waiting] of this.#waiting) {
      const answer = this.#control.answer(key);
      if (!answer) continue;
      this.#waiting.delete(key);
      yield { ...waiting, answer };
    }
  }

  /** Takes the nodes that a pause held. */
  takeHeld(): readonly Held[] {
    const held = this.#held;
    this.#held = [];
    return held;
  }

  /** Returns the waits of the tasks that are still to be settled. */
  open(isOpen: (task: Task) => boolean): WaitRequest[] {
    return [...this.#waiting.values()].flatMap(({ task, wait }) => (isOpen(task) ? [wait] : []));
  }
}
