import {
  CARD_WIDTH,
  cardHeight,
  type Definition,
  type EdgeDefinition,
  FRAME_PADDING,
  FRAME_TITLE_HEIGHT,
  isJsonObject,
  type NodeDefinition,
  type NoteDefinition,
} from '@deckhand/contracts';
import { type Rect, spread } from './spread.ts';
import { noteSide } from './sticky-note.ts';
import { isList } from './workflow.ts';

/** Coordinates beyond this are drawn there, in px: larger numbers are too coarse for the size of a card. */
const FARTHEST = 1_000_000;
/** The width and height of a node in n8n, in px. */
const N8N_SIDE = 96;

/**
 * Moves nodes apart: cards here are wider than in n8n, and one node of n8n may be several. What was to the left of
 * another node or above it still is. Bodies of loops move as a whole, with their frames, and notes with the nodes that
 * they are around. Returns the definition as it is if a node has no position: the console arranges all of them then.
 */
export function* layOut(definition: Definition): Generator<undefined, Definition> {
  const { nodes, edges, notes } = definition;
  const before = new Map(nodes.flatMap((node) => cardOf(node)));
  if (before.size < nodes.length) return definition;
  const cards = new Map(before);
  const frames = new Map<string, { readonly body: ReadonlySet<string>; readonly rect: Rect }>();
  /** Moves nodes and the frames of those that are loops. @returns the rectangle around all of them. */
  function* arrange(ids: readonly string[]): Generator<undefined, Rect | undefined> {
    const items = ids.flatMap((id) => {
      const [card, frame] = [cards.get(id), frames.get(id)];
      return [
        ...(card ? [{ ids: [id], rect: card }] : []),
        ...(frame ? [{ ids: [...frame.body], rect: frame.rect }] : []),
      ];
    });
    const moved = yield* spread(items.map(({ rect }) => rect));
    for (const [index, { ids: contents, rect }] of items.entries()) {
      const [x, y] = [(moved[index]?.x ?? rect.x) - rect.x, (moved[index]?.y ?? rect.y) - rect.y];
      for (const id of contents) {
        const card = cards.get(id);
        if (card) cards.set(id, { ...card, x: card.x + x, y: card.y + y });
      }
    }
    return around(moved);
  }
  const bodies = bodiesOf(definition);
  const contained = new Set<string>();
  for (const [id, body] of bodies) {
    const own = [...body].filter((each) => !contained.has(each));
    for (const each of own) contained.add(each);
    const inside = yield* arrange(own);
    if (inside) frames.set(id, { body, rect: framed(inside) });
  }
  yield* arrange(nodes.map(({ id }) => id).filter((id) => !contained.has(id)));
  return {
    ...definition,
    nodes: nodes.map((node) => {
      const { x, y } = cards.get(node.id) ?? { x: 0, y: 0 };
      return { ...node, position: { x, y } };
    }),
    edges,
    ...(notes && { notes: notes.map((note) => moveNote(note, before, cards)) }),
  };
}

/** Returns the card of a node where it was in n8n, by its id. */
function cardOf({ id, position, ...node }: NodeDefinition): [string, Rect][] {
  if (!position) return [];
  const { x, y } = position;
  return [[id, { x: near(x), y: near(y), width: CARD_WIDTH, height: cardHeight(countHandles(node)) }]];
}

function near(coordinate: number): number {
  return Math.round(Math.min(Math.max(coordinate, -FARTHEST), FARTHEST));
}

/** Returns how many named outputs a node has, of the types that n8n's nodes become. */
function countHandles({ type, parameters, onError }: Omit<NodeDefinition, 'id'>): number {
  const errors = onError === 'branch' ? 1 : 0;
  if (type === 'if' || type === 'loop') return 2 + errors;
  if (type === 'try') return 3;
  const cases = isJsonObject(parameters) && isList(parameters.cases) ? parameters.cases.length : 0;
  return (type === 'switch' ? cases + 1 : 0) + errors;
}

/** Returns all nodes in the body of each loop, inner loops first. */
function bodiesOf({ edges }: { readonly edges: readonly EdgeDefinition[] }): [string, ReadonlySet<string>][] {
  const outgoing = Map.groupBy(edges, ({ source }) => source);
  const bodies = Map.groupBy(
    edges.filter(({ sourceHandle }) => sourceHandle === 'body'),
    ({ source }) => source,
  );
  return [...bodies]
    .map(([id, first]): [string, ReadonlySet<string>] => {
      const body = new Set(first.map(({ target }) => target));
      for (const each of body) for (const { target } of outgoing.get(each) ?? []) body.add(target);
      return [id, body];
    })
    .toSorted(([, one], [, other]) => one.size - other.size);
}

/** Returns the smallest rectangle around others; undefined without any. */
function around(rects: readonly Rect[]): Rect | undefined {
  if (rects.length === 0) return undefined;
  const x = rects.reduce((least, each) => Math.min(least, each.x), Infinity);
  const y = rects.reduce((least, each) => Math.min(least, each.y), Infinity);
  const right = rects.reduce((most, each) => Math.max(most, each.x + each.width), -Infinity);
  const bottom = rects.reduce((most, each) => Math.max(most, each.y + each.height), -Infinity);
  return { x, y, width: right - x, height: bottom - y };
}

/** Returns the frame around a body. */
function framed({ x, y, width, height }: Rect): Rect {
  const above = FRAME_PADDING + FRAME_TITLE_HEIGHT;
  return {
    x: x - FRAME_PADDING,
    y: y - above,
    width: width + 2 * FRAME_PADDING,
    height: height + FRAME_PADDING + above,
  };
}

/** Returns a note around the nodes that it was around, or as far moved as the node that was nearest to it. */
function moveNote(
  note: NoteDefinition,
  before: ReadonlyMap<string, Rect>,
  after: ReadonlyMap<string, Rect>,
): NoteDefinition {
  const { width = 0, height = 0 } = note;
  const [x, y] = [near(note.position.x), near(note.position.y)];
  const inN8n = [...before].map(([id, each]) => ({ id, rect: { ...each, width: N8N_SIDE, height: N8N_SIDE } }));
  const isInside = ({ rect }: { rect: Rect }): boolean => {
    const middle = { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
    return middle.x >= x && middle.y >= y && middle.x <= x + width && middle.y <= y + height;
  };
  const inside = inN8n.filter(isInside);
  const was = around(inside.map(({ rect }) => rect));
  const is = around(inside.flatMap(({ id }) => after.get(id) ?? []));
  if (was && is) {
    return {
      ...note,
      position: { x: x + is.x - was.x, y: y + is.y - was.y },
      width: noteSide(width + is.width - was.width),
      height: noteSide(height + is.height - was.height),
    };
  }
  const distance = ({ rect }: { rect: Rect }): number =>
    Math.hypot(rect.x - (x + width / 2), rect.y - (y + height / 2));
  const nearest = inN8n.reduce((one, other) => (distance(other) < distance(one) ? other : one), inN8n[0] ?? NOWHERE);
  const moved = after.get(nearest.id) ?? nearest.rect;
  return { ...note, position: { x: x + moved.x - nearest.rect.x, y: y + moved.y - nearest.rect.y } };
}

const NOWHERE = { id: '', rect: { x: 0, y: 0, width: 0, height: 0 } };
