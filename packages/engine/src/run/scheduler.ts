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
 * 10. A node that is left out is skipped once all edges into it are settled, also one with an early join, which cancels
 *     nothing then.
 */
import type { JsonValue } from '@deckhand/contracts';
import { BODY_HANDLE, ERROR_HANDLE } from '../compile/loops.ts';
import type { GraphEdge, GraphJoin, GraphNode, Region } from '../compile/graph.ts';
import type { RepeatRule } from '../node-type.ts';
import { createLoopOutputs } from './loop-outputs.ts';
import { joinIteration, type LoopPosition } from './records.ts';
import {
  catchingScope,
  cellOf,
  type Cell,
  inputOf,
  isUnsettled,
  iterationOutput,
  type JoinDecision,
  type LoopProgress,
  openScope,
  type Scope,
} from './scope.ts';

/** A node that may run now, or a loop that may end. */
export interface Task {
  readonly node: GraphNode;
  readonly scope: Scope;
  /** For a loop whose iterations are all finished: indexes of those whose outputs `endLoop` needs. */
  readonly missingOutputs?: readonly number[];
  /** For a loop with a condition: the iteration that may begin. */
  readonly iteration?: NextIteration;
}

/** An iteration of a loop with a condition, which begins or ends the loop. */
export interface NextIteration {
  readonly index: number;
  /** The output of the one before; null for the first. */
  readonly previous: JsonValue;
  readonly rule: RepeatRule;
}

/** Events other than tasks, in order, for the journal. */
export interface SchedulerEvents {
  skipped(node: GraphNode, scope: Scope): void;
  /** A loop is done, or a try: by the handle of one that ended well, or by the one for failures. */
  containerDone(node: GraphNode, scope: Scope, output: JsonValue, handle: string | undefined): void;
  /** An early join cancels the rest: the nodes that `cancelled` is called with next. */
  joined(node: GraphNode, scope: Scope, decision: JoinDecision): void;
  /** Also called for a node that an earlier worker cancelled, and for the open body of a cancelled container. */
  cancelled(node: GraphNode, scope: Scope): void;
}

/** What is decided before the graph is: by earlier workers, for early joins, and by the request. */
export interface EarlierDecisions {
  /** Returns the decision of an early join. */
  decisionOf(node: GraphNode, scope: Scope): JoinDecision | undefined;
  /** Returns whether the records settle a node: it is not cancelled, although its record has not been replayed yet. */
  isSettled(node: GraphNode, scope: Scope): boolean;
  /** Returns whether a node is skipped even if edges into it are taken: the run ends before it. */
  readonly isLeftOut?: ((node: GraphNode, scope: Scope) => boolean) | undefined;
}

/** The state of one run's graph. */
export interface Scheduler {
  readonly root: Scope;
  /** Takes the next task, first in first out. */
  next(): Task | undefined;
  /** Returns whether a task is still to be settled: it is not once its node was cancelled. */
  isOpen(task: Task): boolean;
  /** Settles a task as done. `handle` is undefined for a node with a single output. */
  done(task: Task, output: JsonValue, handle: string | undefined): void;
  /**
   * Opens the iterations of a loop task; the loop is done when they are. From `position`, it continues where an earlier
   * worker left it.
   */
  loop(task: Task, items: readonly JsonValue[], concurrency: number, position?: LoopPosition): void;
  /**
   * Begins a loop with a condition. From `position`, it continues where an earlier worker left it, with the output of
   * the iteration before.
   */
  repeat(task: Task, rule: RepeatRule, from?: { readonly position: LoopPosition; readonly previous: JsonValue }): void;
  /** Opens the body of a try. */
  attempt(task: Task): void;
  /** Skips the body of a container that is about to be settled, unless it has begun. */
  skipBody(task: Task): void;
  /**
   * Lets the innermost try around a failed task catch the failure.
   * @param output of the try.
   * @returns false if there is none.
   */
  caught(task: Task, output: JsonValue): boolean;
  /** Opens the iteration of a task, or ends its loop. */
  decide(task: Task, isGoingOn: boolean): void;
  /** Ends the loop of a task with `missingOutputs`, with these outputs in their order. */
  endLoop(task: Task, missing: readonly JsonValue[]): void;
  /** Returns the positions of the loops in progress. */
  positions(): LoopPosition[];
  /** True once every node of the run is settled. */
  isFinished(): boolean;
}

/**
 * Starts a run at a trigger: all other nodes without incoming edges are skipped.
 * @param earlier what earlier workers recorded, for early joins.
 */
export function createScheduler(
  root: Region,
  triggerNodeId: string,
  events: SchedulerEvents,
  earlier: EarlierDecisions,
): Scheduler {
  const tasks: Task[] = [];
  let head = 0;
  /** Edges to settle. A list instead of recursion, because chains may be thousands of nodes long. */
  const settling: { edge: GraphEdge; scope: Scope; isTaken: boolean }[] = [];
  const loops = new Set<LoopProgress>();

  const rootScope = openScope(root, { parent: undefined, iteration: '', index: 0, item: null, previous: undefined });
  applyDecisions(rootScope);
  for (const node of root.nodes) {
    if (node.incoming.length > 0) continue;
    if (node.id === triggerNodeId) makeReady(node, rootScope);
    else skip(node, rootScope);
  }
  drain();

  function drain(): void {
    // The list grows while it is processed, first in, first out, so that iterations start in order.
    for (const { edge, scope, isTaken } of settling) settleEdge(edge, scope, isTaken);
    settling.length = 0;
  }

  function settleEdge(edge: GraphEdge, scope: Scope, isTaken: boolean): void {
    const cell = cellOf(scope, edge.target);
    cell.unsettled -= 1;
    if (isTaken) cell.taken += 1;
    const isLeftOut = earlier.isLeftOut?.(edge.target, scope) === true;
    if (edge.target.join && !isLeftOut) {
      settleEarly(edge, edge.target.join, { scope, cell, isTaken });
      return;
    }
    // A cancelled node is settled, whatever its edges.
    if (cell.unsettled > 0 || cell.state !== 'waiting') return;
    if (cell.taken > 0 && !isLeftOut) makeReady(edge.target, scope);
    else skip(edge.target, scope);
  }

  function settleEarly(
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
      makeReady(node, scope);
      if (!decision && cancels) cancelRest(node, cancels, scope, arrived);
    } else if (cell.unsettled === 0) {
      if (arrived.length > 0) makeReady(node, scope);
      else skip(node, scope);
    }
  }

  function cancelRest(
    node: GraphNode,
    cancels: readonly GraphNode[],
    scope: Scope,
    arrived: readonly GraphEdge[],
  ): void {
    const taken = arrived.map((edge) => node.incoming.indexOf(edge));
    // Those too that are skipped already: the decision of another join, which may have done that, may be cancelled.
    const rest = cancels.filter((other) => cellOf(scope, other).state !== 'done' && !earlier.isSettled(other, scope));
    events.joined(node, scope, { taken, cancelled: rest.map(({ id }) => id) });
    for (const other of rest) if (isUnsettled(cellOf(scope, other))) cancel(other, scope);
  }

  /** Cancels what earlier workers have cancelled in a scope, before anything of it begins. */
  function applyDecisions(scope: Scope): void {
    for (const node of scope.region.cancelling) {
      const decision = earlier.decisionOf(node, scope);
      if (!decision) continue;
      cellOf(scope, node).decision = decision;
      const cancelled = new Set(decision.cancelled);
      for (const other of node.join?.cancels ?? [])
        if (cancelled.has(other.id) && isUnsettled(cellOf(scope, other))) cancel(other, scope);
    }
  }

  /**
   * Settles a node in place of what it does. Its edges are dead: nodes after it are mostly cancelled with it, but in a
   * rerun from a node, a decision that had settled them earlier may not be among the records.
   */
  function cancel(node: GraphNode, scope: Scope): void {
    const cell = cellOf(scope, node);
    const { loop } = cell;
    cell.state = 'skipped';
    cell.loop = undefined;
    scope.open -= 1;
    if (loop) {
      loops.delete(loop);
      for (const inner of loop.open.values()) cancelScope(inner);
    }
    events.cancelled(node, scope);
    for (const edge of node.outgoing)
      if (edge.target.region === scope.region) settling.push({ edge, scope, isTaken: false });
  }

  function cancelScope(scope: Scope): void {
    for (const node of scope.region.nodes) if (isUnsettled(cellOf(scope, node))) cancel(node, scope);
  }

  function makeReady(node: GraphNode, scope: Scope): void {
    cellOf(scope, node).state = 'ready';
    tasks.push({ node, scope });
  }

  function skip(node: GraphNode, scope: Scope): void {
    cellOf(scope, node).state = 'skipped';
    events.skipped(node, scope);
    skipBody(node, scope);
    leave(node, scope, () => false);
  }

  /** A container that is skipped, disabled or failed at once, and a loop without iterations, skip their body. */
  function skipBody(node: GraphNode, scope: Scope): void {
    for (const inner of node.body?.nodes ?? []) {
      events.skipped(inner, scope);
      skipBody(inner, scope);
    }
  }

  /** Settles the outgoing edges of a settled node, and its region if it was the last one. */
  function leave(node: GraphNode, scope: Scope, isTaken: (edge: GraphEdge) => boolean): void {
    for (const edge of node.outgoing) {
      if (edge.target.region === scope.region) settling.push({ edge, scope, isTaken: isTaken(edge) });
    }
    scope.open -= 1;
    if (scope.open === 0) closeScope(scope);
  }

  function closeScope(scope: Scope): void {
    const { container } = scope.region;
    if (!container || !scope.parent) return;
    const cell = cellOf(scope.parent, container);
    if (!cell.loop) return;
    const output = iterationOutput(scope);
    cell.loop.outputs.set(scope.index, output);
    cell.loop.open.delete(scope.index);
    if (cell.loop.repeat) askNext(cell.loop, output);
    else openIterations(cell.loop);
  }

  function openIterations(progress: LoopProgress): void {
    const { items = [], concurrency, open } = progress;
    while (open.size < concurrency && progress.next < items.length) {
      progress.next += 1;
      openIteration(progress, progress.next - 1, { item: items[progress.next - 1] ?? null, previous: undefined });
    }
    if (open.size === 0) closeLoop(progress);
  }

  /** Asks whether a loop with a condition goes on. */
  function askNext({ node, scope, repeat, next }: LoopProgress, previous: JsonValue): void {
    if (repeat) tasks.push({ node, scope, iteration: { index: next, previous, rule: repeat.rule } });
  }

  /** Opens an iteration of a loop with a condition. One without nodes is finished at once. */
  function openNext(progress: LoopProgress, index: number, previous: JsonValue): void {
    const item = index === 0 ? (progress.repeat?.input ?? null) : previous;
    openIteration(progress, index, { item, previous });
    if (progress.open.size === 0) askNext(progress, item);
  }

  function closeLoop(progress: LoopProgress): void {
    const { node, scope, finishedEarlier } = progress;
    if (finishedEarlier.length > 0) tasks.push({ node, scope, missingOutputs: finishedEarlier });
    else finishLoop(progress);
  }

  function openIteration(
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
    applyDecisions(inner);
    for (const edge of node.outgoing) {
      if (edge.handle === BODY_HANDLE) settling.push({ edge, scope: inner, isTaken: true });
    }
  }

  function finishLoop({ node, scope, outputs }: LoopProgress): void {
    const all = outputs.all();
    settleContainer(node, scope, node.body?.catches ? (all[0] ?? null) : all, node.type.undecidedHandle);
  }

  function settleContainer(node: GraphNode, scope: Scope, output: JsonValue, handle: string | undefined): void {
    events.containerDone(node, scope, output, handle);
    settle(node, scope, output, handle);
  }

  function settle(node: GraphNode, scope: Scope, output: JsonValue, handle: string | undefined): void {
    const cell = cellOf(scope, node);
    cell.state = 'done';
    cell.output = output;
    cell.handle = handle;
    if (cell.loop) loops.delete(cell.loop);
    cell.loop = undefined;
    leave(node, scope, (edge) => edge.handle === handle);
  }

  function begin(
    { node, scope }: Task,
    kind: Pick<LoopProgress, 'items' | 'concurrency' | 'repeat'>,
    position: LoopPosition | undefined,
  ): LoopProgress {
    const finishedEarlier = position ? finishedBefore(position) : [];
    const length = kind.items?.length ?? position?.next ?? 0;
    const progress: LoopProgress = {
      ...kind,
      node,
      scope,
      outputs: createLoopOutputs(length, { mayGrow: kind.items === undefined }),
      finishedEarlier,
      next: position?.next ?? 0,
      open: new Map(),
    };
    cellOf(scope, node).loop = progress;
    // A try has no position: all that is open in it follows from the records of the iteration around it.
    if (!node.body?.catches) loops.add(progress);
    return progress;
  }

  function loopOf({ node, scope }: Task): LoopProgress {
    const { loop } = cellOf(scope, node);
    if (!loop) throw new Error(`node ${node.id} is not a loop in progress`);
    return loop;
  }

  return {
    root: rootScope,
    next() {
      let task: Task | undefined;
      do {
        task = tasks[head];
        if (!task) return undefined;
        head += 1;
        // Drops finished entries now and then, so that long loops do not keep their tasks.
        if (head > 1_024 && head * 2 > tasks.length) {
          tasks.splice(0, head);
          head = 0;
        }
      } while (!isOpen(task));
      return task;
    },
    isOpen,
    done(task, output, handle) {
      settle(task.node, task.scope, output, handle);
      drain();
    },
    loop(task, items, concurrency, position) {
      const { node, scope } = task;
      const progress = begin(task, { items, concurrency, repeat: undefined }, position);
      if (items.length === 0) skipBody(node, scope);
      for (const index of position?.open ?? [])
        openIteration(progress, index, { item: items[index] ?? null, previous: undefined });
      openIterations(progress);
      drain();
    },
    repeat(task, rule, from) {
      const repeat = { rule, input: inputOf(task.node, task.scope) };
      const progress = begin(task, { items: undefined, concurrency: 1, repeat }, from?.position);
      const { open = [] } = from?.position ?? {};
      const previous = from?.previous ?? null;
      for (const index of open) openNext(progress, index, previous);
      if (open.length === 0) askNext(progress, previous);
      drain();
    },
    attempt(task) {
      const items = [inputOf(task.node, task.scope)];
      openIterations(begin(task, { items, concurrency: 1, repeat: undefined }, undefined));
      drain();
    },
    skipBody({ node, scope }) {
      if (!cellOf(scope, node).loop) skipBody(node, scope);
    },
    caught({ node, scope }, output) {
      const body = catchingScope(scope);
      if (!body?.parent || !body.region.container) return false;
      // Not cancelled: its record says that it failed.
      const cell = cellOf(scope, node);
      if (cell.loop) loops.delete(cell.loop);
      cell.loop = undefined;
      cell.state = 'skipped';
      scope.open -= 1;
      cancelScope(body);
      settleContainer(body.region.container, body.parent, output, ERROR_HANDLE);
      drain();
      return true;
    },
    decide(task, isGoingOn) {
      const progress = loopOf(task);
      if (isGoingOn) {
        progress.next += 1;
        openNext(progress, progress.next - 1, task.iteration?.previous ?? null);
      } else {
        if (progress.next === 0) skipBody(task.node, task.scope);
        closeLoop(progress);
      }
      drain();
    },
    endLoop(task, missing) {
      const loop = loopOf(task);
      for (const [at, index] of (task.missingOutputs ?? []).entries()) loop.outputs.set(index, missing[at] ?? null);
      finishLoop(loop);
      drain();
    },
    positions: () =>
      [...loops].map(({ node, scope, next, open }) => ({
        nodeId: node.id,
        iteration: scope.iteration,
        next,
        open: [...open.keys()],
      })),
    isFinished: () => rootScope.open === 0,
  };
}

/** Returns the indexes of the iterations that were finished at a position. */
function finishedBefore({ next, open }: LoopPosition): number[] {
  const isOpen = new Set(open);
  return Array.from({ length: next }, (_, index) => index).filter((index) => !isOpen.has(index));
}

function isOpen({ node, scope }: Task): boolean {
  return cellOf(scope, node).state === 'ready';
}

function sortByDecision(edges: GraphEdge[], { incoming }: GraphNode, { taken }: JoinDecision): void {
  edges.sort((a, b) => taken.indexOf(incoming.indexOf(a)) - taken.indexOf(incoming.indexOf(b)));
}
