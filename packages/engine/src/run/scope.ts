import type { JsonObject, JsonValue } from '@deckhand/contracts';
import type { GraphEdge, GraphNode, Region } from '../compile/graph.ts';
import type { NodeInput } from '../node-context.ts';
import type { RepeatRule } from '../outcome.ts';
import type { AgentCall } from '../agent.ts';
import type { LoopOutputs } from './loop-outputs.ts';

/* The state of one pass through a region, which only the scheduler changes, and what nodes read of it. */

/** One pass through a region: the run itself, one iteration of a loop, a step of an agent, or the body of a try. */
export interface Scope {
  readonly region: Region;
  /** "" for the run, "3" in a loop, "3.1" in a nested loop; in a try, that around it. */
  readonly iteration: string;
  readonly parent: Scope | undefined;
  /** In a loop: the index of the item. */
  readonly index: number;
  /**
   * In a loop: the item. In one with a condition: the output before, or the loop's input in the first iteration. In a
   * try: its input.
   */
  readonly item: JsonValue;
  /** In a loop with a condition: the output of the iteration before; null in the first. */
  readonly previous: JsonValue | undefined;
  /** In a step of an agent in which a tool is called: the call. */
  readonly call?: AgentCall | undefined;
  readonly cells: Cell[];
  /** Nodes that are not settled yet. */
  open: number;
}

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

/** The decision of an early join that cancels the rest. */
export interface JoinDecision {
  /** The edges that were taken, in the order of their arrival: indexes in `incoming`. */
  readonly taken: readonly number[];
  /** Ids of the nodes that were cancelled, or skipped before. */
  readonly cancelled: readonly string[];
}

/** The state of a node in a scope. */
export interface Cell {
  /** Edges into the node that are not settled yet. */
  unsettled: number;
  taken: number;
  /** A cancelled node is `skipped`, and so is one whose failure was caught. */
  state: 'waiting' | 'ready' | 'done' | 'skipped';
  output: JsonValue;
  handle: string | undefined;
  loop: LoopProgress | undefined;
  /** For an early join: the edges that were taken, in the order of their arrival, until it became a task. */
  arrived: GraphEdge[] | undefined;
  /** For an early join: the decision of an earlier worker. */
  decision: JoinDecision | undefined;
}

/**
 * The progress of a container: of a loop, of a try, which is like a loop over one item, or of an agent, whose steps are
 * iterations.
 */
export interface LoopProgress {
  readonly node: GraphNode;
  readonly scope: Scope;
  /** Undefined for a loop with a condition. */
  readonly items: readonly JsonValue[] | undefined;
  readonly concurrency: number;
  /** For a loop with a condition. */
  readonly repeat: { readonly rule: RepeatRule; readonly input: JsonValue } | undefined;
  /** For an agent: the calls of the last answer that have not begun, in their order. */
  calls: AgentCall[] | undefined;
  readonly outputs: LoopOutputs;
  /** Indexes of iterations that earlier workers finished, whose outputs are not in memory. */
  readonly finishedEarlier: readonly number[];
  next: number;
  /** The iterations in progress, by index. */
  readonly open: Map<number, Scope>;
}

/** Opens a pass through a region, in which nothing is settled. */
export function openScope(
  region: Region,
  place: Pick<Scope, 'parent' | 'iteration' | 'index' | 'item' | 'previous' | 'call'>,
): Scope {
  const cells = region.nodes.map((node): Cell => ({
    unsettled: node.incoming.length,
    taken: 0,
    state: 'waiting',
    output: null,
    handle: undefined,
    loop: undefined,
    arrived: undefined,
    decision: undefined,
  }));
  return { region, ...place, cells, open: region.nodes.length };
}

/** Returns the state of a node. */
export function cellOf(scope: Scope, node: GraphNode): Cell {
  const cell = scope.cells[node.slot];
  if (!cell) throw new Error(`node ${node.id} is not in this region`);
  return cell;
}

/** Returns whether a node is neither done nor skipped. */
export function isUnsettled({ state }: Cell): boolean {
  return state === 'waiting' || state === 'ready';
}

/** Returns the body of the innermost try around a scope, or call of a tool, or the scope itself if it is one. */
export function catchingScope(scope: Scope): Scope | undefined {
  let at: Scope | undefined = scope;
  while (at && !at.region.catches && !at.region.steps) at = at.parent;
  return at;
}

/** Returns the task of the agent of which a task is a step in which the model is asked; undefined for other tasks. */
export function agentOf({ node, scope: { region, parent } }: Task): Task | undefined {
  return region.steps === node && region.container && parent ? { node: region.container, scope: parent } : undefined;
}

/** Returns the task whose data a task reads: for the nodes that are added to an agent, that of the agent. */
export function readerOf(task: Task): Task {
  const { node, scope } = task;
  const { container } = scope.region;
  return isAdded(node) && container && scope.parent ? { node: container, scope: scope.parent } : task;
}

/** Returns whether a node is not in the definition: the engine adds it to the body of an agent. */
export function isAdded(node: GraphNode): boolean {
  return node === node.region.steps || node === node.region.approval;
}

/** Returns the innermost iteration of a loop that contains a scope; undefined outside loops. */
export function iterationAround(scope: Scope): Scope | undefined {
  let at: Scope | undefined = scope;
  while (at?.region.catches) at = at.parent;
  return at?.parent && at;
}

/**
 * Returns the iteration in which a node runs, as seen from a scope; undefined if it is in a loop that the scope is not
 * in.
 */
export function iterationOf(node: GraphNode, scope: Scope): string | undefined {
  const wanted = loopRegion(node.region);
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    if (loopRegion(at.region) === wanted) return at.iteration;
  }
  return undefined;
}

/** Returns the body of the innermost loop around a region, which may be the region itself; outside loops, the run. */
function loopRegion(region: Region): Region {
  let at = region;
  while (at.catches && at.container) at = at.container.region;
  return at;
}

/** Every edge taken into a node, in the definition's order; for an early join, in that of their arrival. */
export function inputsOf(node: GraphNode, scope: Scope): NodeInput[] {
  const inputs: NodeInput[] = [];
  for (const { source, handle } of node.join ? (cellOf(scope, node).arrived ?? []) : node.incoming) {
    if (source === scope.region.container) {
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

/** Returns the output of a finished pass through a body. */
export function iterationOutput(scope: Scope): JsonValue {
  return outputOfEnds(scope.region, (node) => {
    const { state, handle, output } = cellOf(scope, node);
    return state === 'done' ? { handle, output } : undefined;
  });
}

/** How a finished node was left: by which handle, and with which output. */
interface Left {
  readonly handle: string | undefined;
  readonly output: JsonValue;
}

/**
 * Returns the output of a pass through a body: that of its end, which is a finished node none of whose edges was taken.
 * Of several ends, or where the body branches into several, an object by node id; without one, null.
 * @param leftBy returns how a node was left; undefined for one that is not finished.
 */
export function outputOfEnds({ ends, hasSingleEnd }: Region, leftBy: (node: GraphNode) => Left | undefined): JsonValue {
  const outputs = ends.flatMap((node): NodeInput[] => {
    const left = leftBy(node);
    const isEnd =
      left && !node.outgoing.some((edge) => edge.handle === left.handle && edge.target.region === node.region);
    return isEnd ? [{ nodeId: node.id, output: left.output }] : [];
  });
  const [only] = outputs;
  if (!only) return null;
  return hasSingleEnd && outputs.length === 1 ? only.output : byNodeId(outputs);
}

function byNodeId(entries: readonly NodeInput[]): JsonObject {
  return Object.fromEntries(entries.map(({ nodeId, output }) => [nodeId, output]));
}
