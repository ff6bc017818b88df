import type { Definition, EdgeDefinition, NodeDefinition, NodeTypeEntry, NoteDefinition } from '@deckhand/contracts';
import { toFields } from '../../../forms/schema.ts';
import { edgeId } from '../../../graph/flow.ts';
import { type NodeTypes, outputHandles } from '../../../graph/handles.ts';
import type { Position } from '../../../graph/layout.ts';
import { freeId } from './free-id.ts';
import { addNote, noteKey, withNotes } from './notes.ts';

// Each edit takes a definition and returns the next one. Nothing is changed in place, so every step can be undone.

/** Horizontal distance to a node that is placed next, in px. */
export const STEP_PX = 280;
/** Vertical distance to a node that is already there, in px. */
const ASIDE_PX = 110;

/**
 * Creates a node of a type. Its id is the type's, with a number if that id is taken. A required map begins empty, so
 * that the node can be saved.
 */
export function newNode({ nodes }: Definition, type: NodeTypeEntry, position: Position): NodeDefinition {
  const id = freeId(nodes, type.type.split('.').at(-1) ?? 'node');
  const maps = toFields(type.parameters).filter(({ isRequired, kind }) => isRequired && kind.kind === 'map');
  const parameters = Object.fromEntries(maps.map((field) => [field.name, {}]));
  return { id, type: type.type, name: type.title, parameters, position: { ...position } };
}

/** Adds a node, and the edge `after` to it if given. */
export function addNode(definition: Definition, node: NodeDefinition, after?: EdgeDefinition): Definition {
  const edges = after === undefined ? definition.edges : [...definition.edges, after];
  return { ...definition, nodes: [...definition.nodes, node], edges };
}

/**
 * Returns the node at the end of a plain chain: every node has one output, and leads to one other node at most.
 * Undefined for any other graph.
 */
export function endOfChain({ nodes, edges }: Definition, types: NodeTypes): NodeDefinition | undefined {
  const sources = new Set(edges.map(({ source }) => source));
  const targets = new Set(edges.map(({ target }) => target));
  const isChain =
    edges.length === nodes.length - 1 &&
    sources.size === edges.length &&
    targets.size === edges.length &&
    nodes.every((node) => outputHandles(node, types).length === 1);
  return isChain ? nodes.find(({ id }) => !sources.has(id)) : undefined;
}

/** Returns a free position to the right of a node, or of all nodes. */
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

/** Replaces a node by the result of `change`. */
export function changeNode(
  definition: Definition,
  nodeId: string,
  change: (node: NodeDefinition) => NodeDefinition,
): Definition {
  return { ...definition, nodes: definition.nodes.map((node) => (node.id === nodeId ? change(node) : node)) };
}

/** Replaces the settings of the workflow; removes them if none is set. */
export function changeSettings(
  { settings: _, ...rest }: Definition,
  settings: NonNullable<Definition['settings']>,
): Definition {
  return { ...rest, ...(Object.keys(settings).length === 0 ? {} : { settings }) };
}

/** Removes nodes, their edges, and notes. @param ids those of the canvas. */
export function removeNodes(definition: Definition, ids: ReadonlySet<string>): Definition {
  const { notes = [] } = definition;
  return {
    ...withNotes(
      definition,
      notes.filter(({ id }) => !ids.has(noteKey(id))),
    ),
    nodes: definition.nodes.filter(({ id }) => !ids.has(id)),
    edges: definition.edges.filter(({ source, target }) => !ids.has(source) && !ids.has(target)),
  };
}

/** Connects two nodes. An existing connection stays unchanged. */
export function connect(definition: Definition, edge: EdgeDefinition): Definition {
  const id = edgeIdOf(edge);
  if (edge.source === edge.target || definition.edges.some((other) => edgeIdOf(other) === id)) return definition;
  return { ...definition, edges: [...definition.edges, edge] };
}

/** Removes edges by their ids on the canvas. */
export function disconnect(definition: Definition, ids: ReadonlySet<string>): Definition {
  return { ...definition, edges: definition.edges.filter((edge) => !ids.has(edgeIdOf(edge))) };
}

/** Moves nodes and notes to other positions. @param places by the ids of the canvas. */
export function moveNodes(definition: Definition, places: ReadonlyMap<string, Position>): Definition {
  const { nodes, notes = [] } = definition;
  const movedTo = <T extends object>(part: T, place: Position | undefined): T =>
    place === undefined ? part : { ...part, position: { x: place.x, y: place.y } };
  return {
    ...withNotes(
      definition,
      notes.map((note) => movedTo(note, places.get(noteKey(note.id)))),
    ),
    nodes: nodes.map((node) => movedTo(node, places.get(node.id))),
  };
}

/** Copied nodes, the edges between them, and notes. */
export interface Clip {
  readonly nodes: readonly NodeDefinition[];
  readonly notes: readonly NoteDefinition[];
  readonly edges: readonly EdgeDefinition[];
}

/** Copies nodes and notes. @param ids those of the canvas. */
export function copyNodes({ nodes, edges, notes = [] }: Definition, ids: ReadonlySet<string>): Clip {
  return {
    notes: notes.filter(({ id }) => ids.has(noteKey(id))),
    nodes: nodes.filter(({ id }) => ids.has(id)),
    edges: edges.filter(({ source, target }) => ids.has(source) && ids.has(target)),
  };
}

/** Pastes what was copied under new ids, slightly offset. @returns the definition, and the new ids on the canvas. */
export function paste(definition: Definition, clip: Clip): { definition: Definition; ids: ReadonlySet<string> } {
  const renamed = new Map<string, string>();
  let next = definition;
  for (const node of clip.nodes) {
    const id = freeId(next.nodes, node.id.replace(/\d+$/, ''));
    renamed.set(node.id, id);
    next = addNode(next, { ...node, id, position: offset(node.position ?? { x: 0, y: 0 }) });
  }
  const pasted = new Set(renamed.values());
  for (const note of clip.notes) {
    const added = addNote(next, { ...note, position: offset(note.position) });
    if (added === undefined) break;
    next = added.definition;
    pasted.add(noteKey(added.id));
  }
  const edges = clip.edges.map((edge) => ({
    ...edge,
    source: renamed.get(edge.source) ?? edge.source,
    target: renamed.get(edge.target) ?? edge.target,
  }));
  return { definition: { ...next, edges: [...next.edges, ...edges] }, ids: pasted };
}

function offset({ x, y }: Position): { x: number; y: number } {
  return { x: x + 40, y: y + 60 };
}

function edgeIdOf({ source, sourceHandle, target }: EdgeDefinition): string {
  return edgeId(source, sourceHandle, target);
}
