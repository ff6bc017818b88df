/**
 * Decides which node runs next. Pure: tasks go out, what they led to comes in, nothing else happens here.
 *
 * 1. A node settles once: it is done (with an output and the handle it left by) or skipped.
 * 2. A node becomes a task when all edges into it are settled and at least one was taken; with none taken it is
 *    skipped.
 * 3. An edge is taken when its source is done and left by the edge's handle; otherwise it is dead.
 * 4. A region is finished when all of its nodes are settled. A loop is done when its last iteration's region is
 *    finished, a try when its body is.
 * 5. A loop has at most `concurrency` iterations open, and keeps of a finished one only its output.
 * 6. A resumed loop opens only the iterations that were not finished. The outputs of the others are loaded at its end.
 * 7. A loop with a condition asks before each iteration whether it begins, by a task, and has one open at a time.
 * 8. A node with an early join becomes a task when enough edges into it are taken; edges that settle later do not
 *    matter. If it cancels the rest, the nodes that only lead to it are cancelled in the same step. That decision is
 *    recorded, and a resumed run takes it from the record before anything else: by the order in which records are
 *    replayed, it might decide otherwise.
 * 9. A failure that its node does not handle settles the innermost try around it, by the `error` handle. The rest of
 *    its body is cancelled in the same step.
 * 10. The steps of an agent are iterations with indexes of their own. Each either asks the model, which is the task of
 *     the node that the engine adds to the body, or calls one tool: of the edges into the body, one is taken. The model
 *     is asked again once all calls that it asked for have ended. A failure of a call that nothing inside handles ends
 *     that call. A call that asks begins with a question, the task of another node of the engine: the edge to the
 *     tool is taken once a person has approved it; otherwise the call ends.
 * 11. A node that is left out is skipped once all edges into it are settled, also one with an early join, which cancels
 *     nothing then.
 */
import type { JsonValue } from '@deckhand/contracts';
import type { AgentCall, CallEnd } from '../agent.ts';
import type { AgentSteps } from '../node-type.ts';
import { BODY_HANDLE, ERROR_HANDLE } from '../compile/loops.ts';
import type { GraphEdge, GraphJoin, GraphNode, Region } from '../compile/graph.ts';
import type { NodeFailure } from '../node-failure.ts';
import type { RepeatRule } from '../outcome.ts';
import { agentOutput, type AgentPosition, startFrom } from './agent-steps.ts';
import { createLoopOutputs } from './loop-outputs.ts';
import { joinIteration, type LoopPosition } from './records.ts';
import {
  catchingScope,
  cellOf,
  type Cell,
  inputOf,
  isAdded,
  isUnsettled,
  iterationOutput,
  type JoinDecision,
  type LoopProgress,
  openScope,
  type Scope,
  type Task,
} from './scope.ts';

/** The output of a question by which a call is made. */
const APPROVED = 'approved';

/** The seam between the scheduler and its run: what happens without a task, in order, and what was decided before. */
export interface SchedulerPorts {
  skipped(node: GraphNode, scope: Scope): void;
  /** A loop is done, or a try: by the handle of one that ended well, or by the one for failures. */
  containerDone(node: GraphNode, scope: Scope, output: JsonValue, handle: string | undefined): void;
  /** A call of a tool begins. @param node the steps of its agent. */
  stepBegan(node: GraphNode, scope: Scope): void;
  /** A call of a tool has ended: by the handle for failures, or by none. @param told what the model is told of it. */
  stepEnded(node: GraphNode, scope: Scope, told: JsonValue, handle: string | undefined): void;
  /** Returns what the model is told of a call according to the records; undefined if it has not ended. */
  earlierStep(node: GraphNode, scope: Scope): JsonValue | undefined;
  /** An early join cancels the rest: the nodes that `cancelled` is called with next. */
  joined(node: GraphNode, scope: Scope, decision: JoinDecision): void;
  /** Also called for a node that an earlier worker cancelled, and for the open body of a cancelled container. */
  cancelled(node: GraphNode, scope: Scope): void;
  /** Returns the decision of an early join that an earlier worker recorded. */
  earlierDecision(node: GraphNode, scope: Scope): JoinDecision | undefined;
  /** Returns whether the records settle a node: it is not cancelled, although its record has not been replayed yet. */
  isSettled(node: GraphNode, scope: Scope): boolean;
  /** Returns whether a node is skipped even if edges into it are taken: the run ends before it. */
  isLeftOut(node: GraphNode, scope: Scope): boolean;
  /** Returns whether the run ends inside a container: an agent then ends after the calls of its first answer. */
  isCut(node: GraphNode): boolean;
}

/** An edge to settle. */
interface SettlingEdge {
  readonly edge: GraphEdge;
  readonly scope: Scope;
  readonly isTaken: boolean;
}

/** The state of one run's graph. */
export class Scheduler {
  readonly #ports: SchedulerPorts;
  readonly #root: Scope;
  readonly #tasks: Task[] = [];
  /** The index of the next task. */
  #head = 0;
  /** A list instead of recursion, because chains may be thousands of nodes long. */
  readonly #settling: SettlingEdge[] = [];
  readonly #loops = new Set<LoopProgress>();

  /** Starts a run at a trigger: all other nodes without incoming edges are skipped. */
  constructor(root: Region, triggerNodeId: string, ports: SchedulerPorts) {
    this.#ports = ports;
    const place = { parent: undefined, iteration: '', index: 0, item: null, previous: undefined };
    this.#root = openScope(root, place);
    this.#applyDecisions(this.#root);
    for (const node of root.nodes) {
      if (node.incoming.length > 0) continue;
      if (node.id === triggerNodeId) this.#makeReady(node, this.#root);
      else this.#skip(node, this.#root);
    }
    this.#drain();
  }

  /** Takes the next task, first in first out. */
  next(): Task | undefined {
    let task: Task | undefined;
    do {
      task = this.#tasks[this.#head];
      if (!task) return undefined;
      this.#head += 1;
      // Drops finished entries now and then, so that long loops do not keep their tasks.
      if (this.#head > 1_024 && this.#head * 2 > this.#tasks.length) {
        this.#tasks.splice(0, this.#head);
        this.#head = 0;
      }
    } while (!this.isOpen(task));
    return task;
  }

  /** Returns whether a task is still to be settled: it is not once its node was cancelled. */
  isOpen({ node, scope }: Task): boolean {
    return cellOf(scope, node).state === 'ready';
  }

  /** Returns true once every node of the run is settled. */
  isFinished(): boolean {
    return this.#root.open === 0;
  }

  /** Returns the positions of the loops in progress. */
  positions(): LoopPosition[] {
    return [...this.#loops].map(({ node, scope, next, open }) => ({
      nodeId: node.id,
      iteration: scope.iteration,
      next,
      open: [...open.keys()],
    }));
  }

  /** Settles a task as done. `handle` is undefined for a node with a single output. */
  done(task: Task, output: JsonValue, handle: string | undefined): void {
    this.#settle(task.node, task.scope, output, handle);
    if (task.node === task.scope.region.approval) this.#decideCall(task.scope, output, handle);
    this.#drain();
  }

  /**
   * Lets the innermost try around a failed task, or call of a tool, catch the failure.
   * @param output of the try.
   * @returns false if there is none.
   */
  caught({ node, scope }: Task, failure: NodeFailure, output: JsonValue): boolean {
    const body = catchingScope(scope);
    if (!body?.parent || !body.region.container) return false;
    // Not cancelled: its record says that it failed.
    this.#forgetLoop(cellOf(scope, node));
    cellOf(scope, node).state = 'skipped';
    scope.open -= 1;
    this.#cancelScope(body);
    if (body.region.steps) this.#endCall(body, { kind: 'failure', failure });
    else this.#settleContainer(body.region.container, body.parent, output, ERROR_HANDLE);
    this.#drain();
    return true;
  }

  /**
   * Opens the iterations of a loop task; the loop is done when they are. From `position`, it continues where an earlier
   * worker left it.
   */
  loop(task: Task, items: readonly JsonValue[], concurrency: number, position?: LoopPosition): void {
    const progress = this.#begin(task, { items, concurrency, repeat: undefined }, position);
    if (items.length === 0) this.#skipBody(task.node, task.scope);
    for (const index of position?.open ?? [])
      this.#openIteration(progress, index, { item: items[index] ?? null, previous: undefined });
    this.#openIterations(progress);
    this.#drain();
  }

  /**
   * Begins a loop with a condition. From `position`, it continues where an earlier worker left it, with the output of
   * the iteration before.
   */
  repeat(task: Task, rule: RepeatRule, from?: { readonly position: LoopPosition; readonly previous: JsonValue }): void {
    const repeat = { rule, input: inputOf(task.node, task.scope) };
    const progress = this.#begin(task, { items: undefined, concurrency: 1, repeat }, from?.position);
    const { open = [] } = from?.position ?? {};
    const previous = from?.previous ?? null;
    for (const index of open) this.#openNext(progress, index, previous);
    if (open.length === 0) this.#askNext(progress, previous);
    this.#drain();
  }

  /** Opens the iteration of a task, or ends its loop. */
  decide(task: Task, isGoingOn: boolean): void {
    const progress = loopOf(task);
    if (isGoingOn) {
      progress.next += 1;
      this.#openNext(progress, progress.next - 1, task.iteration?.previous ?? null);
    } else {
      if (progress.next === 0) this.#skipBody(task.node, task.scope);
      this.#closeLoop(progress);
    }
    this.#drain();
  }

  /** Ends the loop of a task with `missingOutputs`, with these outputs in their order. */
  endLoop(task: Task, missing: readonly JsonValue[]): void {
    const loop = loopOf(task);
    for (const [at, index] of (task.missingOutputs ?? []).entries()) loop.outputs.set(index, missing[at] ?? null);
    this.#finishLoop(loop);
    this.#drain();
  }

  /** Begins the steps of an agent, or continues them where an earlier worker left them. */
  agent(task: Task, concurrency: number, from: AgentPosition = { next: 0, open: [], ended: new Map() }): void {
    const progress = this.#begin(task, { items: undefined, concurrency, repeat: undefined, calls: [] }, undefined);
    progress.next = from.next;
    for (const [index, result] of from.ended) progress.outputs.set(index, result);
    const { asking, calling, calls } = startFrom(stepsIn(progress), from);
    progress.calls = calls;
    for (const index of asking) this.#ask(progress, index);
    for (const [index, call] of calling) this.#call(progress, index, call);
    this.#nextSteps(progress);
    this.#drain();
  }

  /** Opens the body of a try. */
  attempt(task: Task): void {
    const items = [inputOf(task.node, task.scope)];
    this.#openIterations(this.#begin(task, { items, concurrency: 1, repeat: undefined }, undefined));
    this.#drain();
  }

  /** Skips the body of a container that is about to be settled, unless it has begun. */
  skipBody({ node, scope }: Task): void {
    if (!cellOf(scope, node).loop) this.#skipBody(node, scope);
  }

  #drain(): void {
    // The list grows while it is processed, first in, first out, so that iterations start in order.
    for (const { edge, scope, isTaken } of this.#settling) this.#settleEdge(edge, scope, isTaken);
    this.#settling.length = 0;
  }

  #settleEdge(edge: GraphEdge, scope: Scope, isTaken: boolean): void {
    const cell = cellOf(scope, edge.target);
    cell.unsettled -= 1;
    if (isTaken) cell.taken += 1;
    const isLeftOut = this.#ports.isLeftOut(edge.target, scope);
    if (edge.target.join && !isLeftOut) {
      this.#settleEarly(edge, edge.target.join, { scope, cell, isTaken });
      return;
    }
    // A cancelled node is settled, whatever its edges.
    if (cell.unsettled > 0 || cell.state !== 'waiting') return;
    if (cell.taken > 0 && !isLeftOut) this.#makeReady(edge.target, scope);
    else this.#skip(edge.target, scope);
  }

  #makeReady(node: GraphNode, scope: Scope): void {
    cellOf(scope, node).state = 'ready';
    this.#tasks.push({ node, scope });
  }

  #skip(node: GraphNode, scope: Scope): void {
    cellOf(scope, node).state = 'skipped';
    this.#ports.skipped(node, scope);
    this.#skipBody(node, scope);
    this.#leave(node, scope, () => false);
  }

  /** A container that is skipped, disabled or failed at once, and a loop without iterations, skip their body. */
  #skipBody(node: GraphNode, scope: Scope): void {
    for (const inner of node.body?.nodes ?? []) {
      if (isAdded(inner)) continue;
      this.#ports.skipped(inner, scope);
      this.#skipBody(inner, scope);
    }
  }

  #settle(node: GraphNode, scope: Scope, output: JsonValue, handle: string | undefined): void {
    const cell = cellOf(scope, node);
    cell.state = 'done';
    cell.output = output;
    cell.handle = handle;
    this.#forgetLoop(cell);
    this.#leave(node, scope, (edge) => edge.handle === handle);
  }

  /** Settles the outgoing edges of a settled node, and its region if it was the last one. */
  #leave(node: GraphNode, scope: Scope, isTaken: (edge: GraphEdge) => boolean): void {
    for (const edge of node.outgoing) {
      if (edge.target.region === scope.region) this.#settling.push({ edge, scope, isTaken: isTaken(edge) });
    }
    scope.open -= 1;
    if (scope.open === 0) this.#closeScope(scope);
  }

  /* Early joins, and what they and tries cancel. */

  #settleEarly(
    edge: GraphEdge,
    { count, cancels }: GraphJoin,
    { scope, cell, isTaken }: { readonly scope: Scope; readonly cell: Cell; readonly isTaken: boolean },
  ): void {
    if (cell.state !== 'waiting') return;
    const node = edge.target;
    const { decision } = cell;
    const arrived = (cell.arrived ??= []);
    // After a crash, the edges that the decision names count, and no others.
    if (isTaken && (!decision || decision.taken.includes(node.incoming.indexOf(edge)))) arrived.push(edge);
    if (arrived.length >= (decision?.taken.length ?? count)) {
      if (decision) sortByDecision(arrived, node, decision);
      this.#makeReady(node, scope);
      if (!decision && cancels) this.#cancelRest(node, cancels, scope, arrived);
    } else if (cell.unsettled === 0) {
      if (arrived.length > 0) this.#makeReady(node, scope);
      else this.#skip(node, scope);
    }
  }

  #cancelRest(node: GraphNode, cancels: readonly GraphNode[], scope: Scope, arrived: readonly GraphEdge[]): void {
    const taken = arrived.map((edge) => node.incoming.indexOf(edge));
    // Those too that are skipped already: the decision of another join, which may have done that, may be cancelled.
    const rest = cancels.filter(
      (other) => cellOf(scope, other).state !== 'done' && !this.#ports.isSettled(other, scope),
    );
    this.#ports.joined(node, scope, { taken, cancelled: rest.map(({ id }) => id) });
    for (const other of rest) if (isUnsettled(cellOf(scope, other))) this.#cancel(other, scope);
  }

  /** Cancels what earlier workers have cancelled in a scope, before anything of it begins. */
  #applyDecisions(scope: Scope): void {
    for (const node of scope.region.cancelling) {
      const decision = this.#ports.earlierDecision(node, scope);
      if (!decision) continue;
      cellOf(scope, node).decision = decision;
      const cancelled = new Set(decision.cancelled);
      for (const other of node.join?.cancels ?? [])
        if (cancelled.has(other.id) && isUnsettled(cellOf(scope, other))) this.#cancel(other, scope);
    }
  }

  /**
   * Settles a node in place of what it does. Its edges are dead: nodes after it are mostly cancelled with it, but in a
   * rerun from a node, a decision that had settled them earlier may not be among the records.
   */
  #cancel(node: GraphNode, scope: Scope): void {
    const cell = cellOf(scope, node);
    cell.state = 'skipped';
    scope.open -= 1;
    for (const inner of this.#forgetLoop(cell)?.open.values() ?? []) this.#cancelScope(inner);
    this.#ports.cancelled(node, scope);
    for (const edge of node.outgoing)
      if (edge.target.region === scope.region) this.#settling.push({ edge, scope, isTaken: false });
  }

  #cancelScope(scope: Scope): void {
    for (const node of scope.region.nodes) if (isUnsettled(cellOf(scope, node))) this.#cancel(node, scope);
  }

  /* Containers: loops and tries. */

  #begin(
    { node, scope }: Task,
    kind: Pick<LoopProgress, 'items' | 'concurrency' | 'repeat'> & { readonly calls?: AgentCall[] },
    position: LoopPosition | undefined,
  ): LoopProgress {
    const length = kind.items?.length ?? position?.next ?? 0;
    const progress: LoopProgress = {
      calls: undefined,
      ...kind,
      node,
      scope,
      outputs: createLoopOutputs(length, { mayGrow: kind.items === undefined }),
      finishedEarlier: position ? finishedBefore(position) : [],
      next: position?.next ?? 0,
      open: new Map(),
    };
    cellOf(scope, node).loop = progress;
    // A try has no position: all that is open in it follows from the records of the iteration around it.
    if (!node.body?.catches) this.#loops.add(progress);
    return progress;
  }

  /** Ends what a node had open. @returns it. */
  #forgetLoop(cell: Cell): LoopProgress | undefined {
    const { loop } = cell;
    if (loop) this.#loops.delete(loop);
    cell.loop = undefined;
    return loop;
  }

  #openIterations(progress: LoopProgress): void {
    const { items = [], concurrency, open } = progress;
    while (open.size < concurrency && progress.next < items.length) {
      progress.next += 1;
      this.#openIteration(progress, progress.next - 1, { item: items[progress.next - 1] ?? null, previous: undefined });
    }
    if (open.size === 0) this.#closeLoop(progress);
  }

  /** Asks whether a loop with a condition goes on. */
  #askNext({ node, scope, repeat, next }: LoopProgress, previous: JsonValue): void {
    if (repeat) this.#tasks.push({ node, scope, iteration: { index: next, previous, rule: repeat.rule } });
  }

  /** Opens an iteration of a loop with a condition. One without nodes is finished at once. */
  #openNext(progress: LoopProgress, index: number, previous: JsonValue): void {
    const item = index === 0 ? (progress.repeat?.input ?? null) : previous;
    this.#openIteration(progress, index, { item, previous });
    if (progress.open.size === 0) this.#askNext(progress, item);
  }

  #openIteration(
    { node, scope, open, outputs }: LoopProgress,
    index: number,
    { item, previous }: Pick<Scope, 'item' | 'previous'>,
  ): void {
    if (!node.body) return;
    const iteration = node.body.catches ? scope.iteration : joinIteration(scope.iteration, index);
    const inner = openScope(node.body, { parent: scope, iteration, index, item, previous });
    if (inner.open === 0) {
      outputs.set(index, item);
      return;
    }
    open.set(index, inner);
    this.#applyDecisions(inner);
    for (const edge of node.outgoing) {
      if (edge.handle === BODY_HANDLE) this.#settling.push({ edge, scope: inner, isTaken: true });
    }
  }

  #closeScope(scope: Scope): void {
    const { container } = scope.region;
    if (!container || !scope.parent) return;
    const { loop } = cellOf(scope.parent, container);
    if (!loop) return;
    if (scope.region.steps) {
      this.#endStep(loop, scope, scope.region.steps);
      return;
    }
    const output = iterationOutput(scope);
    loop.outputs.set(scope.index, output);
    loop.open.delete(scope.index);
    if (loop.repeat) this.#askNext(loop, output);
    else this.#openIterations(loop);
  }

  /* The steps of agents. */

  /** Begins as many calls of the last answer as may run at the same time. After the last one, the model is asked. */
  #nextSteps(progress: LoopProgress): void {
    const { calls = [], concurrency, open } = progress;
    while (open.size < concurrency && calls.length > 0) {
      const [call] = calls.splice(0, 1);
      progress.next += 1;
      if (call) this.#call(progress, progress.next - 1, call);
    }
    if (open.size > 0) return;
    if (progress.next > 0 && this.#ports.isCut(progress.node)) {
      this.#finishAgent(progress);
      return;
    }
    progress.next += 1;
    this.#ask(progress, progress.next - 1);
  }

  /** Opens a step in which the model is asked. */
  #ask(progress: LoopProgress, index: number): void {
    const scope = openStep(progress, index, null);
    const { steps } = scope.region;
    for (const node of scope.region.nodes) if (node !== steps) cellOf(scope, node).state = 'skipped';
    scope.open = 1;
    progress.open.set(index, scope);
    if (steps) this.#makeReady(steps, scope);
  }

  /** Opens a step in which a tool is called. */
  #call(progress: LoopProgress, index: number, call: AgentCall): void {
    const scope = openStep(progress, index, call.input, call);
    const { steps, approval } = scope.region;
    if (!steps || !approval) return;
    const earlier = this.#ports.earlierStep(steps, scope);
    if (earlier !== undefined) {
      progress.outputs.set(index, earlier);
      return;
    }
    cellOf(scope, steps).state = 'skipped';
    scope.open -= 1;
    progress.open.set(index, scope);
    this.#ports.stepBegan(steps, scope);
    this.#applyDecisions(scope);
    // Nobody is asked about a call that the run leaves out.
    if (call.asks && !this.#isCallLeftOut(scope)) {
      this.#makeReady(approval, scope);
      return;
    }
    cellOf(scope, approval).state = 'skipped';
    scope.open -= 1;
    this.#callTool(scope);
  }

  #isCallLeftOut(scope: Scope): boolean {
    const tool = scope.region.nodes.find(({ id }) => id === scope.call?.nodeId);
    return tool !== undefined && this.#ports.isLeftOut(tool, scope);
  }

  /** Takes the edge to the tool of a call, of those into the body. */
  #callTool(scope: Scope): void {
    const { container } = scope.region;
    for (const edge of container?.outgoing ?? []) {
      const isTaken = edge.target.id === scope.call?.nodeId;
      if (edge.handle === BODY_HANDLE) this.#settling.push({ edge, scope, isTaken });
    }
  }

  /** Makes a call that a person approved, or ends it. */
  #decideCall(scope: Scope, decision: JsonValue, handle: string | undefined): void {
    if (handle === APPROVED) {
      this.#callTool(scope);
      return;
    }
    this.#cancelScope(scope);
    this.#endCall(scope, { kind: 'refusal', decision });
  }

  #endStep(progress: LoopProgress, scope: Scope, steps: GraphNode): void {
    const { state, output } = cellOf(scope, steps);
    if (state !== 'done') {
      this.#endCall(scope, { kind: 'output', output: iterationOutput(scope) });
      return;
    }
    progress.outputs.set(scope.index, output);
    progress.open.delete(scope.index);
    progress.calls = [...(stepsIn(progress).callsOf(output) ?? [])];
    if (stepsIn(progress).callsOf(output)) this.#nextSteps(progress);
    else this.#finishAgent(progress);
  }

  #endCall(scope: Scope, end: CallEnd): void {
    const { container, steps } = scope.region;
    const progress = container && scope.parent && cellOf(scope.parent, container).loop;
    if (!progress || !steps) return;
    const told = stepsIn(progress).tell(end);
    this.#ports.stepEnded(steps, scope, told, end.kind === 'output' ? undefined : ERROR_HANDLE);
    progress.outputs.set(scope.index, told);
    progress.open.delete(scope.index);
    this.#nextSteps(progress);
  }

  #finishAgent(progress: LoopProgress): void {
    const { node, scope, outputs } = progress;
    const output = agentOutput(stepsIn(progress), outputs.all());
    this.#settleContainer(node, scope, output, node.type.undecidedHandle);
  }

  #closeLoop(progress: LoopProgress): void {
    const { node, scope, finishedEarlier } = progress;
    if (finishedEarlier.length > 0) this.#tasks.push({ node, scope, missingOutputs: finishedEarlier });
    else this.#finishLoop(progress);
  }

  #finishLoop({ node, scope, outputs }: LoopProgress): void {
    const all = outputs.all();
    this.#settleContainer(node, scope, node.body?.catches ? (all[0] ?? null) : all, node.type.undecidedHandle);
  }

  #settleContainer(node: GraphNode, scope: Scope, output: JsonValue, handle: string | undefined): void {
    this.#ports.containerDone(node, scope, output, handle);
    this.#settle(node, scope, output, handle);
  }
}

function loopOf({ node, scope }: Task): LoopProgress {
  const { loop } = cellOf(scope, node);
  if (!loop) throw new Error(`node ${node.id} is not a loop in progress`);
  return loop;
}

function stepsIn({ node }: LoopProgress): AgentSteps {
  const { agent } = node.type;
  if (!agent) throw new Error(`node ${node.id} is not an agent`);
  return agent;
}

function openStep({ node, scope }: LoopProgress, index: number, item: JsonValue, call?: AgentCall): Scope {
  if (!node.body) throw new Error(`node ${node.id} has no body`);
  const iteration = joinIteration(scope.iteration, index);
  return openScope(node.body, { parent: scope, iteration, index, item, previous: undefined, call });
}

/** Returns the indexes of the iterations that were finished at a position. */
function finishedBefore({ next, open }: LoopPosition): number[] {
  const isOpen = new Set(open);
  return Array.from({ length: next }, (_, index) => index).filter((index) => !isOpen.has(index));
}

function sortByDecision(edges: GraphEdge[], { incoming }: GraphNode, { taken }: JoinDecision): void {
  edges.sort((a, b) => taken.indexOf(incoming.indexOf(a)) - taken.indexOf(incoming.indexOf(b)));
}
