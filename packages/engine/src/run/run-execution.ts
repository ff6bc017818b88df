/**
 * Runs one execution: takes tasks from the scheduler, runs their nodes, records what came of them.
 *
 * Decisions are made elsewhere: which node may run by the scheduler, what becomes of it by `planTask`, and what follows
 * an attempt by `afterAttempt`. The run loop acts on them. The recorder, the operations in flight and the waits have
 * state of their own, and their files say what holds for it.
 *
 * 1. A node that is finished in the records is settled from them and not run again.
 * 2. A node with effects starts only after everything before it, its own start included, is on disk.
 * 3. Once the control's signal aborts, no node starts and nothing is recorded.
 * 4. While paused no node starts; those in flight finish and are recorded. One that has yet to begin an attempt is
 *    pending again.
 * 5. A failure that neither its node handles nor a try or an agent around it catches aborts the other branches and
 *    ends the run.
 * 6. While nothing is left to do until a wait ends, the run rests.
 * 7. The outcome of a node that an early join or a try has cancelled is dropped.
 * 8. A node with a mock does not run, and has the output of that.
 * 9. A step of an agent that fails, fails the agent; a call of a tool that fails is told to the model.
 * 10. A run that ends after a node skips all nodes that are not before it, except those that the records settle.
 */
import type { JsonValue } from '@deckhand/contracts';
import type { NodeFailure } from '../node-failure.ts';
import { mockOutcome, type Outcome, type RepeatRule, type TerminalResult } from '../outcome.ts';
import { attempt, type AttemptsEnd, debugOf, makeAttempts, resumeNode } from './attempt.ts';
import { caughtOutput, errorOutput, INTERRUPTED, recorded } from './failure.ts';
import { InFlight } from './in-flight.ts';
import { goesOn, loadIterationOutputs, loadSteps } from './iterations.ts';
import {
  begunWait,
  hasBegun,
  resultInside,
  type StoredContainer,
  storedResult,
  storeAgent,
  storeRepeat,
  storeUncounted,
  storeWait,
  TRY_STATE,
  type LoopPosition,
} from './records.ts';
import { planTask } from './plan-task.ts';
import type { Ending, RunRequest } from './ports.ts';
import { nextProgress, type Progress, recordedProgress, withAttempt, withConsole, mayRetry } from './progress.ts';
import { Recorder, type RecordedResult } from './recorder.ts';
import { Scheduler } from './scheduler.ts';
import { agentOf, catchingScope, inputOf, type NextIteration, type Task } from './scope.ts';
import { Waits } from './waits.ts';

/** Longest time of pure nodes before other runs continue, in ms. */
const SLICE_MS = 8;
/** Number of tasks between two readings of the clock. */
const SLICE_TASKS = 4;

/**
 * Runs until the graph is settled, a node fails the run, or the control halts it.
 * @throws what `ports.flush` throws, and errors of the engine itself; failures of nodes are part of the ending.
 */
export async function runExecution(request: RunRequest): Promise<Ending> {
  return new RunLoop(request).run();
}

class RunLoop {
  readonly #request: RunRequest;
  readonly #inFlight: InFlight;
  readonly #recorder: Recorder;
  readonly #scheduler: Scheduler;
  readonly #waits: Waits;
  /** When other runs continue at the latest, in ms since the epoch. */
  #sliceEnd: number;
  /** Whether the run may rest without further delay: none of its waits has ended since the last one. */
  #mayRest = false;
  /** What the last Terminal node set. */
  #result: TerminalResult | null = null;
  /** The first failure that nothing handled. */
  #failed: { readonly nodeId: string; readonly failure: NodeFailure } | undefined;

  constructor(request: RunRequest) {
    const { control, ports, workflow, triggerNodeId } = request;
    this.#request = request;
    this.#inFlight = new InFlight(control);
    this.#recorder = new Recorder(request, this.#inFlight);
    this.#waits = new Waits(control);
    this.#scheduler = new Scheduler(workflow.root, triggerNodeId, this.#recorder);
    ports.positionsFrom(() => [...this.#scheduler.positions(), ...this.#recorder.unreached()]);
    this.#sliceEnd = ports.now() + SLICE_MS;
  }

  async run(): Promise<Ending> {
    const { control, ports } = this.#request;
    for (;;) {
      if (this.#mayStart()) this.#goOn();
      while (this.#runSlice()) {
        await ports.yieldToEventLoop();
        this.#sliceEnd = ports.now() + SLICE_MS;
      }
      this.#inFlight.throwCrash();
      if (control.isHalted()) return { kind: 'halted' };
      if (this.#failed) {
        return { kind: 'failed', nodeId: this.#failed.nodeId, error: recorded(this.#failed.failure) };
      }
      // Events that came while other runs continued.
      if (this.#mayStart() && this.#waits.hasEnded()) continue;
      if (!this.#inFlight.isEmpty()) {
        await this.#inFlight.nextEvent();
        continue;
      }
      const ending = this.#restOrEnd();
      if (ending.kind !== 'waiting' || this.#mayRest) return ending;
      await ports.beforeRest?.(ending.waits);
      this.#mayRest = true;
    }
  }

  /** Runs tasks. @returns true if other runs are to continue before the next ones; false if no task may start. */
  #runSlice(): boolean {
    for (let count = 1; this.#mayStart(); count += 1) {
      const task = this.#scheduler.next();
      if (!task) return false;
      this.#take(task);
      if (count % SLICE_TASKS === 0 && this.#request.ports.now() > this.#sliceEnd) return true;
    }
    return false;
  }

  #restOrEnd(): Ending {
    const { control } = this.#request;
    if (this.#scheduler.isFinished()) return { kind: 'success', result: this.#result };
    if (control.isPaused()) return { kind: 'halted' };
    const waits = this.#waits.open((task) => this.#scheduler.isOpen(task));
    return { kind: 'waiting', waits, answerCount: control.answersSeen() };
  }

  #isOver(): boolean {
    return this.#failed !== undefined || this.#inFlight.hasCrashed() || this.#request.control.isHalted();
  }

  /** Whether the outcome of a task no longer matters. */
  #isDropped(task: Task): boolean {
    return this.#isOver() || !this.#scheduler.isOpen(task);
  }

  #mayStart(): boolean {
    return !this.#isOver() && !this.#request.control.isPaused() && this.#inFlight.hasRoom();
  }

  /** Continues the nodes whose waits have ended, and those that a pause held. */
  #goOn(): void {
    for (const { task, next, wait, progress, answer } of this.#waits.takeEnded()) {
      this.#mayRest = false;
      if (this.#scheduler.isOpen(task)) {
        const halt = this.#inFlight.signalOf(task.node, task.scope);
        if (next === 'attempt') this.#launch(task, { ...progress, attempts: progress.attempts + 1 });
        else this.#settle(task, resumeNode(this.#request, task, { wait, answer, halt }), progress);
      }
      // The due attempts of a large loop are made as others in progress end.
      if (!this.#mayStart()) return;
    }
    for (const { task, kept } of this.#waits.takeHeld()) {
      if (!this.#scheduler.isOpen(task)) continue;
      const startedAt = kept.startedAt ?? this.#request.ports.now();
      this.#launch(task, { ...kept, startedAt, attempts: kept.attempts + 1 });
    }
  }

  #take(task: Task): void {
    if (task.missingOutputs) {
      this.#endLoop(task, task.missingOutputs);
      return;
    }
    if (task.iteration) {
      this.#decide(task, task.iteration);
      return;
    }
    const { ports, mocks, records } = this.#request;
    const { node, scope } = task;
    const before = this.#recorder.find(node, scope);
    const plan = planTask(node, before, mocks?.get(node.id));
    switch (plan.kind) {
      case 'finished': {
        const { record } = plan;
        this.#result = storedResult(record) ?? resultInside(records, task) ?? this.#result;
        this.#scheduler.done(task, record.output ?? null, record.handle ?? undefined);
        return;
      }
      case 'failed':
        this.#fail(task, plan.failure, plan.output);
        return;
      case 'wait':
        // Answers count once all records are replayed: an early join takes what came first.
        this.#waits.keep(plan.begun, task, recordedProgress(plan.record, ports.now()));
        return;
      case 'resume':
        this.#resume(task, plan.container);
        return;
      case 'mock':
        this.#settle(task, mockOutcome(node.type, plan.output), { startedAt: ports.now(), attempts: 0 });
        return;
      case 'interrupted':
        this.#settle(task, { kind: 'failure', failure: INTERRUPTED }, recordedProgress(plan.record, ports.now()));
        return;
      case 'disabled':
        this.#settle(task, passOn(task), nextProgress(before, ports.now()));
        return;
      case 'launch':
        this.#launch(task, nextProgress(before, ports.now()));
        return;
      case 'evaluate':
        this.#evaluate(task, nextProgress(before, ports.now()));
    }
  }

  /** Runs a pure node. One that does not return at once, or may be tried again, goes on beside others. */
  #evaluate(task: Task, next: Progress): void {
    const { node, scope } = task;
    const progress = { ...next, attemptHistory: withAttempt(next.attemptHistory, this.#request.ports.now()) };
    const outcome = attempt(this.#request, task, this.#inFlight.signalOf(node, scope));
    if (outcome instanceof Promise || mayRetry(node, outcome, progress.attempts)) {
      this.#launch(task, progress, outcome);
    } else {
      this.#settle(task, outcome, { ...progress, debug: debugOf(this.#request, task) });
    }
  }

  /** @param begun the outcome of an attempt that has begun. Only then, the history in `progress` includes it. */
  #launch(task: Task, progress: Progress, begun?: Outcome | Promise<Outcome>): void {
    const { node, scope } = task;
    // A pure node that does not return at once is shown as running, without waiting until that is on disk.
    if (begun instanceof Promise) this.#recorder.note(node, scope, 'running', progress, {});
    const attempted = {
      request: this.#request,
      task,
      recorder: this.#recorder,
      signal: this.#inFlight.signalOf(node, scope),
      isDropped: () => this.#isDropped(task),
    };
    const attempts = makeAttempts(attempted, progress, begun);
    this.#inFlight.run(
      task,
      attempts.then((end) => this.#land(task, end)),
    );
  }

  /** Acts on the end of a node's attempts. */
  #land(task: Task, end: AttemptsEnd | undefined): void {
    if (!end || this.#isDropped(task)) return;
    switch (end.kind) {
      case 'settled':
        this.#settle(task, end.outcome, end.progress);
        return;
      case 'rest':
        this.#wait(task, end, end.progress);
        return;
      case 'held': {
        const { kept } = end;
        this.#waits.hold(task, kept);
        this.#recorder.note(task.node, task.scope, 'pending', kept, storeUncounted(kept.uncounted));
      }
    }
  }

  #settle(task: Task, outcome: Outcome, before: Progress): void {
    const { node, scope } = task;
    const progress = withConsole(before, outcome);
    switch (outcome.kind) {
      case 'output':
        this.#recorder.note(node, scope, 'success', progress, { output: outcome.output, handle: outcome.handle });
        this.#scheduler.skipBody(task);
        this.#scheduler.done(task, outcome.output, outcome.handle);
        return;
      case 'result': {
        const { body, statusCode, headers } = outcome.result;
        this.#result = outcome.result;
        this.#recorder.note(node, scope, 'success', progress, { output: body, state: { statusCode, headers } });
        this.#scheduler.done(task, body, undefined);
        return;
      }
      case 'wait':
        this.#wait(task, { state: storeWait(outcome.wait) }, progress);
        return;
      case 'loop': {
        const { items, concurrency } = outcome;
        this.#recorder.noteContainer(task, progress, items.length > 0 ? { items, concurrency } : undefined);
        this.#scheduler.loop(task, items, concurrency);
        return;
      }
      case 'repeat':
        this.#recorder.noteContainer(task, progress, storeRepeat(outcome.rule));
        this.#scheduler.repeat(task, outcome.rule);
        return;
      case 'try':
        this.#recorder.noteContainer(task, progress, TRY_STATE);
        this.#scheduler.attempt(task);
        return;
      case 'agent':
        this.#recorder.noteContainer(task, progress, storeAgent(outcome.concurrency));
        this.#scheduler.agent(task, outcome.concurrency);
        return;
      case 'failure': {
        const { failure } = outcome;
        const isHandled = node.definition.onError === 'continue' || node.definition.onError === 'branch';
        const isKept = isHandled || (failure.details !== undefined && catchingScope(scope) !== undefined);
        const output = isKept ? errorOutput(failure) : undefined;
        this.#recorder.note(node, scope, 'failed', progress, { failure, output });
        if (isHandled) this.#scheduler.skipBody(task);
        this.#fail(task, failure);
      }
    }
  }

  /** Records the wait of a node. */
  #wait(task: Task, rest: Pick<RecordedResult, 'failure' | 'state'>, progress: Progress): void {
    const record = this.#recorder.note(task.node, task.scope, 'waiting', progress, rest);
    const begun = begunWait(record);
    if (begun) this.#waits.keep(begun, task, recordedProgress(record, progress.startedAt));
  }

  /**
   * Handles a failure according to the node's `onError`; otherwise, a try around it does.
   * @param output what an earlier worker recorded for it.
   */
  #fail(task: Task, failure: NodeFailure, output: JsonValue = errorOutput(failure)): void {
    const agent = agentOf(task);
    if (agent) {
      this.#failContainer(agent, failure);
      return;
    }
    switch (task.node.definition.onError) {
      case 'continue':
        this.#scheduler.done(task, output, task.node.type.undecidedHandle);
        return;
      case 'branch':
        this.#scheduler.done(task, output, 'error');
        return;
      default:
        if (this.#scheduler.caught(task, failure, caughtOutput(task, failure))) return;
        this.#failed ??= { nodeId: task.node.id, failure };
        this.#inFlight.abortAll();
    }
  }

  /** Continues a container that an earlier worker began. */
  #resume(task: Task, container: StoredContainer): void {
    const position = this.#recorder.positionOf(task);
    switch (container.kind) {
      case 'try':
        this.#scheduler.attempt(task);
        return;
      case 'repeat':
        this.#resumeRepeat(task, container.rule, position);
        return;
      case 'agent':
        this.#resumeAgent(task, container.concurrency, position);
        return;
      case 'items':
        this.#recorder.reached(task);
        this.#scheduler.loop(task, container.items, container.concurrency, position);
    }
  }

  /** Continues a loop with a condition, once the output of the iteration before is loaded. */
  #resumeRepeat(task: Task, rule: RepeatRule, position: LoopPosition | undefined): void {
    const before = (position?.open[0] ?? position?.next ?? 0) - 1;
    const resume = ([previous = null]: readonly JsonValue[]): void => {
      // Not earlier: a checkpoint that is written while the output is loaded needs the position, too.
      this.#recorder.reached(task);
      this.#scheduler.repeat(task, rule, position && { position, previous });
    };
    if (before < 0) resume([]);
    else this.#withOutputs(task, [before], resume);
  }

  /** Continues an agent, once the results of its steps are loaded. */
  #resumeAgent(task: Task, concurrency: number, position: LoopPosition | undefined): void {
    if (!position) {
      this.#scheduler.agent(task, concurrency);
      return;
    }
    const { ports } = this.#request;
    const signal = this.#inFlight.signalOf(task.node, task.scope)();
    this.#load(task, loadSteps(task, position, { ports, signal }), (ended) => {
      this.#recorder.reached(task);
      this.#scheduler.agent(task, concurrency, { ...position, ended });
    });
  }

  /** Begins the next iteration of a loop with a condition, or ends the loop. */
  #decide(task: Task, iteration: NextIteration): void {
    const outcome = hasBegun(this.#request.records, task, iteration) || goesOn(this.#request, task, iteration);
    if (typeof outcome === 'boolean') {
      this.#scheduler.decide(task, outcome);
      return;
    }
    this.#failContainer(task, outcome);
  }

  #failContainer(task: Task, failure: NodeFailure): void {
    const startedAt = this.#recorder.startOf(task.node, task.scope);
    this.#settle(task, { kind: 'failure', failure }, { startedAt, attempts: 1 });
  }

  /** Ends a loop of which earlier workers finished iterations. */
  #endLoop(task: Task, indexes: readonly number[]): void {
    this.#withOutputs(task, indexes, (outputs) => this.#scheduler.endLoop(task, outputs));
  }

  /** Loads outputs of iterations that earlier workers finished. */
  #withOutputs(task: Task, indexes: readonly number[], use: (outputs: readonly JsonValue[]) => void): void {
    const signal = this.#inFlight.signalOf(task.node, task.scope)();
    this.#load(task, loadIterationOutputs(task, indexes, { ports: this.#request.ports, signal }), use);
  }

  #load<T>(task: Task, loading: Promise<T>, use: (loaded: T) => void): void {
    const loaded = loading.then(
      (value) => {
        if (!this.#isDropped(task)) use(value);
      },
      (error: unknown) => {
        if (!this.#isDropped(task)) throw error;
      },
    );
    this.#inFlight.run(task, loaded);
  }
}

/** Returns the outcome of a disabled node. */
function passOn({ node, scope }: Task): Outcome {
  const output = inputOf(node, scope);
  const { undecidedHandle: handle } = node.type;
  return handle === undefined ? { kind: 'output', output } : { kind: 'output', output, handle };
}
