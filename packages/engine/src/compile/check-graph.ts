import { compileLenientCheck, EdgeDefinition, type ValidationIssue } from '@deckhand/contracts';
import type { ExpressionName, ExpressionReferences } from '../expressions/index.ts';
import { allowsLinks } from '../expressions/links.ts';
import { didYouMean, type SuggestionBudget } from '../similar-name.ts';
import { checkTools } from './agents.ts';
import type { SoundNode } from './check-nodes.ts';
import { findCycle } from './cycles.ts';
import { checkJoins } from './early-joins.ts';
import { isInside, type Nesting, nestContainers } from './loops.ts';

/* Issues of edges, and of what nodes are to each other. */

const checkEdge = compileLenientCheck(EdgeDefinition);

/** Number of edges that are checked in one step. */
const EDGES_A_STEP = 100;
/** Number of outputs that a message names at most. */
const MAX_NAMED_HANDLES = 20;

/** An edge without issues of its own. */
export interface SoundEdge {
  readonly edge: EdgeDefinition;
  readonly path: string;
}

/**
 * Checks edges. Adds to `issues`, until there are `enough`; other work may run at each `yield`.
 * @param ids of all nodes, also of those with issues.
 * @returns the edges without issues of their own, between such nodes.
 */
export function* checkEdges(
  raw: readonly unknown[],
  issues: ValidationIssue[],
  {
    ids,
    nodes,
    enough,
    budget,
  }: {
    readonly ids: ReadonlySet<unknown>;
    readonly nodes: readonly SoundNode[];
    readonly enough: number;
    readonly budget: SuggestionBudget;
  },
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
      if (ids.has(edge[end])) continue;
      const meant = didYouMean(edge[end], byId.keys(), budget);
      issues.push({ path: `${path}.${end}`, message: `there is no node "${edge[end]}"${meant}` });
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
export function* checkGraph(
  nodes: readonly SoundNode[],
  edges: readonly SoundEdge[],
  issues: ValidationIssue[],
  { enough, budget }: { readonly enough: number; readonly budget: SuggestionBudget },
): Generator<undefined, Nesting | undefined> {
  if (!nodes.some(({ type }) => type.isTrigger)) {
    issues.push({ path: 'nodes', message: 'a workflow needs a trigger, such as trigger.manual' });
  }
  yield;
  const cycle = findCycle(
    nodes.map(({ node }) => node.id),
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
  const nesting = nestContainers(nodes, edges);
  issues.push(...nesting.issues.slice(0, enough));
  issues.push(...checkTools(nodes, edges, budget).slice(0, enough));
  const known = new Map(nodes.map((entry) => [entry.node.id, entry]));
  for (const { node, path, type, references, deferred } of nodes) {
    if (issues.length >= enough) break;
    yield;
    const messages = referenceIssues(node.id, references, { known, nesting, names: [], budget });
    issues.push(...messages.map((message) => ({ path: `${path}.parameters`, message })));
    if (!deferred || !type.deferred) continue;
    const { path: name, names } = type.deferred;
    const ofDeferred = referenceIssues(node.id, deferred.references, { known, nesting, names, budget });
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
    budget,
  }: {
    readonly known: ReadonlyMap<string, SoundNode>;
    readonly nesting: Nesting;
    readonly names: readonly ExpressionName[];
    readonly budget: SuggestionBudget;
  },
): string[] {
  const messages = nodes.flatMap((reference) => {
    const around = innermost.get(reference);
    if (!known.has(reference))
      return [`$nodes.${reference}: there is no such node${didYouMean(reference, known.keys(), budget)}`];
    if (around === undefined || isInside(around, nodeId, innermost)) return [];
    const type = known.get(around)?.node.type ?? '';
    return [`$nodes.${reference} is inside ${type} "${around}": outside of it, read $nodes.${around}.output`];
  });
  for (const id of links) messages.push(...linkIssues(id, nodeId, { known, nesting: { innermost }, budget }));
  if (read.has('$response') && !names.includes('$response'))
    messages.push('$response is known only in pagination.next of http nodes');
  if (!read.has('$loop') || names.includes('$loop')) return messages;
  const loop = loopAround(nodeId, { known, nesting: { innermost } });
  if (loop === undefined) return [...messages, '$loop is known only inside the body of a loop'];
  const { mode } = known.get(loop)?.node.parameters ?? {};
  if (!read.has('$loop.previous') || mode === 'while' || mode === 'until') return messages;
  return [...messages, `$loop.previous is known only in loops with a condition: "${loop}" has the mode "items"`];
}

interface KnownNodes {
  readonly known: ReadonlyMap<string, SoundNode>;
  readonly nesting: Pick<Nesting, 'innermost'>;
}

/** Returns why a node cannot read the link of another; empty if it can. */
function linkIssues(id: string, readerId: string, nodes: KnownNodes & { readonly budget: SuggestionBudget }): string[] {
  const entry = nodes.known.get(id);
  if (!entry) return [`$links.${id}: there is no such node${didYouMean(id, nodes.known.keys(), nodes.budget)}`];
  if (!allowsLinks(entry.node)) return [`$links.${id}: the node has no link unless its parameter allowLinks is true`];
  const loop = loopAround(id, nodes);
  if (loop === undefined || isInside(loop, readerId, nodes.nesting.innermost)) return [];
  return [`$links.${id} is inside loop "${loop}": each iteration has a link of its own, known only there`];
}

/** Returns the innermost loop around a node; undefined outside loops. */
function loopAround(nodeId: string, { known, nesting: { innermost } }: KnownNodes): string | undefined {
  let loop = innermost.get(nodeId);
  while (loop !== undefined && known.get(loop)?.type.container === 'try') loop = innermost.get(loop);
  return loop;
}
