import {
  compileCheck,
  Definition,
  DEFAULT_TIMEOUT_SECONDS,
  EdgeDefinition,
  type Fault,
  FAULTS_MAX,
  isJsonObject,
  NodeDefinition,
} from '@deckhand/contracts';
import { compileParameters } from '../expressions/index.js';
import { mergeReferences } from '../expressions/references.js';
import type { NodeType, NodeTypes } from '../node-type.js';
import { buildGraph } from './build-graph.js';
import { checkCredential } from './check-credential.js';
import { checkParameters } from './check-parameters.js';
import { findCycle } from './cycles.js';
import type { CompileResult, GraphTrigger } from './graph.js';
import { isInside, type LoopNesting, nestLoops } from './loops.js';
import type { SoundEdge, SoundNode } from './sound.js';

const checkDefinition = compileCheck(Definition);
const checkNode = compileCheck(NodeDefinition);
const checkEdge = compileCheck(EdgeDefinition);

/** After how many faults no more are looked for: one more than are told. */
const ENOUGH_FAULTS = FAULTS_MAX + 1;
/** How many edges are checked in one step. */
const EDGES_A_STEP = 100;

/**
 * Compiles a definition, all at once. Reports the faults together, of shape and of meaning: parts that are sound are
 * checked further though others are not.
 */
export function compileWorkflow(definition: unknown, nodeTypes: NodeTypes): CompileResult {
  const steps = compileInSteps(definition, nodeTypes);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * The same in steps: each `yield` is a place where other work may go first. No step takes longer than one node, and
 * all of them time in proportion to the definition's length.
 */
export function* compileInSteps(definition: unknown, nodeTypes: NodeTypes): Generator<undefined, CompileResult> {
  const shape = checkDefinition(definition);
  const faults: Fault[] = 'faults' in shape ? [...shape.faults] : [];
  if (!isJsonObject(definition) || !Array.isArray(definition.nodes) || !Array.isArray(definition.edges)) {
    return { faults };
  }
  // Checking what is far too large any further would cost more than it tells.
  if (faults.some(({ path }) => path === 'nodes' || path === 'edges')) return { faults };

  const rawNodes: readonly unknown[] = definition.nodes;
  const rawEdges: readonly unknown[] = definition.edges;
  yield;
  const nodes = yield* collectNodes(rawNodes, nodeTypes, faults);
  const edges = yield* collectEdges(rawEdges, faults, new Set(rawNodes.map(idOf)), nodes);
  const nesting = yield* checkGraph(nodes, edges, faults);
  if (faults.length > 0 || 'faults' in shape || !nesting) return { faults };

  yield;
  const seconds = shape.value.settings?.timeoutSeconds;
  const graph = buildGraph(nodes, edges, nesting.innermost);
  return {
    workflow: {
      definition: shape.value,
      timeoutMs: Math.round((seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1_000),
      countsHeldTime: seconds === undefined,
      triggers: listTriggers(nodes),
      usesVars: nodes.some(({ references }) => references.names.has('$vars')),
      ...graph,
    },
  };
}

function idOf(node: unknown): unknown {
  return isJsonObject(node) ? node.id : undefined;
}

function* collectNodes(
  raw: readonly unknown[],
  nodeTypes: NodeTypes,
  faults: Fault[],
): Generator<undefined, SoundNode[]> {
  const nodes: SoundNode[] = [];
  const ids = new Map<unknown, number>();
  for (const [index, candidate] of raw.entries()) {
    if (faults.length >= ENOUGH_FAULTS) break;
    yield;
    const path = `nodes[${index}]`;
    const id = idOf(candidate);
    const first = ids.get(id);
    if (first !== undefined && typeof id === 'string') {
      faults.push({ path: `${path}.id`, message: `"${id}" is also the id of nodes[${first}]` });
    } else {
      ids.set(id, index);
    }
    const checked = checkNode(candidate);
    if ('faults' in checked || first !== undefined) continue;
    const node = checked.value;
    const type = nodeTypes.get(node.type);
    if (!type) {
      faults.push({ path: `${path}.type`, message: `"${node.type}" is not a node type` });
      continue;
    }
    faults.push(...checkCredential(node, type, path));
    const compiled = compileNodeParameters(node, type, path, faults);
    const handles = type.handles?.(node.parameters ?? {}) ?? [];
    if (compiled) nodes.push({ node, path, type, handles: new Set(handles), ...compiled });
  }
  return nodes;
}

function compileNodeParameters(
  node: NodeDefinition,
  type: NodeType,
  path: string,
  faults: Fault[],
): Pick<SoundNode, 'parameters' | 'source' | 'references'> | undefined {
  const parameters = node.parameters ?? {};
  const own = checkParameters(type, parameters);
  for (const fault of own) {
    faults.push({ path: `${path}.parameters${join(fault.path)}`, message: fault.message });
  }
  const compiled = compileParameters(parameters, { verbatim: type.verbatim });
  if ('faults' in compiled) {
    for (const fault of compiled.faults) {
      faults.push({
        path: `${path}.parameters${renderPath(fault.path)}`,
        message: `${fault.message} (at character ${fault.offset + 1})`,
      });
    }
    return undefined;
  }
  const source = own.length === 0 ? type.references?.(parameters) : undefined;
  const ofExpressions = compiled.parameters.references;
  const references = source ? mergeReferences([ofExpressions, source]) : ofExpressions;
  return { parameters: compiled.parameters, source, references };
}

function join(path: string): string {
  return path === '' || path.startsWith('[') ? path : `.${path}`;
}

function renderPath(keys: readonly (string | number)[]): string {
  return keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
}

function* collectEdges(
  raw: readonly unknown[],
  faults: Fault[],
  ids: ReadonlySet<unknown>,
  nodes: readonly SoundNode[],
): Generator<undefined, SoundEdge[]> {
  const byId = new Map(nodes.map((entry) => [entry.node.id, entry]));
  const seen = new Set<string>();
  const edges: SoundEdge[] = [];
  for (const [index, candidate] of raw.entries()) {
    if (faults.length >= ENOUGH_FAULTS) break;
    if (index % EDGES_A_STEP === 0) yield;
    const path = `edges[${index}]`;
    const checked = checkEdge(candidate);
    if ('faults' in checked) continue;
    const edge = checked.value;
    const before = faults.length;
    for (const end of ['source', 'target'] as const) {
      if (!ids.has(edge[end])) faults.push({ path: `${path}.${end}`, message: `there is no node "${edge[end]}"` });
    }
    const source = byId.get(edge.source);
    if (source) faults.push(...checkHandle(edge, source, path));
    if (byId.get(edge.target)?.type.isTrigger) {
      faults.push({ path: `${path}.target`, message: `"${edge.target}" is a trigger: nothing leads to it` });
    }
    const key = JSON.stringify([edge.source, edge.sourceHandle, edge.target]);
    if (seen.has(key)) faults.push({ path, message: 'the same edge is there already' });
    seen.add(key);
    if (faults.length === before && source && byId.has(edge.target)) edges.push({ edge, path });
  }
  return edges;
}

/** Number of outputs that a message names at most. */
const NAMED_HANDLES_MAX = 20;

function checkHandle(edge: EdgeDefinition, { node, handles }: SoundNode, path: string): Fault[] {
  const hasError = node.onError === 'branch';
  const { sourceHandle } = edge;
  if (sourceHandle === undefined ? handles.size === 0 : handles.has(sourceHandle)) return [];
  if (sourceHandle === 'error' && hasError) return [];
  const known = [...handles, ...(hasError ? ['error'] : [])];
  const names = `${known.slice(0, NAMED_HANDLES_MAX).join(', ')}${known.length > NAMED_HANDLES_MAX ? ', …' : ''}`;
  if (sourceHandle === undefined)
    return [{ path: `${path}.sourceHandle`, message: `is required: "${node.id}" leaves by ${names}` }];
  const ways = known.length > 0 ? `its outputs are ${names}` : 'it has a single output, without a name';
  return [{ path: `${path}.sourceHandle`, message: `"${node.id}" has no handle "${sourceHandle}": ${ways}` }];
}

/**
 * Looks for faults of the graph as a whole: no trigger, cycles, loop bodies, references that lead nowhere.
 * @returns how loops nest; undefined for a graph with a cycle.
 */
function* checkGraph(
  nodes: readonly SoundNode[],
  edges: readonly SoundEdge[],
  faults: Fault[],
): Generator<undefined, LoopNesting | undefined> {
  const definitions = nodes.map(({ node }) => node);
  if (!nodes.some(({ type }) => type.isTrigger)) {
    faults.push({ path: 'nodes', message: 'a workflow needs a trigger, such as trigger.manual' });
  }
  yield;
  const cycle = findCycle(
    definitions.map(({ id }) => id),
    edges.map(({ edge }) => edge),
  );
  if (cycle.length > 0) {
    faults.push({ path: 'edges', message: `nodes lead back to themselves: ${cycle.slice(0, 20).join(', ')}` });
    return undefined;
  }
  yield;
  const nesting = nestLoops(definitions, edges);
  faults.push(...nesting.faults.slice(0, ENOUGH_FAULTS));
  const known = new Set(definitions.map(({ id }) => id));
  for (const { node, path, references } of nodes) {
    if (faults.length >= ENOUGH_FAULTS) break;
    yield;
    for (const reference of references.nodes) {
      const loop = nesting.innermost.get(reference);
      if (!known.has(reference)) {
        faults.push({ path: `${path}.parameters`, message: `$nodes.${reference}: there is no such node` });
      } else if (loop !== undefined && !isInside(loop, node.id, nesting.innermost)) {
        const message = `$nodes.${reference} is inside loop "${loop}": outside of it, read $nodes.${loop}.output`;
        faults.push({ path: `${path}.parameters`, message });
      }
    }
    if (references.names.has('$loop') && !nesting.innermost.has(node.id)) {
      faults.push({ path: `${path}.parameters`, message: '$loop is known only inside the body of a loop' });
    }
  }
  return nesting;
}

/** Triggers in the order in which a run without `triggerNodeId` prefers them: manual ones first. */
function listTriggers(nodes: readonly SoundNode[]): GraphTrigger[] {
  const triggers = nodes.filter(({ type }) => type.isTrigger).map(({ node }) => ({ nodeId: node.id, type: node.type }));
  const isManual = (trigger: GraphTrigger): boolean => trigger.type === 'trigger.manual';
  return [...triggers.filter(isManual), ...triggers.filter((trigger) => !isManual(trigger))];
}
