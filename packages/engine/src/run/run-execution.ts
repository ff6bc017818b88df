/**
 * Runs one execution: takes tasks from the scheduler, runs their nodes, records what came of them.
 *
 * 1. A node that is finished in the records is settled from them and not run again.
 * 2. A node with effects starts only after everything before it, its own start included, is on disk.
 * 3. Once the control's signal aborts, no node starts and nothing is recorded.
 * 4. While paused no node starts; those in flight finish and are recorded. One that has yet to begin an attempt is
 *    pending again.
 * 5. A failure that neither its node handles nor a try around it catches aborts the other branches and ends the run.
 * 6. A wait ends by the one answer that the control has for it. While nothing else is left to do, the run rests.
 * 7. A node that an early join or a try cancels is aborted, and its outcome is dropped. Its record tells whether it had
 *    begun.
 * 8. A long delay before a next attempt is such a wait: it outlives the worker, and the attempts made are kept.
 * 9. A node with a mock does not run, and has the output of that.
 * 10. A run that ends after a node skips all nodes that are not before it, except those that the records settle.
 */
import type { JsonValue } from '@deckhand/contracts';
import type { GraphNode, Region } from '../compile/graph.ts';
import type { NodeFailure } from '../node-failure.ts';
import { mockOutcome, type Outcome, type RepeatRule, type TerminalResult, type WaitRequest } from '../node-type.ts';
import { attempt, attemptInTime, debugOf, goesOn, resumeNode } from './attempt.ts';
import { createEarlyJoins, isInProgress } from './early-joins.ts';
import { caughtOutput, errorOutput, INTERRUPTED, recorded } from './failure.ts';
import {
  begunWait,
  hasBegun,
  isFinished,
  isSettled,
  resultInside,
  storedContainer,
  storedDetails,
  storedResult,
  storedUncounted,
  storedWait,
  storeRepeat,
  storeRetry,
  storeUncounted,
  storeWait,
  TRY_STATE,
  waitKey,
} from './node-state.ts';
import type { Ending, RunRequest } from './ports.ts';
import { type LoopPosition, type NodeRecord, recordKey } from './records.ts';
import { lazy } from './lazy.ts';
import {
  afterFailure,
  earlierAttempts,
  ended,
  type Kept,
  type Progress,
  withAttempt,
  withConsole,
} from './progress.ts';
import { MAX_RETRY_DELAY_IN_WORKER_MS, retryDelayMs } from './retry.ts';
import { loadIterationOutputs } from './iteration-outputs.ts';
import { type NextIteration, Scheduler, type SchedulerPorts, type Task } from './scheduler.ts';
import { catchingScope, inputOf, type Scope } from './scope.ts';

/** Longest time of pure nodes before other runs continue, in ms. */
const SLICE_MS = 8;
/** Number of tasks between two readings of the clock. */
const SLICE_TASKS = 4;
/** Maximum number of nodes of one run in progress. */
const MAX_IN_FLIGHT = 64;

/** A node that waits: for an answer, or for the time of its next attempt. */
interface Waiting {
  readonly task: Task;
  readonly next: 'resume' | 'attempt';
  readonly wait: WaitRequest;
  readonly progress: Progress;
}

/**
 * Runs until the graph is settled, a node fails the run, or the control halts it.
 * @throws what `ports.flush` throws, and errors of the engine itself; failures of nodes are part of the ending.
 */
export async function runExecution(request: RunRequest): Promise<Ending> {
  const { control, ports, records, until, mocks } = request;
  const failing = lazy(() => new AbortController());
  const halt = lazy(() => AbortSignal.any([control.signal(), failing().signal]));
  let result: TerminalResult | null = null;
  let failed: { nodeId: string; failure: NodeFailure } | undefined;
  let crash: { error: unknown } | undefined;
  let inFlight = 0;
  /** Nodes that wait, by `waitKey`. */
  const waiting = new Map<string, Waiting>();
  /** Nodes that a pause holds before an attempt. */
  let deferred: { task: Task; kept: Kept }[] = [];
  let wake = (): void => undefined;
  control.onChange(() => {
    wake();
  });

  const loopStarts = new Map<string, number>();
  /** Positions of loops that this worker has not reached yet. */
  const unreached = new Map(request.positions);
  const joins = createEarlyJoins(records);
  const decided: SchedulerPorts = {
    skipped(node, scope) {
      // A node that one iteration skips may run in the next: only a node that the whole run skips is recorded.
      if (scope.iteration === '' && !find(node, scope)) note(node, scope, 'skipped', undefined, {});
    },
    containerDone(node, scope, output, handle) {
      const before = find(node, scope);
      if (before?.status === 'success') return;
      const key = recordKey(node.id, scope.iteration);
      const startedAt = loopStarts.get(key) ?? before?.startedAt ?? ports.now();
      loopStarts.delete(key);
      note(node, scope, 'success', { startedAt, attempts: 1 }, { output, handle });
    },
    joined(node, scope, decision) {
      joins.decided(node, scope, decision);
      // In one checkpoint with the records of what it cancels: a resumed run must not begin those again.
      note(node, scope, 'pending', undefined, {});
    },
    cancelled(node, scope) {
      const last = joins.lastRecordOf(node, scope) ?? find(node, scope);
      unreached.delete(recordKey(node.id, scope.iteration));
      if (!last) noteSkipped(node, scope);
      else if (isInProgress(last)) noteStopped(node, scope, last);
      if (last && node.body && records.size > 0) stopInside(node.body, scope);
      joins.abort(node, scope);
    },
    earlierDecision: (node, scope) => joins.earlierDecision(find(node, scope)),
    isSettled: (node, scope) => isSettled(find(node, scope)),
    isLeftOut: (node, scope) => until !== undefined && !until.has(node.id) && !isFinished(find(node, scope)),
  };
  const scheduler = new Scheduler(request.workflow.root, request.triggerNodeId, decided);
  ports.positionsFrom(() => [...scheduler.positions(), ...unreached.values()]);

  let sliceEnd = ports.now() + SLICE_MS;
  for (;;) {
    if (waiting.size > 0 && mayStart()) settleAnswered();
    if (deferred.length > 0 && mayStart()) beginDeferred();
    for (let count = 1; mayStart(); count += 1) {
      const task = scheduler.next();
      if (!task) break;
      take(task);
      if (count % SLICE_TASKS === 0 && ports.now() > sliceEnd) {
        await ports.yieldToEventLoop();
        sliceEnd = ports.now() + SLICE_MS;
      }
    }
    if (crash) throw crash.error;
    if (control.isHalted()) return { kind: 'halted' };
    if (failed) return { kind: 'failed', nodeId: failed.nodeId, error: recorded(failed.failure) };
    // Events that came while other runs continued.
    if (canGoOn()) continue;
    if (inFlight === 0) return restOrEnd();
    await new Promise<void>((resolve) => (wake = resolve));
  }

  function restOrEnd(): Ending {
    if (scheduler.isFinished()) return { kind: 'success', result };
    if (control.isPaused()) return { kind: 'halted' };
    dropCancelled();
    return {
      kind: 'waiting',
      waits: [...waiting.values()].map(({ wait }) => wait),
      answerCount: control.answersSeen(),
    };
  }

  function dropCancelled(): void {
    for (const [key, { task }] of waiting) if (!scheduler.isOpen(task)) waiting.delete(key);
  }

  function canGoOn(): boolean {
    if (!mayStart()) return false;
    return deferred.length > 0 || [...waiting.keys()].some((key) => control.answer(key) !== undefined);
  }

  function settleAnswered(): void {
    for (const [key, { task, next, wait, progress }] of waiting) {
      // The due attempts of a large loop are made as others in progress end.
      if (!mayStart()) return;
      const answer = control.answer(key);
      if (!answer) continue;
      waiting.delete(key);
      if (!scheduler.isOpen(task)) continue;
      if (next === 'attempt') launch(task, { ...progress, attempts: progress.attempts + 1 });
      else settle(task, resumeNode(request, task, { wait, answer, halt }), progress);
    }
  }

  function beginDeferred(): void {
    const due = deferred;
    deferred = [];
    for (const { task, kept } of due)
      if (scheduler.isOpen(task))
        launch(task, { ...kept, startedAt: kept.startedAt ?? ports.now(), attempts: kept.attempts + 1 });
  }

  function isOver(): boolean {
    return failed !== undefined || control.isHalted();
  }

  /** Whether the outcome of a task no longer matters. */
  function isDropped(task: Task): boolean {
    return isOver() || !scheduler.isOpen(task);
  }

  function mayStart(): boolean {
    return !isOver() && !control.isPaused() && inFlight < MAX_IN_FLIGHT && !crash;
  }

  function find(node: GraphNode, scope: Scope): NodeRecord | undefined {
    return records.size === 0 ? undefined : records.get(recordKey(node.id, scope.iteration));
  }

  /** Stops the nodes in a container that is cancelled before its records are replayed: no scope of them is open. */
  function stopInside(body: Region, { iteration }: Scope): void {
    for (const record of records.values()) {
      const node = request.workflow.nodes.get(record.nodeId);
      const isOfScope = iteration === '' || `${record.iteration}.`.startsWith(`${iteration}.`);
      if (!node || !isOfScope || !isAround(body, node) || !isInProgress(record)) continue;
      const last = joins.lastRecordOf(node, record) ?? record;
      if (isInProgress(last)) noteStopped(node, record, last);
    }
  }

  /** Records a node that was cancelled after it had begun. A rerun may continue a container. */
  function noteStopped(node: GraphNode, scope: Pick<Scope, 'iteration'>, last: NodeRecord): void {
    const { state } = last;
    note(node, scope, 'stopped', last, node.body && state !== undefined ? { state } : {});
  }

  /** Records a node that was cancelled before it began. In iterations, such nodes have no records. */
  function noteSkipped(node: GraphNode, scope: Scope): void {
    decided.skipped(node, scope);
    for (const inner of node.body?.nodes ?? []) noteSkipped(inner, scope);
  }

  function take(task: Task): void {
    if (task.missingOutputs) {
      endLoop(task, task.missingOutputs);
      return;
    }
    if (task.iteration) {
      decide(task, task.iteration);
      return;
    }
    const { node, scope } = task;
    const before = find(node, scope);
    if (before?.status === 'success') {
      result = storedResult(before) ?? resultInside(records, task) ?? result;
      scheduler.done(task, before.output ?? null, before.handle ?? undefined);
      return;
    }
    if (before?.status === 'failed' && before.error) {
      fail(task, { ...before.error, isRetryable: false, details: storedDetails(before) }, before.output);
      return;
    }
    // Answers count once all records are replayed: an early join takes what came first.
    if (before && keepWaiting(task, before)) return;
    const container = before && storedContainer(before);
    if (container?.kind === 'try') {
      scheduler.attempt(task);
      return;
    }
    if (container) {
      const key = recordKey(node.id, scope.iteration);
      const position = unreached.get(key);
      if (container.kind === 'repeat') {
        resumeRepeat(task, container.rule, position);
        return;
      }
      unreached.delete(key);
      scheduler.loop(task, container.items, container.concurrency, position);
      return;
    }
    start(task, before);
  }

  /** Continues a loop with a condition, once the output of the iteration before is loaded. */
  function resumeRepeat(task: Task, rule: RepeatRule, position: LoopPosition | undefined): void {
    const before = (position?.open[0] ?? position?.next ?? 0) - 1;
    const resume = ([previous = null]: readonly JsonValue[]): void => {
      // Not earlier: a checkpoint that is written while the output is loaded needs the position, too.
      unreached.delete(recordKey(task.node.id, task.scope.iteration));
      scheduler.repeat(task, rule, position && { position, previous });
    };
    if (before < 0) resume([]);
    else withOutputs(task, [before], resume);
  }

  /** Begins the next iteration of a loop with a condition, or ends the loop. */
  function decide(task: Task, iteration: NextIteration): void {
    if (hasBegun(records, task, iteration)) {
      scheduler.decide(task, true);
      return;
    }
    const outcome = goesOn(request, task, iteration);
    if (typeof outcome === 'boolean') {
      scheduler.decide(task, outcome);
      return;
    }
    const { node, scope } = task;
    const startedAt = loopStarts.get(recordKey(node.id, scope.iteration)) ?? find(node, scope)?.startedAt;
    settle(task, { kind: 'failure', failure: outcome }, { startedAt: startedAt ?? ports.now(), attempts: 1 });
  }

  /** Ends a loop of which earlier workers finished iterations. */
  function endLoop(task: Task, indexes: readonly number[]): void {
    withOutputs(task, indexes, (outputs) => scheduler.endLoop(task, outputs));
  }

  /** Loads outputs of iterations that earlier workers finished. */
  function withOutputs(task: Task, indexes: readonly number[], use: (outputs: JsonValue[]) => void): void {
    inFlight += 1;
    loadIterationOutputs(task, indexes, { ports, signal: halt() })
      .then((outputs) => {
        if (!isDropped(task)) use(outputs);
      })
      .catch((error: unknown) => {
        if (!isDropped(task)) crash ??= { error };
      })
      .finally(() => {
        inFlight -= 1;
        wake();
      });
  }

  /** Resumes the wait of a node from its record. @returns false for a record without one. */
  function keepWaiting(task: Task, record: NodeRecord): boolean {
    const begun = begunWait(record);
    if (!begun) return false;
    const { startedAt, attempts, attemptHistory, debug } = record;
    const uncounted = storedUncounted(record);
    const progress: Progress = { startedAt: startedAt ?? ports.now(), attempts, attemptHistory, debug, uncounted };
    const next = storedWait(record) ? 'resume' : 'attempt';
    waiting.set(waitKey(begun), { task, next, wait: begun.wait, progress });
    return true;
  }

  /** Runs a node. One that returns at once is settled at once, others run in parallel. */
  function start(task: Task, before: NodeRecord | undefined): void {
    const { node } = task;
    const mock = mocks?.get(node.id);
    if (mock !== undefined) {
      settle(task, mockOutcome(node.type, mock), { startedAt: ports.now(), attempts: 0 });
      return;
    }
    if (before?.status === 'running' && node.definition.onInterrupt === 'fail') {
      const { attempts, attemptHistory } = before;
      const progress: Progress = { startedAt: before.startedAt ?? ports.now(), attempts, attemptHistory };
      settle(task, { kind: 'failure', failure: INTERRUPTED }, progress);
      return;
    }
    const startedAt = before?.startedAt ?? ports.now();
    const attempts = (before?.attempts ?? 0) + 1;
    const earlier = before && earlierAttempts(before);
    // A rerun may start from a trigger that was disabled since: it returns the trigger data as before.
    if (node.definition.disabled === true && !node.type.isTrigger) {
      settle(task, passOn(task), { startedAt, attempts });
      return;
    }
    if (node.type.hasEffects || node.timeoutMs !== undefined) {
      launch(task, {
        startedAt,
        attempts,
        attemptHistory: earlier,
        uncounted: before ? storedUncounted(before) : 0,
      });
      return;
    }
    const progress: Progress = { startedAt, attempts, attemptHistory: earlier && withAttempt(earlier, ports.now()) };
    const outcome = attempt(request, task, joins.signalOf(node, task.scope, halt));
    if (outcome instanceof Promise || mayRetry(node, outcome, attempts)) launch(task, progress, outcome);
    else settle(task, outcome, { ...progress, debug: debugOf(request, task) });
  }

  /** @param first the outcome of an attempt that has begun. Only then, the history in `progress` includes it. */
  function launch(task: Task, progress: Progress, first?: Outcome | Promise<Outcome>): void {
    inFlight += 1;
    // A pure node that does not return at once is shown as running, without waiting until that is on disk.
    if (first instanceof Promise) note(task.node, task.scope, 'running', progress, {});
    const ended = runInFlight(task, progress, first).catch((error: unknown) => (crash ??= { error }));
    const { node, scope } = task;
    // A cancelled node that does not heed its signal must not hold up the run.
    const signal = node.isCancellable ? joins.signalOf(node, scope, halt)() : undefined;
    void (signal ? Promise.race([ended, aborted(signal)]) : ended).finally(() => {
      inFlight -= 1;
      joins.ended(node, scope);
      wake();
    });
  }

  /** Makes attempts until the node is settled, the run is halted, or no attempt is left. */
  async function runInFlight(
    task: Task,
    { startedAt, attempts: firstAttempt, attemptHistory, uncounted: uncountedBefore = 0 }: Progress,
    begun: Outcome | Promise<Outcome> | undefined,
  ): Promise<void> {
    const { node, scope } = task;
    const signal = joins.signalOf(node, scope, halt);
    let outcome = begun;
    let uncounted = uncountedBefore;
    let history = attemptHistory;
    for (let attempts = firstAttempt; ; attempts += 1) {
      const earlier = history;
      if (outcome === undefined) history = withAttempt(earlier, ports.now());
      const debug = debugOf(request, task);
      const progress: Progress = { startedAt, attempts, attemptHistory: history, debug, uncounted };
      if (outcome === undefined) {
        note(node, scope, 'running', progress, storeUncounted(uncounted));
        if (node.type.hasEffects) await ports.flush();
        if (isDropped(task)) return;
        // The pause may be on disk before this record, and the person was told that nothing starts.
        if (control.isPaused()) {
          const kept: Kept = {
            ...progress,
            startedAt: attempts === 1 ? null : startedAt,
            attempts: attempts - 1,
            attemptHistory: earlier,
          };
          deferred.push({ task, kept });
          note(node, scope, 'pending', kept, storeUncounted(uncounted));
          return;
        }
        outcome = attemptInTime(request, task, signal);
      }
      const settled = await outcome;
      if (isDropped(task)) return;
      const delayMs = settled.kind === 'failure' ? delayOf(node, settled.failure, attempts - uncounted) : undefined;
      if (settled.kind === 'failure' && settled.failure.retryAfterMs !== undefined) uncounted += 1;
      if (settled.kind !== 'failure' || delayMs === undefined) {
        settle(task, settled, progress);
        return;
      }
      history = afterFailure(progress, settled.failure, ports.now());
      if (delayMs > MAX_RETRY_DELAY_IN_WORKER_MS) {
        const state = storeRetry(ports.now() + delayMs, uncounted);
        wait(task, { failure: settled.failure, state }, { ...withConsole(progress, settled), attemptHistory: history });
        return;
      }
      outcome = undefined;
      await ports.sleep(delayMs, signal()).catch(() => undefined);
      if (isDropped(task)) return;
    }
  }

  /**
   * Returns the delay before the next attempt, in ms; undefined if there is none.
   * @param attempts how many were made that count.
   */
  function delayOf({ retry }: GraphNode, failure: NodeFailure, attempts: number): number | undefined {
    if (failure.retryAfterMs !== undefined) return failure.retryAfterMs;
    const isLast = !retry || !failure.isRetryable || attempts >= retry.maxAttempts;
    return isLast ? undefined : retryDelayMs(retry, attempts, ports.random(), failure.minRetryDelayMs);
  }

  function settle(task: Task, outcome: Outcome, before: Progress): void {
    const { node, scope } = task;
    const progress = withConsole(before, outcome);
    switch (outcome.kind) {
      case 'output':
        note(node, scope, 'success', progress, { output: outcome.output, handle: outcome.handle });
        scheduler.skipBody(task);
        scheduler.done(task, outcome.output, outcome.handle);
        return;
      case 'result': {
        const { body, statusCode, headers } = outcome.result;
        ({ result } = outcome);
        note(node, scope, 'success', progress, { output: body, state: { statusCode, headers } });
        scheduler.done(task, body, undefined);
        return;
      }
      case 'wait':
        wait(task, { state: storeWait(outcome.wait) }, progress);
        return;
      case 'loop': {
        const { items, concurrency } = outcome;
        loopStarts.set(recordKey(node.id, scope.iteration), progress.startedAt);
        if (items.length > 0) note(node, scope, 'running', progress, { state: { items, concurrency } });
        scheduler.loop(task, items, concurrency);
        return;
      }
      case 'repeat':
        loopStarts.set(recordKey(node.id, scope.iteration), progress.startedAt);
        note(node, scope, 'running', progress, { state: storeRepeat(outcome.rule) });
        scheduler.repeat(task, outcome.rule);
        return;
      case 'try':
        loopStarts.set(recordKey(node.id, scope.iteration), progress.startedAt);
        note(node, scope, 'running', progress, { state: TRY_STATE });
        scheduler.attempt(task);
        return;
      case 'failure': {
        const isHandled = node.definition.onError === 'continue' || node.definition.onError === 'branch';
        const isKept = isHandled || (outcome.failure.details !== undefined && catchingScope(scope) !== undefined);
        const output = isKept ? errorOutput(outcome.failure) : undefined;
        note(node, scope, 'failed', progress, { failure: outcome.failure, output });
        if (isHandled) scheduler.skipBody(task);
        fail(task, outcome.failure);
      }
    }
  }

  /** Records the wait of a node. */
  function wait(task: Task, rest: { failure?: NodeFailure; state: JsonValue }, progress: Progress): void {
    keepWaiting(task, note(task.node, task.scope, 'waiting', progress, rest));
  }

  /**
   * Handles a failure according to the node's `onError`; otherwise, a try around it does.
   * @param output what an earlier worker recorded for it.
   */
  function fail(task: Task, failure: NodeFailure, output: JsonValue = errorOutput(failure)): void {
    switch (task.node.definition.onError) {
      case 'continue':
        scheduler.done(task, output, task.node.type.undecidedHandle);
        return;
      case 'branch':
        scheduler.done(task, output, 'error');
        return;
      default:
        if (scheduler.caught(task, caughtOutput(task, failure))) return;
        failed ??= { nodeId: task.node.id, failure };
        failing().abort();
    }
  }

  function passOn({ node, scope }: Task): Outcome {
    const output = inputOf(node, scope);
    const { undecidedHandle: handle } = node.type;
    return handle === undefined ? { kind: 'output', output } : { kind: 'output', output, handle };
  }

  function note(
    node: GraphNode,
    scope: Pick<Scope, 'iteration'>,
    status: NodeRecord['status'],
    progress: Kept | undefined,
    rest: { output?: JsonValue | undefined; handle?: string | undefined; failure?: NodeFailure; state?: JsonValue },
  ): NodeRecord {
    const finishedAt = status === 'success' || status === 'failed' || status === 'stopped' ? ports.now() : null;
    const error = rest.failure ? recorded(rest.failure) : null;
    const history = progress?.attemptHistory;
    const record: NodeRecord = {
      nodeId: node.id,
      iteration: scope.iteration,
      status,
      startedAt: progress?.startedAt ?? null,
      finishedAt,
      attempts: progress?.attempts ?? 0,
      attemptHistory: finishedAt === null ? history : ended(history, finishedAt, error),
      handle: rest.handle ?? null,
      output: rest.output,
      error,
      state: rest.state ?? joins.stateOf(node, scope),
      debug: progress?.debug,
    };
    joins.recorded(node, record);
    ports.record(record);
    return record;
  }
}

/** Returns whether another attempt may follow one with this outcome. */
function mayRetry(node: GraphNode, outcome: Outcome, attempts: number): boolean {
  return outcome.kind === 'failure' && outcome.failure.isRetryable && attempts < (node.retry?.maxAttempts ?? 1);
}

/** Resolves when the signal aborts. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Whether a region, or a container in it, contains the node. */
function isAround(region: Region, node: GraphNode): boolean {
  for (let at: Region | undefined = node.region; at; at = at.container?.region) if (at === region) return true;
  return false;
}
