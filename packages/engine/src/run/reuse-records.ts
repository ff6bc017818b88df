/**
 * Chooses the records of an earlier run that a rerun from a node reuses.
 *
 * 1. The node and everything after it is done again; so is what never finished.
 * 2. Everything else stays as it was recorded, and is not done again.
 * 3. In a loop that did not finish, the iterations that did are kept; the others go on from the node.
 * 4. In a loop that finished, every iteration goes on from the node.
 * 5. A loop with a condition that finished begins anew, because its iterations depend on those before.
 */
import type { CompiledWorkflow, GraphNode } from '../compile/graph.js';
import { BODY_HANDLE } from '../compile/loops.js';
import { hasBegun, isSettled, storedDecision, storedLoop, wayOut } from './node-state.js';
import { type NodeRecord, recordKey } from './records.js';
import { createScheduler, type Scope } from './scheduler.js';

/** The run whose records are reused. */
export interface SourceRun {
  /** The version that the rerun uses: that of the source run, or a later one. */
  readonly workflow: CompiledWorkflow;
  readonly triggerNodeId: string;
  /** Its records by `recordKey`; loops that it left unfinished are `running`. */
  readonly records: ReadonlyMap<string, NodeRecord>;
}

/**
 * Returns the records that the rerun starts with, by `recordKey`.
 * @throws RangeError if the workflow has no such node.
 */
export function reuseRecords(source: SourceRun, fromNodeId: string): Map<string, NodeRecord> {
  const { workflow, records } = source;
  const from = workflow.nodes.get(fromNodeId);
  if (!from) throw new RangeError(`the workflow has no node ${fromNodeId}`);
  const { settled, finishedPasses } = replay(source);
  const levels = levelsOf(from);
  const loopsAroundNode = loopsAround(from);
  const repeats = loopsAroundNode.flatMap((loop, depth) =>
    isRepeat(loop) ? [{ loop, around: loopsAroundNode.slice(0, depth), body: bodyOf(loop) }] : [],
  );

  /** Returns true if an iteration of the innermost of these loops (outermost first) continues from the node. */
  function isRepeated(iteration: string, loops: readonly GraphNode[]): boolean {
    for (const [depth, loop] of loops.entries()) {
      if (records.get(recordKey(loop.id, passOf(iteration, depth)))?.status === 'success') return true;
      if (finishedPasses.has(recordKey(loop.id, passOf(iteration, depth + 1)))) return false;
    }
    return true;
  }

  function isDoneAgain({ nodeId, iteration, status }: NodeRecord): boolean {
    return levels.some(
      ({ loops, nodes, loop }) =>
        (nodes.has(nodeId) || (nodeId === loop?.id && status === 'success')) && isRepeated(iteration, loops),
    );
  }

  /** Whether the record is in a loop with a condition around the node, and that finished. */
  function isInRepeatedLoop({ nodeId, iteration }: NodeRecord): boolean {
    return repeats.some(
      ({ loop, around, body }) =>
        body.has(nodeId) &&
        records.get(recordKey(loop.id, passOf(iteration, around.length)))?.status === 'success' &&
        isRepeated(iteration, around),
    );
  }

  function isKept(key: string, record: NodeRecord): boolean {
    return (
      settled.has(key) ||
      // What was cancelled in a finished loop is not kept: if its iteration continues from the node, it never finished.
      (isSettled(record) &&
        loopsAround(workflow.nodes.get(record.nodeId)).some(
          (loop, depth) =>
            // The iterations of a finished loop are not processed again, so nothing more is known about them.
            settled.get(recordKey(loop.id, passOf(record.iteration, depth)))?.status === 'success',
        ))
    );
  }

  return new Map(
    [...records].filter(([key, record]) => isKept(key, record) && !isDoneAgain(record) && !isInRepeatedLoop(record)),
  );
}

/** The result of the records alone: those that count, and the iterations of unfinished loops that they finish. */
function replay({ workflow, triggerNodeId, records }: SourceRun): {
  settled: ReadonlyMap<string, NodeRecord>;
  finishedPasses: ReadonlySet<string>;
} {
  const settled = new Map<string, NodeRecord>();
  const passes = new Set<Scope>();
  const events = { skipped: ignore, loopFinished: ignore, joined: ignore, cancelled: ignore };
  const scheduler = createScheduler(workflow.root, triggerNodeId, events, {
    decisionOf({ id }, { iteration }) {
      const record = records.get(recordKey(id, iteration));
      return record && storedDecision(record);
    },
    isSettled: ({ id }, { iteration }) => isSettled(records.get(recordKey(id, iteration))),
  });
  for (let task = scheduler.next(); task; task = scheduler.next()) {
    const { node, scope } = task;
    passes.add(scope);
    if (task.iteration) {
      if (hasBegun(records, task, task.iteration)) scheduler.decide(task, true);
      continue;
    }
    const key = recordKey(node.id, scope.iteration);
    const record = records.get(key);
    const loop = record && storedLoop(record);
    const way = record && wayOut(node, record);
    if (!record || (!loop && !way)) continue;
    settled.set(key, record);
    if (loop?.kind === 'items') scheduler.loop(task, loop.items, loop.concurrency);
    else if (loop) scheduler.repeat(task, loop.rule);
    else if (way) scheduler.done(task, record.output ?? null, way.handle);
  }
  const finished = [...passes].flatMap(({ open, region, iteration }) =>
    open === 0 && region.loop ? [recordKey(region.loop.id, iteration)] : [],
  );
  return { settled, finishedPasses: new Set(finished) };
}

function ignore(): void {
  // Only settled nodes matter here.
}

/** The nodes that run again in the node's own region, and in each region around it. */
interface Level {
  /** Returns the loops around the region, outermost first. */
  readonly loops: readonly GraphNode[];
  /** Returns the loop in this region that contains the node; undefined in the node's own. */
  readonly loop: GraphNode | undefined;
  readonly nodes: ReadonlySet<string>;
}

function levelsOf(from: GraphNode): Level[] {
  const loops = loopsAround(from);
  const inner: Level = { loops, loop: undefined, nodes: reachable([from]) };
  const outer = loops.map((loop, depth): Level => {
    const after = loop.outgoing.flatMap(({ handle, target }) => (handle === BODY_HANDLE ? [] : [target]));
    return { loops: loops.slice(0, depth), loop, nodes: reachable(after) };
  });
  return [inner, ...outer];
}

/** Returns the loops around a node, outermost first. */
function loopsAround(node: GraphNode | undefined): GraphNode[] {
  const loop = node?.region.loop;
  return loop ? [...loopsAround(loop), loop] : [];
}

function isRepeat({ definition: { parameters } }: GraphNode): boolean {
  return parameters?.mode === 'while' || parameters?.mode === 'until';
}

/** Returns all nodes in the body of a loop, also those in loops in it. */
function bodyOf(loop: GraphNode): Set<string> {
  return reachable(loop.outgoing.flatMap(({ handle, target }) => (handle === BODY_HANDLE ? [target] : [])));
}

/** Returns the nodes and all nodes after them, bodies of loops included. */
function reachable(start: readonly GraphNode[]): Set<string> {
  const found = new Set<string>();
  const open = [...start];
  for (let node = open.pop(); node; node = open.pop()) {
    if (found.has(node.id)) continue;
    found.add(node.id);
    open.push(...node.outgoing.map(({ target }) => target));
  }
  return found;
}

/** Returns the outer part of an iteration: of "3.1.4" to the depth 2 it is "3.1". */
function passOf(iteration: string, depth: number): string {
  return iteration.split('.').slice(0, depth).join('.');
}
