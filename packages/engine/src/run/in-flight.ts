/**
 * The operations of a run that are in progress: attempts of nodes, and reads of outputs.
 *
 * 1. Their number is limited: while there is no room for another one, none begins.
 * 2. Each end of one, and each change of the control, wakes the run loop.
 * 3. An error of an operation is one of the engine or of a store, not of a node: the first one ends the run.
 * 4. A node that is cancelled is aborted, and is waited for no longer: it may not heed its signal.
 */
import type { GraphNode } from '../compile/graph.ts';
import { lazy, type LazySignal } from './lazy.ts';
import type { RunControl } from './ports.ts';
import { recordKey } from './records.ts';
import type { Task } from './scheduler.ts';
import type { Scope } from './scope.ts';

/** Maximum number of operations of one run in progress. */
const MAX_IN_FLIGHT = 64;

/** The operations of a run in progress. */
export class InFlight {
  #count = 0;
  #crash: { readonly error: unknown } | undefined;
  #wake = (): void => undefined;
  readonly #abortAll = lazy(() => new AbortController());
  readonly #halt: LazySignal;
  /** For nodes that may be cancelled, by `recordKey`. */
  readonly #aborts = new Map<string, AbortController>();

  constructor(control: Pick<RunControl, 'signal' | 'onChange'>) {
    this.#halt = lazy(() => AbortSignal.any([control.signal(), this.#abortAll().signal]));
    control.onChange(() => this.#wake());
  }

  /** Counts an operation of a task until it ends, or its node is cancelled. */
  run({ node, scope }: Task, operation: Promise<void>): void {
    this.#count += 1;
    const ended = operation.catch((error: unknown) => {
      this.#crash ??= { error };
    });
    const signal = node.isCancellable ? this.signalOf(node, scope)() : undefined;
    void (signal ? Promise.race([ended, aborted(signal)]) : ended).then(() => {
      this.#count -= 1;
      if (node.isCancellable) this.#aborts.delete(recordKey(node.id, scope.iteration));
      this.#wake();
    });
  }

  /** Returns whether another operation may begin. */
  hasRoom(): boolean {
    return this.#count < MAX_IN_FLIGHT && !this.#crash;
  }

  /** Returns true while no operation is in progress. */
  isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Throws the error of the first operation that failed. */
  throwCrash(): void {
    if (this.#crash) throw this.#crash.error;
  }

  /** Resolves at the next end of an operation, or change of the control. */
  nextEvent(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  /** Returns the signal that aborts a node in progress: for one that may be cancelled, a signal of its own. */
  signalOf(node: GraphNode, { iteration }: Scope): LazySignal {
    if (!node.isCancellable) return this.#halt;
    const key = recordKey(node.id, iteration);
    return lazy(() => {
      const abort = this.#aborts.get(key) ?? new AbortController();
      this.#aborts.set(key, abort);
      return AbortSignal.any([this.#halt(), abort.signal]);
    });
  }

  /** Aborts a node that is cancelled. */
  abort({ id }: GraphNode, { iteration }: Scope): void {
    this.#aborts.get(recordKey(id, iteration))?.abort();
  }

  /** Aborts all nodes, because the run failed. */
  abortAll(): void {
    this.#abortAll().abort();
  }
}

/** Resolves when the signal aborts. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
