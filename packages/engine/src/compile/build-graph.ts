import { isJsonObject, type JsonValue, type RetrySettings } from '@deckhand/contracts';
import type { AgentSteps } from '../node-type.ts';
import type { SoundEdge } from './check-graph.ts';
import type { SoundNode } from './check-nodes.ts';
import type { CompiledWorkflow, GraphEdge, GraphNode, Region } from './graph.ts';
import { mergeReferences } from '../expressions/scope.ts';
import { findExclusive } from './early-joins.ts';
import { BODY_HANDLE, ERROR_HANDLE, type Nesting } from './loops.ts';

const RETRY_DEFAULTS = { delayMs: 1_000, factor: 2, maxDelayMs: 60_000 } as const;

/** A part of a graph while it is being built; afterwards it never changes. */
type Building<T> = { -readonly [K in keyof T]: T[K] };
interface BuildingNode extends Building<Omit<GraphNode, 'incoming' | 'outgoing'>> {
  incoming: GraphEdge[];
  outgoing: GraphEdge[];
}
interface BuildingRegion extends Building<Omit<Region, 'nodes' | 'ends' | 'cancelling'>> {
  nodes: GraphNode[];
  ends: GraphNode[];
  cancelling: GraphNode[];
}

/** Links the nodes of a definition without issues into a graph of regions. */
export function buildGraph(
  nodes: readonly SoundNode[],
  edges: readonly SoundEdge[],
  innermost: Nesting['innermost'],
): Pick<CompiledWorkflow, 'nodes' | 'root'> {
  const root = emptyRegion();
  const regions = new Map<string, BuildingRegion>();
  for (const { node, type } of nodes)
    if (type.container !== undefined) regions.set(node.id, emptyRegion({ catches: type.container === 'try' }));

  const graph = new Map<string, BuildingNode>();
  for (const entry of nodes) {
    const container = innermost.get(entry.node.id);
    const region = (container === undefined ? undefined : regions.get(container)) ?? root;
    const node = toNode(entry, region, regions.get(entry.node.id));
    region.nodes.push(node);
    graph.set(node.id, node);
  }
  for (const [container, region] of regions) {
    const node = graph.get(container);
    region.container = node;
    if (node?.type.agent) {
      region.steps = stepsOf(node, region, node.type.agent);
      region.nodes.push(region.steps);
      region.approval = approvalOf(node, region, node.type.agent);
      region.nodes.push(region.approval);
    }
  }

  for (const { edge } of edges) {
    const source = graph.get(edge.source);
    const target = graph.get(edge.target);
    if (!source || !target) continue;
    const link: GraphEdge = { source, target, handle: edge.sourceHandle };
    source.outgoing.push(link);
    target.incoming.push(link);
  }
  for (const node of graph.values()) {
    node.hasSingleSource = new Set(node.incoming.map(({ source }) => source)).size === 1;
    if (mayEnd(node)) findRegion(node, regions, root).ends.push(node);
  }
  for (const region of [root, ...regions.values()])
    region.hasSingleEnd = region.steps
      ? true
      : region.nodes.filter((node) => edgesInside(node).length === 0).length === 1;
  for (const { node: definition, type } of nodes) {
    const node = graph.get(definition.id);
    const early = definition.disabled === true ? undefined : type.join?.(definition.parameters ?? {});
    if (!node || !early) continue;
    node.join = { count: early.count, cancels: early.cancelsRest ? findExclusive(node) : undefined };
    if (early.cancelsRest) findRegion(node, regions, root).cancelling.push(node);
  }
  markCancellable(graph);
  return { nodes: graph, root };
}

/** Marks the nodes that early joins, try nodes and agents cancel, and the bodies of containers among them. */
function markCancellable(graph: ReadonlyMap<string, BuildingNode>): void {
  const open = [...graph.values()].flatMap(({ join, body }) => [
    ...(join?.cancels ?? []),
    ...(body?.catches || body?.steps ? body.nodes : []),
  ]);
  for (let node = open.pop(); node; node = open.pop()) {
    const found = graph.get(node.id);
    if (!found || found.isCancellable) continue;
    found.isCancellable = true;
    open.push(...(found.body?.nodes ?? []));
  }
}

/** Whether a node may be left by a handle to which no edge of its region is attached. */
function mayEnd(node: GraphNode): boolean {
  const attached = new Set(edgesInside(node).map(({ handle }) => handle));
  return handlesOf(node).some((handle) => !attached.has(handle));
}

/** Returns the handles by which a node may be left, undefined for an output without a name or for none. */
function handlesOf({ handles, type, definition, body }: GraphNode): (string | undefined)[] {
  const own = [...handles].filter((handle) => !body || handle !== BODY_HANDLE);
  const isUndecided = definition.disabled === true || definition.onError === 'continue';
  return [
    ...(own.length === 0 ? [undefined] : own),
    ...(definition.onError === 'branch' ? [ERROR_HANDLE] : []),
    ...(isUndecided && own.length > 0 ? [type.undecidedHandle] : []),
  ];
}

function edgesInside({ outgoing, region }: GraphNode): GraphEdge[] {
  return outgoing.filter(({ target }) => target.region === region);
}

function emptyRegion({ catches = false } = {}): BuildingRegion {
  const nothing = { container: undefined, steps: undefined, approval: undefined, nodes: [], ends: [], cancelling: [] };
  return { ...nothing, catches, hasSingleEnd: false };
}

function findRegion(
  node: BuildingNode,
  regions: ReadonlyMap<string, BuildingRegion>,
  root: BuildingRegion,
): BuildingRegion {
  return (node.region.container && regions.get(node.region.container.id)) ?? root;
}

function toNode(entry: SoundNode, region: BuildingRegion, body: BuildingRegion | undefined): BuildingNode {
  const { node, type, handles, parameters, deferred, source, references } = entry;
  return {
    id: node.id,
    definition: node,
    type,
    incoming: [],
    outgoing: [],
    hasSingleSource: false,
    region,
    slot: region.nodes.length,
    body,
    handles,
    join: undefined,
    isCancellable: false,
    retry: node.retry && withDefaults(node.retry),
    timeoutMs: node.timeoutSeconds === undefined ? undefined : Math.round(node.timeoutSeconds * 1_000),
    references: deferred ? mergeReferences([references, deferred.references]) : references,
    source,
    evaluate: parameters.evaluate,
    evaluateDeferred: deferred && ((scope) => valueAt(deferred.evaluate(scope), type.deferred?.path ?? '')),
  };
}

/** What follows the id of an agent in those of the nodes that are added to it: ids of definitions contain no dot. */
const STEPS_SUFFIX = '.steps';
const APPROVAL_SUFFIX = '.approval';

/** Returns the node whose runs are the steps of an agent. What becomes of a failure is up to the agent itself. */
function stepsOf(agent: GraphNode, region: Region, { ask }: AgentSteps): GraphNode {
  return { ...addedTo(agent, region), id: `${agent.id}${STEPS_SUFFIX}`, ...runningBy(agent, { run: ask }) };
}

/** Returns the node whose runs are the questions about calls. `retry` and the time limits are those of the model. */
function approvalOf(agent: GraphNode, region: Region, { question, decided }: AgentSteps): GraphNode {
  const { type, definition } = runningBy(agent, { run: question, resume: decided, hasEffects: false });
  const { retry: _models, timeoutSeconds: _too, onInterrupt: _waits, credentialId: _unused, ...rest } = definition;
  return {
    ...addedTo(agent, region),
    id: `${agent.id}${APPROVAL_SUFFIX}`,
    definition: rest,
    type,
    handles: new Set(['approved', 'rejected']),
    retry: undefined,
    timeoutMs: undefined,
  };
}

function runningBy(
  agent: GraphNode,
  how: Partial<Pick<GraphNode['type'], 'run' | 'resume' | 'hasEffects'>>,
): Pick<GraphNode, 'type' | 'definition'> {
  const { onError: _agents, disabled: _never, mock: _unused, ...definition } = agent.definition;
  const { container: _none, agent: _itself, ...type } = agent.type;
  return { definition, type: { ...type, container: undefined, agent: undefined, handles: [], ...how } };
}

function addedTo(agent: GraphNode, region: Region): GraphNode {
  return {
    ...agent,
    incoming: [],
    outgoing: [],
    region,
    slot: region.nodes.length,
    body: undefined,
    handles: new Set(),
    join: undefined,
    isCancellable: true,
  };
}

function withDefaults(retry: RetrySettings): Required<RetrySettings> {
  return { ...RETRY_DEFAULTS, ...retry };
}

/** Returns the value at a path with dots. */
function valueAt(value: JsonValue, path: string): JsonValue {
  let at: JsonValue | undefined = value;
  for (const name of path.split('.')) at = at !== undefined && isJsonObject(at) ? at[name] : undefined;
  return at ?? null;
}
