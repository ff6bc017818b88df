import {
  compileLenientCheck,
  Definition,
  DEFAULT_TIMEOUT_SECONDS,
  EdgeDefinition,
  type ValidationIssue,
  MAX_ISSUES,
  isJsonObject,
  type JsonObject,
  NodeDefinition,
} from '@deckhand/contracts';
import {
  compileParameters,
  compileTriggerExpression,
  type CompiledParameters,
  type ExpressionName,
  type ExpressionReferences,
  KEY_NAMES,
} from '../expressions/index.ts';
import { mergeReferences } from '../expressions/references.ts';
import type { NodeType, NodeTypes } from '../node-type.ts';
import { buildGraph } from './build-graph.ts';
import { checkCredential } from './check-credential.ts';
import { checkParameters } from './check-parameters.ts';
import { findCycle } from './cycles.ts';
import { separateDeferred } from './deferred.ts';
import { checkJoins } from './early-joins.ts';
import type { CompileResult, GraphTrigger } from './graph.ts';
import { allowsLinks } from './links.ts';
import { isInside, isTry, type Nesting, nestContainers } from './loops.ts';
import type { SoundEdge, SoundNode } from './sound.ts';

const checkDefinition = compileLenientCheck(Definition);
const checkNode = compileLenientCheck(NodeDefinition);
const checkEdge = compileLenientCheck(EdgeDefinition);

/** Number of issues after which checking stops by default: one more than are reported. */
const ENOUGH_ISSUES = MAX_ISSUES + 1;
/** Number of edges that are checked in one step. */
const EDGES_A_STEP = 100;

/**
 * Compiles a definition in one call. Reports all issues of shape and meaning together: valid parts are checked further
 * even if others are invalid.
 */
export function compileWorkflow(definition: unknown, nodeTypes: NodeTypes): CompileResult {
  const steps = compileInSteps(definition, nodeTypes);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * The same in steps: other work may run at each `yield`. No step takes longer than one node, and all steps together
 * take time proportional to the length of the definition.
 * @param enough the number of issues after which checking stops.
 */
export function* compileInSteps(
  definition: unknown,
  nodeTypes: NodeTypes,
  enough = ENOUGH_ISSUES,
): Generator<undefined, CompileResult> {
  const shape = checkDefinition(definition);
  const issues: ValidationIssue[] = 'issues' in shape ? [...shape.issues] : [];
  if (!isJsonObject(definition) || !Array.isArray(definition.nodes) || !Array.isArray(definition.edges)) {
    return { issues };
  }
  // Checking a part that is far too large any further would cost more than it reveals.
  if (issues.some(({ path }) => path === 'nodes' || path === 'edges')) return { issues };

  const rawNodes: readonly unknown[] = definition.nodes;
  const rawEdges: readonly unknown[] = definition.edges;
  yield;
  const nodes = yield* collectNodes(rawNodes, nodeTypes, issues, enough);
  const edges = yield* collectEdges(rawEdges, issues, { ids: new Set(rawNodes.map(idOf)), nodes, enough });
  const nesting = yield* checkGraph(nodes, edges, issues, enough);
  if ('value' in shape) issues.push(...checkKey(shape.value), ...checkNotes(shape.value));
  if (issues.length > 0 || 'issues' in shape || !nesting) return { issues };

  yield;
  const hasChanged = nodes.some(({ node }, index) => node !== shape.value.nodes[index]);
  const saved = hasChanged ? { ...shape.value, nodes: nodes.map(({ node }) => node) } : shape.value;
  const seconds = saved.settings?.timeoutSeconds;
  const graph = buildGraph(nodes, edges, nesting.innermost);
  return {
    workflow: {
      definition: saved,
      timeoutMs: Math.round((seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1_000),
      countsHeldTime: seconds === undefined,
      triggers: listTriggers(nodes),
      usesLocks: nodes.some(({ node }) => node.type === 'lock'),
      usesVars: nodes.some(({ references, deferred }) =>
        [references, deferred?.references].some((read) => read?.names.has('$vars') === true),
      ),
      ...graph,
    },
  };
}

/** Returns the issue of the key that limits the runs of the workflow. */
function checkKey({ settings }: Definition): ValidationIssue[] {
  const key = settings?.concurrency?.key;
  if (key === undefined) return [];
  const compiled = compileTriggerExpression(key, KEY_NAMES);
  return 'message' in compiled ? [{ path: 'settings.concurrency.key', message: compiled.message }] : [];
}

/** Returns the issues of notes with the same id. */
function checkNotes({ notes = [] }: Definition): ValidationIssue[] {
  const ids = new Map<string, number>();
  return notes.flatMap(({ id }, index) => {
    const first = ids.get(id);
    if (first === undefined) ids.set(id, index);
    return first === undefined
      ? []
      : [{ path: `notes[${index}].id`, message: `"${id}" is also the id of notes[${first}]` }];
  });
}

function idOf(node: unknown): unknown {
  return isJsonObject(node) ? node.id : undefined;
}

function* collectNodes(
  raw: readonly unknown[],
  nodeTypes: NodeTypes,
  issues: ValidationIssue[],
  enough: number,
): Generator<undefined, SoundNode[]> {
  const nodes: SoundNode[] = [];
  const ids = new Map<unknown, number>();
  for (const [index, candidate] of raw.entries()) {
    if (issues.length >= enough) break;
    yield;
    const path = `nodes[${index}]`;
    const id = idOf(candidate);
    const first = ids.get(id);
    if (first !== undefined && typeof id === 'string') {
      issues.push({ path: `${path}.id`, message: `"${id}" is also the id of nodes[${first}]` });
    } else {
      ids.set(id, index);
    }
    const checked = checkNode(candidate);
    if ('issues' in checked || first !== undefined) continue;
    const type = nodeTypes.get(checked.value.type);
    if (!type) {
      issues.push({ path: `${path}.type`, message: `"${checked.value.type}" is not a node type` });
      continue;
    }
    const node = withoutNulls(checked.value, type);
    issues.push(...checkCredential(node, type, path));
    const compiled = compileNodeParameters(node, type, path, issues);
    const handles = type.handles?.(node.parameters ?? {}) ?? [];
    if (compiled) nodes.push({ node, path, type, handles: new Set(handles), ...compiled });
  }
  return nodes;
}

/** Returns a node without optional parameters that are null. Those that an expression sets to null stay an error. */
function withoutNulls(node: NodeDefinition, type: NodeType): NodeDefinition {
  if (node.parameters === undefined) return node;
  const parameters = type.withoutNulls(node.parameters);
  return parameters === node.parameters ? node : { ...node, parameters };
}

function compileNodeParameters(
  node: NodeDefinition,
  type: NodeType,
  path: string,
  issues: ValidationIssue[],
): Pick<SoundNode, 'parameters' | 'deferred' | 'source' | 'references'> | undefined {
  const parameters = node.parameters ?? {};
  const own = checkParameters(type, parameters);
  for (const issue of own) {
    issues.push({ path: `${path}.parameters${join(issue.path)}`, message: issue.message });
  }
  const { others, deferred } = type.deferred
    ? separateDeferred(parameters, type.deferred.path)
    : { others: parameters, deferred: undefined };
  const compiled = compileOrReport(others, { type, path, issues });
  const later = deferred && compileOrReport(deferred, { type, path, issues });
  if (!compiled || (deferred && !later)) return undefined;
  const source = own.length === 0 ? type.references?.(parameters) : undefined;
  const references = source ? mergeReferences([compiled.references, source]) : compiled.references;
  return { parameters: compiled, deferred: later, source, references };
}

function compileOrReport(
  parameters: JsonObject,
  { type, path, issues }: { readonly type: NodeType; readonly path: string; readonly issues: ValidationIssue[] },
): CompiledParameters | undefined {
  const compiled = compileParameters(parameters, { verbatim: type.verbatim });
  if ('parameters' in compiled) return compiled.parameters;
  for (const issue of compiled.issues) {
    issues.push({
      path: `${path}.parameters${renderPath(issue.path)}`,
      message: `${issue.message} (at character ${issue.offset + 1})`,
    });
  }
  return undefined;
}

function join(path: string): string {
  return path === '' || path.startsWith('[') ? path : `.${path}`;
}

function renderPath(keys: readonly (string | number)[]): string {
  return keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
}

function* collectEdges(
  raw: readonly unknown[],
  issues: ValidationIssue[],
  {
    ids,
    nodes,
    enough,
  }: { readonly ids: ReadonlySet<unknown>; readonly nodes: readonly SoundNode[]; readonly enough: number },
): Generator<undefined, SoundEdge[]> {
  const byId = new Map(nodes.map((entry) => [entry.node.id, entry]));
  const seen = new Set<string>();
  const edges: SoundEdge[] = [];
  for (const [index, candidate] of raw.entries()) {
    if (issues.length >= enough) break;
    if (index % EDGES_A_STEP === 0) yield;
    const path = `edges[${index}]`;
    const checked = checkEdge(candidate);
    if ('issues' in checked) continue;
    const edge = checked.value;
    const before = issues.length;
    for (const end of ['source', 'target'] as const) {
      if (!ids.has(edge[end])) issues.push({ path: `${path}.${end}`, message: `there is no node "${edge[end]}"` });
    }
    const source = byId.get(edge.source);
    if (source) issues.push(...checkHandle(edge, source, path));
    if (byId.get(edge.target)?.type.isTrigger) {
      issues.push({ path: `${path}.target`, message: `"${edge.target}" is a trigger: nothing leads to it` });
    }
    const key = JSON.stringify([edge.source, edge.sourceHandle, edge.target]);
    if (seen.has(key)) issues.push({ path, message: 'the same edge is there already' });
    seen.add(key);
    if (issues.length === before && source && byId.has(edge.target)) edges.push({ edge, path });
  }
  return edges;
}

/** Number of outputs that a message names at most. */
const MAX_NAMED_HANDLES = 20;

function checkHandle(edge: EdgeDefinition, { node, handles }: SoundNode, path: string): ValidationIssue[] {
  const hasError = node.onError === 'branch';
  const { sourceHandle } = edge;
  if (sourceHandle === undefined ? handles.size === 0 : handles.has(sourceHandle)) return [];
  if (sourceHandle === 'error' && hasError) return [];
  const known = [...handles, ...(hasError ? ['error'] : [])];
  const names = `${known.slice(0, MAX_NAMED_HANDLES).join(', ')}${known.length > MAX_NAMED_HANDLES ? ', …' : ''}`;
  if (sourceHandle === undefined)
    return [{ path: `${path}.sourceHandle`, message: `is required: "${node.id}" leaves by ${names}` }];
  const ways = known.length > 0 ? `its outputs are ${names}` : 'it has a single output, without a name';
  return [{ path: `${path}.sourceHandle`, message: `"${node.id}" has no handle "${sourceHandle}": ${ways}` }];
}

/**
 * Finds issues of the whole graph: no trigger, cycles, loop bodies, references to unknown nodes.
 * @returns how loops and try nodes nest; undefined for a graph with a cycle.
 */
function* checkGraph(
  nodes: readonly SoundNode[],
  edges: readonly SoundEdge[],
  issues: ValidationIssue[],
  enough: number,
): Generator<undefined, Nesting | undefined> {
  const definitions = nodes.map(({ node }) => node);
  if (!nodes.some(({ type }) => type.isTrigger)) {
    issues.push({ path: 'nodes', message: 'a workflow needs a trigger, such as trigger.manual' });
  }
  yield;
  const cycle = findCycle(
    definitions.map(({ id }) => id),
    edges.map(({ edge }) => edge),
  );
  if (cycle.length > 0) {
    issues.push({ path: 'edges', message: `nodes lead back to themselves: ${cycle.slice(0, 20).join(', ')}` });
    return undefined;
  }
  yield;
  const joins = checkJoins(
    nodes,
    edges.map(({ edge }) => edge),
  );
  issues.push(...joins.slice(0, enough));
  const nesting = nestContainers(definitions, edges);
  issues.push(...nesting.issues.slice(0, enough));
  const known = new Map(definitions.map((node) => [node.id, node]));
  for (const { node, path, type, references, deferred } of nodes) {
    if (issues.length >= enough) break;
    yield;
    const messages = referenceIssues(node.id, references, { known, nesting, names: [] });
    issues.push(...messages.map((message) => ({ path: `${path}.parameters`, message })));
    if (!deferred || !type.deferred) continue;
    const { path: name, names } = type.deferred;
    const ofDeferred = referenceIssues(node.id, deferred.references, { known, nesting, names });
    issues.push(...ofDeferred.map((message) => ({ path: `${path}.parameters.${name}`, message })));
  }
  return nesting;
}

/** Returns messages about the data that a node reads and that is not there. @param names those that always are. */
function referenceIssues(
  nodeId: string,
  { nodes, links = [], names: read }: ExpressionReferences,
  {
    known,
    nesting: { innermost },
    names,
  }: {
    readonly known: ReadonlyMap<string, NodeDefinition>;
    readonly nesting: Nesting;
    readonly names: readonly ExpressionName[];
  },
): string[] {
  const messages = nodes.flatMap((reference) => {
    const around = innermost.get(reference);
    if (!known.has(reference)) return [`$nodes.${reference}: there is no such node`];
    if (around === undefined || isInside(around, nodeId, innermost)) return [];
    const type = known.get(around)?.type ?? '';
    return [`$nodes.${reference} is inside ${type} "${around}": outside of it, read $nodes.${around}.output`];
  });
  for (const id of links) messages.push(...linkIssues(id, nodeId, { known, nesting: { innermost } }));
  if (read.has('$response') && !names.includes('$response'))
    messages.push('$response is known only in pagination.next of http nodes');
  if (!read.has('$loop') || names.includes('$loop')) return messages;
  const loop = loopAround(nodeId, { known, nesting: { innermost } });
  if (loop === undefined) return [...messages, '$loop is known only inside the body of a loop'];
  const { mode } = known.get(loop)?.parameters ?? {};
  if (!read.has('$loop.previous') || mode === 'while' || mode === 'until') return messages;
  return [...messages, `$loop.previous is known only in loops with a condition: "${loop}" has the mode "items"`];
}

interface KnownNodes {
  readonly known: ReadonlyMap<string, NodeDefinition>;
  readonly nesting: Pick<Nesting, 'innermost'>;
}

/** Returns why a node cannot read the link of another; empty if it can. */
function linkIssues(id: string, readerId: string, nodes: KnownNodes): string[] {
  const node = nodes.known.get(id);
  if (!node) return [`$links.${id}: there is no such node`];
  if (!allowsLinks(node)) return [`$links.${id}: the node has no link unless its parameter allowLinks is true`];
  const loop = loopAround(id, nodes);
  if (loop === undefined || isInside(loop, readerId, nodes.nesting.innermost)) return [];
  return [`$links.${id} is inside loop "${loop}": each iteration has a link of its own, known only there`];
}

/** Returns the innermost loop around a node; undefined outside loops. */
function loopAround(nodeId: string, { known, nesting: { innermost } }: KnownNodes): string | undefined {
  let loop = innermost.get(nodeId);
  while (loop !== undefined && isTry(known.get(loop)?.type ?? '')) loop = innermost.get(loop);
  return loop;
}

/**
 * Returns the enabled triggers in the order in which a run without `triggerNodeId` prefers them: manual ones first.
 */
function listTriggers(nodes: readonly SoundNode[]): GraphTrigger[] {
  const enabled = nodes.filter(({ node, type }) => type.isTrigger && node.disabled !== true);
  const triggers = enabled.map(({ node }) => ({ nodeId: node.id, type: node.type }));
  const isManual = (trigger: GraphTrigger): boolean => trigger.type === 'trigger.manual';
  return [...triggers.filter(isManual), ...triggers.filter((trigger) => !isManual(trigger))];
}
