/**
 * Chooses the records of an earlier run that a rerun from a node reuses.
 *
 * 1. The node and everything after it is done again; so is what never finished.
 * 2. Everything else stays as it was recorded, and is not done again.
 * 3. In a loop that did not finish, the iterations that did are kept; the others go on from the node.
 * 4. In a loop that finished, every iteration goes on from the node. In a rerun of failed iterations, only those go on
 *    in which the node failed, also in a loop that did not finish.
 * 5. A loop with a condition begins anew if it finished, or if an iteration that finished goes on from the node: each
 *    iteration depends on those before.
 * 6. A try around the node continues from it, as if it had caught nothing: so does what it cancelled.
 * 7. A record that does not fit its node in the version of the rerun is not reused: the type is another one, or it left
 *    by an output that the node no longer has. The node is done again, and so is everything after it: in all iterations
 *    of the loops around it. Those with a condition begin anew.
 * 8. An agent that did not finish begins anew, and so does one that continues from a node in it: what the model says
 *    next depends on everything before. One that finished keeps its steps.
 */
import { isJsonObject } from '@deckhand/contracts';
import type { CompiledWorkflow, GraphNode } from '../compile/graph.ts';
import { BODY_HANDLE, ERROR_HANDLE } from '../compile/loops.ts';
import { hasBegun, isSettled, storedDecision, storedContainer, wayOut, type NodeRecord, recordKey } from './records.ts';
import { nodesUntil } from './nodes-until.ts';
import { Scheduler } from './scheduler.ts';
import { isAdded, type Scope } from './scope.ts';

/** The run whose records are reused. */
export interface SourceRun {
  /** The version that the rerun uses: that of the source run, or a later one. */
  readonly workflow: CompiledWorkflow;
  readonly triggerNodeId: string;
  /** Its records by `recordKey`; loops that it left unfinished are `running`. */
  readonly records: ReadonlyMap<string, NodeRecord>;
  /** The types of its nodes by their ids, if its version was another one. */
  readonly types?: ReadonlyMap<string, string> | undefined;
}

/** A source run, and the passes through loops in which the node failed; undefined if every pass continues from it. */
interface RepeatedRun extends SourceRun {
  readonly failedPasses: ReadonlySet<string> | undefined;
}

/**
 * Returns the records that the rerun starts with, by `recordKey`.
 * @param iterations which ones of loops around the node that have finished continue from it.
 * @throws RangeError if the workflow has no such node.
 */
export function reuseRecords(
  given: SourceRun,
  fromNodeId: string,
  iterations: 'all' | 'failed' = 'all',
): Map<string, NodeRecord> {
  const from = given.workflow.nodes.get(fromNodeId);
  if (!from) throw new RangeError(`the workflow has no node ${fromNodeId}`);
  const failedPasses = iterations === 'failed' ? passesWithFailure(given.records, fromNodeId) : undefined;
  const source = { ...given, records: withoutOpenAgents(given.workflow, fitting(given)), failedPasses };
  const around = containersAround(from);
  let replayed = replay(source, () => false);
  if (around.some(isTry)) {
    // In the passes that continue from the node: others are as they were recorded.
    const before = replayed;
    replayed = replay(source, (node, { iteration }) => {
      const depth = around.indexOf(node);
      return depth >= 0 && isTry(node) && isRepeated(source, before, iteration, around.slice(0, depth));
    });
  }
  const rerun = new Rerun(source, { from, misfits: misfitsIn(given) }, replayed);
  return new Map([...source.records].filter(([key, record]) => rerun.reuses(key, record)));
}

/** Returns the iterations in which a node failed, and those around them: with "3.1" also "3". */
function passesWithFailure(records: SourceRun['records'], nodeId: string): Set<string> {
  const failed = [...records.values()].filter((record) => record.nodeId === nodeId && record.status === 'failed');
  return new Set(
    failed.flatMap(({ iteration }) => {
      const indexes = iteration.split('.');
      return indexes.map((_index, depth) => indexes.slice(0, depth + 1).join('.'));
    }),
  );
}

/** Returns the status of a container, in the pass through these around it that contains an iteration. */
function statusOf(
  { records }: Pick<SourceRun, 'records'>,
  { id }: GraphNode,
  iteration: string,
  outer: readonly GraphNode[],
): string | undefined {
  return records.get(recordKey(id, passOf(iteration, outer)))?.status;
}

/** Returns true if an iteration of the innermost of these containers (outermost first) continues from the node. */
function isRepeated(
  source: Pick<RepeatedRun, 'records' | 'failedPasses'>,
  { finishedPasses }: Pick<Replay, 'finishedPasses'>,
  iteration: string,
  containers: readonly GraphNode[],
): boolean {
  for (const [depth, container] of containers.entries()) {
    if (isTry(container)) continue;
    const pass = passOf(iteration, containers.slice(0, depth + 1));
    const isOfFinished = statusOf(source, container, iteration, containers.slice(0, depth)) === 'success';
    if (!isOfFinished && !finishedPasses.has(recordKey(container.id, pass))) continue;
    if (!source.failedPasses) return isOfFinished;
    if (!source.failedPasses.has(pass)) return false;
  }
  return true;
}

/** Decides about each record of a source run whether the rerun from a node reuses it. */
class Rerun {
  readonly #source: RepeatedRun;
  readonly #replayed: Replay;
  readonly #levels: readonly Level[];
  /** Those of nodes whose records do not fit. */
  readonly #levelsOfMisfits: readonly Level[];
  /** The loops with a condition around the node. */
  readonly #repeats: readonly Repeat[];
  /** What is in loops with a condition around nodes whose records do not fit, and these loops. */
  readonly #aroundMisfits: ReadonlySet<string>;
  /** The unfinished ones of them, by `recordKey`, of which an iteration that finished goes on from the node. */
  readonly #begunAnew: ReadonlySet<string>;

  constructor(
    source: RepeatedRun,
    { from, misfits }: { readonly from: GraphNode; readonly misfits: readonly GraphNode[] },
    replayed: Replay,
  ) {
    this.#source = source;
    this.#replayed = replayed;
    this.#levels = levelsOf(from);
    this.#levelsOfMisfits = misfits.flatMap(levelsOf);
    this.#repeats = repeatsAround(from);
    this.#aroundMisfits = new Set(misfits.flatMap((node) => repeatsAround(node).flatMap(({ ids }) => [...ids])));
    const repeated = [...(source.failedPasses ?? [])];
    this.#begunAnew = new Set(
      this.#repeats.flatMap(({ loop: { id }, outer }) =>
        repeated
          .filter((pass) => replayed.finishedPasses.has(recordKey(id, pass)))
          .map((pass) => recordKey(id, passOf(pass, outer))),
      ),
    );
  }

  reuses(key: string, record: NodeRecord): boolean {
    return this.#isKept(key, record) && !this.#isDoneAgain(record) && !this.#isInRepeatedLoop(record);
  }

  #isKept(key: string, record: NodeRecord): boolean {
    const isReplayed = this.#replayed.settled.has(key);
    return isReplayed || (isSettled(record) && this.#isInFinished(record) && !this.#isUndone(record));
  }

  #isDoneAgain(record: NodeRecord): boolean {
    const { nodeId, iteration } = record;
    return (
      this.#aroundMisfits.has(nodeId) ||
      this.#levelsOfMisfits.some((level) => isIn(level, record)) ||
      this.#levels.some(
        (level) => isIn(level, record) && isRepeated(this.#source, this.#replayed, iteration, level.containers),
      )
    );
  }

  /** Whether the record is of a loop with a condition that begins anew, or of a node in it. */
  #isInRepeatedLoop({ nodeId, iteration }: NodeRecord): boolean {
    return this.#repeats.some(
      ({ loop, outer, ids }) =>
        ids.has(nodeId) &&
        (statusOf(this.#source, loop, iteration, outer) === 'success' ||
          this.#begunAnew.has(recordKey(loop.id, passOf(iteration, outer)))) &&
        isRepeated(this.#source, this.#replayed, iteration, outer),
    );
  }

  /** Whether the record is in a finished container: its body was not replayed, so nothing more is known about it. */
  #isInFinished({ nodeId, iteration }: NodeRecord): boolean {
    const containers = containersAround(findNode(this.#source.workflow, nodeId));
    return containers.some(({ id }, depth) => {
      const key = recordKey(id, passOf(iteration, containers.slice(0, depth)));
      return this.#replayed.settled.get(key)?.status === 'success';
    });
  }

  /** Whether a try that is done again had caught the failure of the record, or had cancelled a loop around it. */
  #isUndone(record: NodeRecord): boolean {
    const { workflow, records } = this.#source;
    const { nodeId, iteration, status } = record;
    const node = workflow.nodes.get(nodeId);
    const isUnhandled = status === 'failed' && node !== undefined && !wayOut(node, record);
    const containers = containersAround(node);
    return containers.some((container, depth) => {
      const before = records.get(recordKey(container.id, passOf(iteration, containers.slice(0, depth))));
      if (!isTry(container) || !before || !this.#isDoneAgain(before)) return false;
      const inner = containers.slice(depth + 1);
      const areFinished = inner.every(
        (each, index) => statusOf(this.#source, each, iteration, containers.slice(0, depth + 1 + index)) === 'success',
      );
      return !areFinished || (isUnhandled && !inner.some(isTry));
    });
  }
}

/** Returns the nodes in containers of which a record does not fit. Nothing settles others. */
function misfitsIn({ workflow, records, types }: SourceRun): GraphNode[] {
  const unfit = [...records.values()].filter((record) => !fits(findNode(workflow, record.nodeId), record, types));
  const nodes = [...new Set(unfit.map(({ nodeId }) => workflow.nodes.get(nodeId)))];
  return nodes.filter((node) => node !== undefined).filter((node) => containersAround(node).length > 0);
}

/** What a node run recorded of the way that the run took, without its data. */
export type RecordedWay = Pick<NodeRecord, 'nodeId' | 'iteration' | 'status' | 'handle' | 'state'>;

/**
 * Returns whether a rerun from a node may come to that node: it is ready after the reused records, or another node
 * before it is.
 */
export function mayReach(
  { ways, ...run }: Omit<SourceRun, 'records'> & { readonly ways: readonly RecordedWay[] },
  fromNodeId: string,
): boolean {
  const nothing = { startedAt: null, finishedAt: null, attempts: 0, output: undefined, error: null, debug: undefined };
  const given = ways.map((way): [string, NodeRecord] => [recordKey(way.nodeId, way.iteration), { ...nothing, ...way }]);
  const source = { ...run, records: new Map(given) };
  const before = nodesUntil(run.workflow, fromNodeId);
  const { unsettled } = replay({ ...source, records: reuseRecords(source, fromNodeId) }, () => false);
  return unsettled.some(({ id }) => id === fromNodeId || before.has(id));
}

/** Returns the types of the nodes of a definition by their ids. */
export function typesOfNodes(definition: unknown): Map<string, string> {
  const nodes = isJsonObject(definition) && Array.isArray(definition.nodes) ? definition.nodes : [];
  return new Map(
    nodes.flatMap((node): [string, string][] =>
      isJsonObject(node) && typeof node.id === 'string' && typeof node.type === 'string' ? [[node.id, node.type]] : [],
    ),
  );
}

/** Returns the records that fit their nodes. */
function fitting({ workflow, records, types }: SourceRun): ReadonlyMap<string, NodeRecord> {
  return new Map([...records].filter(([, record]) => fits(findNode(workflow, record.nodeId), record, types)));
}

/** Returns the records without those of agents that did not finish, and of the nodes in them. */
function withoutOpenAgents(
  workflow: CompiledWorkflow,
  records: ReadonlyMap<string, NodeRecord>,
): ReadonlyMap<string, NodeRecord> {
  const agents = [...workflow.nodes.values()].filter(isAgent);
  if (agents.length === 0) return records;
  const isOpen = ({ nodeId, iteration }: NodeRecord): boolean => {
    const node = findNode(workflow, nodeId);
    if (!node) return false;
    const around = [...containersAround(node), ...(isAgent(node) ? [node] : [])];
    return around.some(
      (container, depth) =>
        isAgent(container) && statusOf({ records }, container, iteration, around.slice(0, depth)) !== 'success',
    );
  };
  return new Map([...records].filter(([, record]) => !isOpen(record)));
}

/** Returns a node of a workflow, which may be one that is added to an agent. */
function findNode({ nodes }: CompiledWorkflow, id: string): GraphNode | undefined {
  if (nodes.has(id) || !id.includes('.')) return nodes.get(id);
  return [...nodes.values()].flatMap(addedOf).find((added) => added.id === id);
}

/** Returns the nodes that are added to an agent; none for other nodes. */
function addedOf({ body }: GraphNode): GraphNode[] {
  return [body?.steps, body?.approval].filter((node) => node !== undefined);
}

function isAgent({ type }: GraphNode): boolean {
  return type.container === 'agent';
}

function fits(node: GraphNode | undefined, record: NodeRecord, types: SourceRun['types']): boolean {
  const isStep = node !== undefined && isAdded(node);
  const typed = isStep ? node.region.container : node;
  if (!node || !typed || (types && types.get(typed.id) !== typed.type.type)) return false;
  if (record.status !== 'success' || isStep) return true;
  const { handles, type, definition } = node;
  if (record.handle !== null) return handles.has(record.handle) || (isTry(node) && record.handle === ERROR_HANDLE);
  // A node with several outputs leaves by none only while it is disabled.
  return handles.size === 0 || (definition.disabled === true && type.undecidedHandle === undefined);
}

/** The result of the records alone: those that count, and the iterations of unfinished loops that they finish. */
interface Replay {
  readonly settled: ReadonlyMap<string, NodeRecord>;
  /** Nodes that come next: the records do not settle them. */
  readonly unsettled: readonly GraphNode[];
  readonly finishedPasses: ReadonlySet<string>;
}

/** Replays records. @param isReopened whether a try continues that caught a failure, or finished. */
function replay(
  { workflow, triggerNodeId, records }: SourceRun,
  isReopened: (node: GraphNode, scope: Scope) => boolean,
): Replay {
  const settled = new Map<string, NodeRecord>();
  const unsettled: GraphNode[] = [];
  const passes = new Set<Scope>();
  const scheduler = new Scheduler(workflow.root, triggerNodeId, {
    skipped: ignore,
    containerDone: ignore,
    stepBegan: ignore,
    stepEnded: ignore,
    earlierStep: () => undefined,
    joined: ignore,
    cancelled: ignore,
    earlierDecision({ id }, { iteration }) {
      const record = records.get(recordKey(id, iteration));
      return record && storedDecision(record);
    },
    isSettled: ({ id }, { iteration }) => isSettled(records.get(recordKey(id, iteration))),
    isLeftOut: () => false,
    isCut: () => false,
  });
  for (let task = scheduler.next(); task; task = scheduler.next()) {
    const { node, scope } = task;
    passes.add(scope);
    if (task.iteration) {
      if (hasBegun(records, task, task.iteration)) scheduler.decide(task, true);
      else unsettled.push(node);
      continue;
    }
    const key = recordKey(node.id, scope.iteration);
    const record = records.get(key);
    const container = record && storedContainer(record);
    const way = record && wayOut(node, record);
    if (record && isTry(node) && isReopened(node, scope)) {
      scheduler.attempt(task);
      continue;
    }
    if (!record || (!container && !way)) {
      unsettled.push(node);
      continue;
    }
    settled.set(key, record);
    // All at once: an iteration that is not settled keeps none of those after it from being settled.
    if (container?.kind === 'items') scheduler.loop(task, container.items, container.items.length);
    else if (container?.kind === 'repeat') scheduler.repeat(task, container.rule);
    else if (container) scheduler.attempt(task);
    else if (way) scheduler.done(task, record.output ?? null, way.handle);
  }
  const finished = [...passes].flatMap(({ open, region, iteration }) =>
    open === 0 && region.container ? [recordKey(region.container.id, iteration)] : [],
  );
  return { settled, unsettled, finishedPasses: new Set(finished) };
}

function ignore(): void {
  // Only settled nodes matter here.
}

/** The nodes that run again in the node's own region, and in each region around it. */
interface Level {
  /** The containers around the region, outermost first. */
  readonly containers: readonly GraphNode[];
  /** The container in this region that contains the node; undefined in the node's own. */
  readonly container: GraphNode | undefined;
  readonly nodes: ReadonlySet<string>;
}

function levelsOf(from: GraphNode): Level[] {
  const containers = containersAround(from);
  const inner: Level = { containers, container: undefined, nodes: reachable([from]) };
  const outer = containers.map((container, depth): Level => {
    const after = container.outgoing.flatMap(({ handle, target }) => (handle === BODY_HANDLE ? [] : [target]));
    return { containers: containers.slice(0, depth), container, nodes: reachable(after) };
  });
  return [inner, ...outer];
}

/** Whether a level has the node of a record, or its finished container. */
function isIn({ nodes, container }: Level, { nodeId, status }: NodeRecord): boolean {
  return nodes.has(nodeId) || (nodeId === container?.id && status === 'success');
}

/** A loop with a condition, or an agent: the containers around it, and the ids of it and the nodes in its body. */
interface Repeat {
  readonly loop: GraphNode;
  readonly outer: readonly GraphNode[];
  readonly ids: ReadonlySet<string>;
}

/** Returns the loops with a condition, and the agents, around a node, outermost first. */
function repeatsAround(node: GraphNode): Repeat[] {
  const around = containersAround(node);
  return around.flatMap((loop, depth) =>
    isRepeat(loop) ? [{ loop, outer: around.slice(0, depth), ids: bodyOf(loop).add(loop.id) }] : [],
  );
}

/** Returns the containers around a node, outermost first. */
function containersAround(node: GraphNode | undefined): GraphNode[] {
  const container = node?.region.container;
  return container ? [...containersAround(container), container] : [];
}

function isTry({ body }: GraphNode): boolean {
  return body?.catches === true;
}

function isRepeat(node: GraphNode): boolean {
  const { parameters } = node.definition;
  return isAgent(node) || parameters?.mode === 'while' || parameters?.mode === 'until';
}

/** Returns all nodes in the body of a loop, also those in loops in it. */
function bodyOf(loop: GraphNode): Set<string> {
  const found = reachable(loop.outgoing.flatMap(({ handle, target }) => (handle === BODY_HANDLE ? [target] : [])));
  for (const { id } of addedOf(loop)) found.add(id);
  return found;
}

/** Returns the nodes and all nodes after them, bodies of loops included. */
function reachable(start: readonly GraphNode[]): Set<string> {
  const found = new Set<string>();
  const open = [...start];
  for (let node = open.pop(); node; node = open.pop()) {
    if (found.has(node.id)) continue;
    found.add(node.id);
    for (const { id } of addedOf(node)) found.add(id);
    open.push(...node.outgoing.map(({ target }) => target));
  }
  return found;
}

/** Returns the outer part of an iteration, in these containers: of "3.1.4" in two loops and a try it is "3.1". */
function passOf(iteration: string, containers: readonly GraphNode[]): string {
  const levels = containers.filter((container) => !isTry(container)).length;
  return iteration.split('.').slice(0, levels).join('.');
}
