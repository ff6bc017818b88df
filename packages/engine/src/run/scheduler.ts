/**
 * Decides which node runs next. Pure: tasks go out, what they led to comes in, nothing else happens here.
 *
 * 1. A node settles once: it is done (with an output and the handle it left by) or skipped.
 * 2. A node becomes a task when all edges into it are settled and at least one was taken; with none taken it is
 *    skipped.
 * 3. An edge is taken when its source is done and left by the edge's handle; otherwise it is dead.
 * 4. A region is finished when all of its nodes are settled. A loop is done when its last iteration's region is
 *    finished.
 * 5. A loop has at most `concurrency` iterations open, and keeps of a finished one only its output.
 */
import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { BODY_HANDLE } from '../compile/loops.js';
import type { GraphEdge, GraphNode, Region } from '../compile/graph.js';
import type { NodeInput } from '../node-type.js';

/** One pass through a region: the run itself, or one iteration of a loop. */
export interface Scope {
  readonly region: Region;
  /** "" for the run, "3" in a loop, "3.1" in a nested loop. */
  readonly iteration: string;
  readonly parent: Scope | undefined;
  /** In a loop: the index of the item. */
  readonly index: number;
  readonly item: JsonValue;
  readonly cells: Cell[];
  /** Nodes that are not settled yet. */
  open: number;
}

interface Cell {
  /** Edges into the node that are not settled yet. */
  unsettled: number;
  taken: number;
  state: 'waiting' | 'ready' | 'done' | 'skipped';
  output: JsonValue;
  handle: string | undefined;
  loop: LoopProgress | undefined;
}

interface LoopProgress {
  readonly items: readonly JsonValue[];
  readonly concurrency: number;
  readonly outputs: JsonValue[];
  next: number;
  open: number;
}

/** A node that may run now. */
export interface Task {
  readonly node: GraphNode;
  readonly scope: Scope;
}

/** Events other than tasks, in order, for the journal. */
export interface SchedulerEvents {
  skipped(node: GraphNode, scope: Scope): void;
  loopFinished(node: GraphNode, scope: Scope, outputs: readonly JsonValue[]): void;
}

/** The state of one run's graph. */
export interface Scheduler {
  readonly root: Scope;
  /** Takes the next task, first in first out. */
  next(): Task | undefined;
  /** Settles a task as done. `handle` is undefined for a node with a single output. */
  done(task: Task, output: JsonValue, handle: string | undefined): void;
  /** Opens the iterations of a loop task; the loop is done when they are. */
  loop(task: Task, items: readonly JsonValue[], concurrency: number): void;
  /** True once every node of the run is settled. */
  isFinished(): boolean;
}

/** Starts a run at a trigger: all other nodes without incoming edges are skipped. */
export function createScheduler(root: Region, triggerNodeId: string, events: SchedulerEvents): Scheduler {
  const tasks: Task[] = [];
  let head = 0;
  /** Edges to settle. A list instead of recursion, because chains may be thousands of nodes long. */
  const settling: { edge: GraphEdge; scope: Scope; isTaken: boolean }[] = [];

  const rootScope = openScope(root, undefined, '', 0, null);
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
    if (cell.unsettled > 0) return;
    if (cell.taken > 0) makeReady(edge.target, scope);
    else skip(edge.target, scope);
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

  /** A loop without iterations skips its body. */
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
    const { loop: loopNode } = scope.region;
    if (!loopNode || !scope.parent) return;
    const cell = cellOf(scope.parent, loopNode);
    if (!cell.loop) return;
    cell.loop.outputs[scope.index] = iterationOutput(scope);
    cell.loop.open -= 1;
    openIterations(loopNode, scope.parent, cell.loop);
  }

  function openIterations(node: GraphNode, scope: Scope, progress: LoopProgress): void {
    const { body } = node;
    while (body && progress.open < progress.concurrency && progress.next < progress.items.length) {
      const index = progress.next;
      progress.next += 1;
      progress.open += 1;
      const iteration = scope.iteration === '' ? String(index) : `${scope.iteration}.${index}`;
      const inner = openScope(body, scope, iteration, index, progress.items[index] ?? null);
      if (inner.open === 0) {
        progress.outputs[index] = progress.items[index] ?? null;
        progress.open -= 1;
        continue;
      }
      for (const edge of node.outgoing) {
        if (edge.handle === BODY_HANDLE) settling.push({ edge, scope: inner, isTaken: true });
      }
    }
    if (progress.open > 0 || progress.next < progress.items.length) return;
    events.loopFinished(node, scope, progress.outputs);
    settle(node, scope, progress.outputs, node.lastHandle);
  }

  function settle(node: GraphNode, scope: Scope, output: JsonValue, handle: string | undefined): void {
    const cell = cellOf(scope, node);
    cell.state = 'done';
    cell.output = output;
    cell.handle = handle;
    cell.loop = undefined;
    leave(node, scope, (edge) => edge.handle === handle);
  }

  return {
    root: rootScope,
    next() {
      const task = tasks[head];
      if (!task) return undefined;
      head += 1;
      // Drops finished entries now and then, so that long loops do not keep their tasks.
      if (head > 1_024 && head * 2 > tasks.length) {
        tasks.splice(0, head);
        head = 0;
      }
      return task;
    },
    done(task, output, handle) {
      settle(task.node, task.scope, output, handle);
      drain();
    },
    loop(task, items, concurrency) {
      const progress: LoopProgress = { items, concurrency, outputs: [], next: 0, open: 0 };
      if (items.length === 0) skipBody(task.node, task.scope);
      cellOf(task.scope, task.node).loop = progress;
      openIterations(task.node, task.scope, progress);
      drain();
    },
    isFinished: () => rootScope.open === 0,
  };
}

function openScope(
  region: Region,
  parent: Scope | undefined,
  iteration: string,
  index: number,
  item: JsonValue,
): Scope {
  const cells = region.nodes.map((node): Cell => ({
    unsettled: node.incoming.length,
    taken: 0,
    state: 'waiting',
    output: null,
    handle: undefined,
    loop: undefined,
  }));
  return { region, parent, iteration, index, item, cells, open: region.nodes.length };
}

function cellOf(scope: Scope, node: GraphNode): Cell {
  const cell = scope.cells[node.slot];
  if (!cell) throw new Error(`node ${node.id} is not in this region`);
  return cell;
}

/** Every edge taken into a node, in the definition's order. */
export function inputsOf(node: GraphNode, scope: Scope): NodeInput[] {
  const inputs: NodeInput[] = [];
  for (const { source, handle } of node.incoming) {
    if (source === scope.region.loop) {
      inputs.push({ nodeId: source.id, output: scope.item });
      continue;
    }
    const cell = cellOf(scope, source);
    if (cell.state === 'done' && cell.handle === handle) inputs.push({ nodeId: source.id, output: cell.output });
  }
  return inputs;
}

/** `$input`: the output of the node before; with several before it, an object by node id of those taken. */
export function inputOf(node: GraphNode, scope: Scope): JsonValue {
  if (node.incoming.length === 0) return null;
  const inputs = inputsOf(node, scope);
  return node.hasSingleSource ? (inputs[0]?.output ?? null) : byNodeId(inputs);
}

/** `$nodes.<id>.output`: the node's output in this iteration or an outer one; undefined while there is none. */
export function outputOf(node: GraphNode, scope: Scope): JsonValue | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    if (at.region !== node.region) continue;
    const cell = cellOf(at, node);
    return cell.state === 'done' ? cell.output : undefined;
  }
  return undefined;
}

/**
 * Returns an iteration's output: that of the body's last node; if several are done, an object by node id; if none is,
 * null.
 */
function iterationOutput(scope: Scope): JsonValue {
  const ends = scope.region.ends.filter((node) => cellOf(scope, node).state === 'done');
  const [only] = ends;
  if (only && scope.region.ends.length === 1) return cellOf(scope, only).output;
  if (!only) return null;
  return byNodeId(ends.map((node) => ({ nodeId: node.id, output: cellOf(scope, node).output })));
}

function byNodeId(entries: readonly NodeInput[]): JsonObject {
  return Object.fromEntries(entries.map(({ nodeId, output }) => [nodeId, output]));
}
