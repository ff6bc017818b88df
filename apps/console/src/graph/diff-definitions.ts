import {
  type Definition,
  type EdgeDefinition,
  isJsonObject,
  type JsonValue,
  type NodeDefinition,
  type NoteDefinition,
} from '@deckhand/contracts';

/** The kind of a difference. */
export type Change = 'added' | 'removed' | 'changed';

/** A value that differs; undefined on the side that has none. */
export interface ValueChange {
  /** The path to the value, such as `parameters`, `fields`, `sku`. */
  readonly path: readonly (string | number)[];
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** A node that differs. */
export interface NodeChange {
  readonly change: Change;
  /** The node after the change; a removed node as it was before. */
  readonly node: NodeDefinition;
  readonly values: readonly ValueChange[];
}

/** A changed edge. An edge with another target counts as another edge. */
export interface EdgeChange {
  readonly change: 'added' | 'removed';
  readonly edge: EdgeDefinition;
}

/** A note that differs in more than its place and size. */
export interface NoteChange {
  readonly change: Change;
  /** The note after the change; a removed note as it was before. */
  readonly note: NoteDefinition;
}

/** The differences between two definitions: in the order of the later one, then removed parts. */
export interface DefinitionDiff {
  readonly nodes: readonly NodeChange[];
  readonly edges: readonly EdgeChange[];
  readonly settings: readonly ValueChange[];
  readonly notes: readonly NoteChange[];
}

/** Defaults of a node's members: to state one makes no difference. */
const IMPLIED = { parameters: {}, disabled: false, onError: 'stop', onInterrupt: 'rerun' } as const;

/** Compares two definitions by their effect: positions of nodes on the canvas do not matter. */
export function diffDefinitions(before: Definition, after: Definition): DefinitionDiff {
  const nodesBefore = new Map(before.nodes.map((node) => [node.id, node]));
  const idsAfter = new Set(after.nodes.map(({ id }) => id));
  const edgesBefore = new Set(before.edges.map(edgeKey));
  const edgesAfter = new Set(after.edges.map(edgeKey));
  return {
    nodes: [
      ...after.nodes.flatMap((node) => diffNode(nodesBefore.get(node.id), node)),
      ...before.nodes
        .filter(({ id }) => !idsAfter.has(id))
        .map((node): NodeChange => ({ change: 'removed', node, values: diffContents(node, bare(node)) })),
    ],
    edges: [
      ...after.edges
        .filter((edge) => !edgesBefore.has(edgeKey(edge)))
        .map((edge) => ({ change: 'added' as const, edge })),
      ...before.edges
        .filter((edge) => !edgesAfter.has(edgeKey(edge)))
        .map((edge) => ({ change: 'removed' as const, edge })),
    ],
    settings: diffValues(before.settings ?? {}, after.settings ?? {}),
    notes: diffNotes(before.notes ?? [], after.notes ?? []),
  };
}

function diffNotes(before: readonly NoteDefinition[], after: readonly NoteDefinition[]): NoteChange[] {
  const notesBefore = new Map(before.map((note) => [note.id, note]));
  const idsAfter = new Set(after.map(({ id }) => id));
  return [
    ...after.flatMap((note): NoteChange[] => {
      const old = notesBefore.get(note.id);
      if (!old) return [{ change: 'added', note }];
      const isSame = old.text === note.text && (old.color ?? 'yellow') === (note.color ?? 'yellow');
      return isSame ? [] : [{ change: 'changed', note }];
    }),
    ...before.filter(({ id }) => !idsAfter.has(id)).map((note): NoteChange => ({ change: 'removed', note })),
  ];
}

/** Returns the identity of an edge within its definition. */
export function edgeKey({ source, sourceHandle, target, targetHandle }: EdgeDefinition): string {
  return JSON.stringify([source, sourceHandle ?? null, target, targetHandle ?? null]);
}

function diffNode(before: NodeDefinition | undefined, after: NodeDefinition): NodeChange[] {
  if (!before) return [{ change: 'added', node: after, values: diffContents(bare(after), after) }];
  const values = diffContents(before, after);
  return values.length === 0 ? [] : [{ change: 'changed', node: after, values }];
}

function diffContents(before: NodeDefinition, after: NodeDefinition): ValueChange[] {
  return diffValues(contentsOf(before), contentsOf(after));
}

/** Returns a node that has only a type. */
function bare({ id, type }: NodeDefinition): NodeDefinition {
  return { id, type };
}

function contentsOf({ id: _, position: __, ...contents }: NodeDefinition): JsonValue {
  return { ...IMPLIED, ...contents };
}

/** Returns the innermost values that differ. Lists of equal length are compared member by member, others as a whole. */
export function diffValues(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: ValueChange['path'] = [],
): ValueChange[] {
  if (isList(before) && isList(after) && before.length === after.length) {
    return after.flatMap((member, index) => diffValues(before[index], member, [...path, index]));
  }
  if (hasMembers(before, after) || hasMembers(after, before)) {
    const [left, right] = [new Map(membersOf(before)), new Map(membersOf(after))];
    const names = new Set([...right.keys(), ...left.keys()]);
    return [...names].flatMap((name) => diffValues(left.get(name), right.get(name), [...path, name]));
  }
  return before === after ? [] : [{ path, before, after }];
}

/** Returns true if a value is compared member by member with the other one, or with none. */
function hasMembers(value: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (!isJsonObject(value)) return false;
  return isJsonObject(other) || (other === undefined && Object.keys(value).length > 0);
}

function membersOf(value: JsonValue | undefined): [string, JsonValue][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
