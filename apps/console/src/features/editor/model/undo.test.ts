import { describe, expect, it } from '@jest/globals';
import { compileCheck, Definition } from '@deckhand/contracts';
import fc from 'fast-check';
import { align, type Alignment } from './align.ts';
import {
  addNode,
  changeNode,
  changeSettings,
  connect,
  copyNodes,
  disconnect,
  moveNodes,
  newNode,
  paste,
  placeBeside,
  removeNodes,
} from './edits.ts';
import { begin, edit, redo, undo } from './history.ts';
import { addNote, changeNote, noteKey } from './notes.ts';
import { nodeTypeOf } from '../../../testing/node-type.ts';

const SET = nodeTypeOf('set', { title: 'Edit fields' });
const START: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual', position: { x: 0, y: 0 } },
    { id: 'set', type: 'set', position: { x: 280, y: 0 } },
  ],
  edges: [{ source: 'start', target: 'set' }],
  settings: { timeoutSeconds: 60 },
  notes: [{ id: 'note', text: 'Read me', position: { x: 0, y: 200 } }],
};

const checkShape = compileCheck(Definition);
const keysOf = ({ nodes, notes = [] }: Definition) => [
  ...nodes.map(({ id }) => id),
  ...notes.map(({ id }) => noteKey(id)),
];
/** Returns one of a list, or undefined of an empty one. */
const pick = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)];

/** Every kind of edit that the editor makes, of a part that two numbers choose. */
const EDITS: Readonly<Record<string, (before: Definition, one: number, other: number) => Definition>> = {
  'adds a node': (before) => addNode(before, newNode(before, SET, placeBeside(before))),
  renames: (before, one, other) =>
    changeNode(before, pick(before.nodes, one)?.id ?? '', (node) => ({ ...node, name: `Name ${other}` })),
  'changes parameters': (before, one, other) =>
    changeNode(before, pick(before.nodes, one)?.id ?? '', (node) => ({ ...node, parameters: { value: other } })),
  'changes a setting of a node': (before, one, other) =>
    changeNode(before, pick(before.nodes, one)?.id ?? '', (node) => ({ ...node, timeoutSeconds: other + 1 })),
  'changes settings': (before, one) => changeSettings(before, one % 3 === 0 ? {} : { timeoutSeconds: one + 1 }),
  moves: (before, one, other) => moveNodes(before, new Map([[pick(keysOf(before), one) ?? '', { x: one, y: other }]])),
  aligns: (before, one) => {
    const hows: readonly Alignment[] = ['left', 'center', 'bottom', 'horizontally'];
    const boxes = before.nodes.map(({ id, position = { x: 0, y: 0 } }) => ({ id, position, width: 204, height: 58 }));
    return moveNodes(before, align(boxes, pick(hows, one) ?? 'top'));
  },
  connects: (before, one, other) => {
    const [source, target] = [pick(before.nodes, one), pick(before.nodes, other)];
    return source && target ? connect(before, { source: source.id, target: target.id }) : before;
  },
  disconnects: (before, one) => {
    const edge = pick(before.edges, one);
    return edge ? disconnect(before, new Set([`${edge.source}:>${edge.target}`])) : before;
  },
  removes: (before, one) => removeNodes(before, new Set([pick(keysOf(before), one) ?? ''])),
  pastes: (before, one, other) =>
    paste(before, copyNodes(before, new Set([pick(keysOf(before), one) ?? '', pick(keysOf(before), other) ?? ''])))
      .definition,
  'adds a note': (before, one, other) =>
    addNote(before, { text: '', position: { x: one, y: other } })?.definition ?? before,
  'changes a note': (before, one, other) =>
    changeNote(before, pick(before.notes ?? [], one)?.id ?? '', {
      text: `Text ${other}`,
      width: 100 + other,
      color: 'blue',
    }),
};

const Step = fc.record({
  kind: fc.constantFrom(...Object.keys(EDITS)),
  one: fc.nat(20),
  other: fc.nat(20),
  // Consecutive edits of one name are one step.
  name: fc.constantFrom(undefined, undefined, 'typing'),
});

describe('any edits', () => {
  it('keep the definition well formed; undone they leave the first one, repeated the last one', () => {
    fc.assert(
      fc.property(fc.array(Step, { maxLength: 60 }), (steps) => {
        let history = begin(structuredClone(START));
        for (const { kind, one, other, name } of steps) {
          history = edit(history, EDITS[kind]!(history.present, one, other), name);
          expect(checkShape(history.present)).toHaveProperty('value');
        }
        const last = structuredClone(history.present);
        for (const _ of steps) history = undo(history);
        expect(history.present).toEqual(START);
        expect(history.past).toEqual([]);
        for (const _ of steps) history = redo(history);
        expect(history.present).toEqual(last);
      }),
    );
  });

  it('of the settings keep the notes, and of the notes the settings', () => {
    expect(changeSettings(START, {})).toEqual({ nodes: START.nodes, edges: START.edges, notes: START.notes });
    expect(removeNodes(START, new Set([noteKey('note')]))).toEqual({
      nodes: START.nodes,
      edges: START.edges,
      settings: START.settings,
    });
  });
});

describe('the selection', () => {
  const boxes = [
    { id: 'a', position: { x: 0, y: 0 }, width: 200, height: 60 },
    { id: 'b', position: { x: 30, y: 100 }, width: 100, height: 60 },
    { id: 'c', position: { x: 500, y: 210 }, width: 100, height: 90 },
  ];

  it.each([
    ['left', 'x', [0, 0, 0]],
    ['center', 'x', [200, 250, 250]],
    ['right', 'x', [400, 500, 500]],
    ['top', 'y', [0, 0, 0]],
    ['middle', 'y', [120, 120, 105]],
    ['bottom', 'y', [240, 240, 210]],
    ['horizontally', 'x', [0, 300, 500]],
    ['vertically', 'y', [0, 105, 210]],
  ] as const)('is aligned: %s', (how, axis, expected) => {
    const places = align(boxes, how);
    expect(boxes.map(({ id }) => places.get(id)?.[axis])).toEqual(expected);
    const other = axis === 'x' ? 'y' : 'x';
    expect(boxes.map(({ id }) => places.get(id)?.[other])).toEqual(boxes.map(({ position }) => position[other]));
  });
});
