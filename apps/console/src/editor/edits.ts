import type { Definition, EdgeDefinition, NodeDefinition, NodeTypeEntry } from '@deckhand/contracts';
import { edgeId } from '../graph/flow.js';
import type { Position } from '../graph/layout.js';

// Each edit takes a definition and answers the next one; nothing is changed in place, so that every step can be undone.

/** How far right of a node the next one is put, in px. */
const STEP_PX = 280;
/** How far below one that is there already. */
const ASIDE_PX = 110;

/** A new node of a type: its id is the type's, with a number once that is taken. */
export function newNode({ nodes }: Definition, type: NodeTypeEntry, position: Position): NodeDefinition {
  const id = freeId(nodes, type.type.split('.').at(-1) ?? 'node');
  return { id, type: type.type, name: type.title, parameters: {}, position: { ...position } };
}

/** Adds a node; with `after`, an edge leads to it from there. */
export function addNode(definition: Definition, node: NodeDefinition, after?: EdgeDefinition): Definition {
  const edges = after === undefined ? definition.edges : [...definition.edges, after];
  return { ...definition, nodes: [...definition.nodes, node], edges };
}

/** A free place right of a node, or of all of them. */
export function placeBeside({ nodes }: Definition, beside?: NodeDefinition): Position {
  const last = beside?.position ?? nodes.at(-1)?.position ?? { x: -STEP_PX, y: 0 };
  const place = { x: last.x + STEP_PX, y: last.y };
  const isTaken = (): boolean =>
    nodes.some(
      ({ position }) => position && Math.abs(position.x - place.x) < 200 && Math.abs(position.y - place.y) < 80,
    );
  while (isTaken()) place.y += ASIDE_PX;
  return place;
}

/** Replaces a node by what `change` makes of it. */
export function changeNode(
  definition: Definition,
  nodeId: string,
  change: (node: NodeDefinition) => NodeDefinition,
): Definition {
  return { ...definition, nodes: definition.nodes.map((node) => (node.id === nodeId ? change(node) : node)) };
}

/** Replaces what holds for the whole workflow; without any of it, nothing is said. */
export function changeSettings(
  { nodes, edges }: Definition,
  settings: NonNullable<Definition['settings']>,
): Definition {
  return { nodes, edges, ...(Object.keys(settings).length === 0 ? {} : { settings }) };
}

/** Takes nodes away, with the edges that led to and from them. */
export function removeNodes(definition: Definition, ids: ReadonlySet<string>): Definition {
  return {
    ...definition,
    nodes: definition.nodes.filter(({ id }) => !ids.has(id)),
    edges: definition.edges.filter(({ source, target }) => !ids.has(source) && !ids.has(target)),
  };
}

/** Connects two nodes; a connection that is there already stays as it is. */
export function connect(definition: Definition, edge: EdgeDefinition): Definition {
  const id = edgeIdOf(edge);
  if (edge.source === edge.target || definition.edges.some((other) => edgeIdOf(other) === id)) return definition;
  return { ...definition, edges: [...definition.edges, edge] };
}

/** Takes edges away, by their ids on the canvas. */
export function disconnect(definition: Definition, ids: ReadonlySet<string>): Definition {
  return { ...definition, edges: definition.edges.filter((edge) => !ids.has(edgeIdOf(edge))) };
}

/** Puts nodes elsewhere. */
export function moveNodes(definition: Definition, places: ReadonlyMap<string, Position>): Definition {
  return {
    ...definition,
    nodes: definition.nodes.map((node) => {
      const place = places.get(node.id);
      return place === undefined ? node : { ...node, position: { x: place.x, y: place.y } };
    }),
  };
}

/** Nodes and the edges among them, to be pasted. */
export interface Clip {
  readonly nodes: readonly NodeDefinition[];
  readonly edges: readonly EdgeDefinition[];
}

/** Copies nodes. */
export function copyNodes({ nodes, edges }: Definition, ids: ReadonlySet<string>): Clip {
  return {
    nodes: nodes.filter(({ id }) => ids.has(id)),
    edges: edges.filter(({ source, target }) => ids.has(source) && ids.has(target)),
  };
}

/** Pastes a copy with ids of its own, a little aside. @returns the definition and the new ids. */
export function paste(definition: Definition, clip: Clip): { definition: Definition; ids: ReadonlySet<string> } {
  const renamed = new Map<string, string>();
  let next = definition;
  for (const node of clip.nodes) {
    const id = freeId(next.nodes, node.id.replace(/\d+$/, ''));
    renamed.set(node.id, id);
    const { x, y } = node.position ?? { x: 0, y: 0 };
    next = addNode(next, { ...node, id, position: { x: x + 40, y: y + 60 } });
  }
  const edges = clip.edges.map((edge) => ({
    ...edge,
    source: renamed.get(edge.source) ?? edge.source,
    target: renamed.get(edge.target) ?? edge.target,
  }));
  return { definition: { ...next, edges: [...next.edges, ...edges] }, ids: new Set(renamed.values()) };
}

function edgeIdOf({ source, sourceHandle, target }: EdgeDefinition): string {
  return edgeId(source, sourceHandle, target);
}

function freeId(nodes: readonly NodeDefinition[], wanted: string): string {
  const taken = new Set(nodes.map(({ id }) => id));
  const stem = wanted === '' ? 'node' : wanted;
  let id = stem;
  for (let number = 2; taken.has(id); number += 1) id = `${stem}${number}`;
  return id;
}
