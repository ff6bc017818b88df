/**
 * The operations of a run that are in progress: attempts of nodes, and reads of outputs.
 *
 * 1. Their number is limited: while there is no room for another one, none begins.
 * 2. Each end of one, and each change of the control, wakes the run loop.
 * 3. An error of an operation is one of the engine or of a store, not of a node: the first one aborts all others and
 *    ends the run.
 * 4. A node that is cancelled is aborted, and is waited for no longer: it may not heed its signal.
 */
import type { GraphNode } from '../compile/graph.ts';
import type { RunControl } from './ports.ts';
import { recordKey } from './records.ts';
import type { Scope, Task } from './scope.ts';

/**
 * Returns a function whose value `make` creates on its first call; `make` is called at most once. For abort signals:
 * creating one costs more than a pure node, and most runs use none. This is a function and not a getter, because
 * objects with their own getters share no hidden class, and creating one takes V8 ten times as long.
 */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** A signal that is created on first use. */
export type LazySignal = () => AbortSignal;

/** Maximum number of operations of one run in progress. */
const MAX_IN_FLIGHT = 64;

/** Aborts a node that is cancelled, and ends the wait for it. A listener of a signal would stay until the run ends. */
interface Cancellation {
  readonly abort: AbortController;
  readonly cancelled: PromiseWithResolvers<undefined>;
}

/** The operations of a run in progress. */
export class InFlight {
  #count = 0;
  #crash: { readonly error: unknown } | undefined;
  #wake = (): void => undefined;
  readonly #abortAll = lazy(() => new AbortController());
  readonly #halt: LazySignal;
  /** For nodes that may be cancelled, by `recordKey`. */
  readonly #cancellations = new Map<string, Cancellation>();

  constructor(control: Pick<RunControl, 'signal' | 'onChange'>) {
    this.#halt = lazy(() => AbortSignal.any([control.signal(), this.#abortAll().signal]));
    control.onChange(() => this.#wake());
  }

  /** Counts an operation of a task until it ends, or its node is cancelled. */
  run({ node, scope }: Task, operation: Promise<void>): void {
    this.#count += 1;
    const ended = operation.catch((error: unknown) => {
      this.#crash ??= { error };
      this.abortAll();
    });
    const key = recordKey(node.id, scope.iteration);
    void (node.isCancellable ? Promise.race([ended, this.#cancellationOf(key).cancelled.promise]) : ended).then(() => {
      this.#count -= 1;
      this.#cancellations.delete(key);
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

  /** Returns whether an operation failed: the run ends, and nothing more is recorded. */
  hasCrashed(): boolean {
    return this.#crash !== undefined;
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
    return lazy(() => AbortSignal.any([this.#halt(), this.#cancellationOf(key).abort.signal]));
  }

  /** Aborts a node that is cancelled. */
  abort({ id }: GraphNode, { iteration }: Scope): void {
    const cancellation = this.#cancellations.get(recordKey(id, iteration));
    cancellation?.abort.abort();
    cancellation?.cancelled.resolve(undefined);
  }

  /** Aborts all nodes, because the run failed. */
  abortAll(): void {
    this.#abortAll().abort();
  }

  #cancellationOf(key: string): Cancellation {
    const known = this.#cancellations.get(key);
    if (known) return known;
    const cancellation = { abort: new AbortController(), cancelled: Promise.withResolvers<undefined>() };
    this.#cancellations.set(key, cancellation);
    return cancellation;
  }
}
