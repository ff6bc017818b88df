import { describe, expect, it } from '@jest/globals';
import { AT_REST, type CanvasCommand, type CanvasEvent, type Gestures, onCanvasEvent } from './canvas-gestures.ts';

const at = (x: number) => ({ x, y: 0 });
const nodes = (...changes: Extract<CanvasEvent, { kind: 'nodesChanged' }>['changes']): CanvasEvent => ({
  kind: 'nodesChanged',
  changes,
});
const edges = (...changes: Extract<CanvasEvent, { kind: 'edgesChanged' }>['changes']): CanvasEvent => ({
  kind: 'edgesChanged',
  changes,
});
const drag = (id: string, x: number, dragging = true) => ({ type: 'position', id, position: at(x), dragging }) as const;
const resize = (width: number, resizing?: boolean) =>
  ({
    type: 'dimensions',
    id: 'note:one',
    dimensions: { width, height: 80.4 },
    ...(resizing !== undefined && { resizing }),
  }) as const;
const select = (id: string, selected = true) => ({ type: 'select', id, selected }) as const;

/** Each gesture: its events, and the commands that they lead to. `one` is selected before. */
const GESTURES: readonly (readonly [string, readonly CanvasEvent[], readonly CanvasCommand[]])[] = [
  [
    'a drag is one move, when it ends',
    [nodes(drag('one', 10), drag('two', 20)), nodes(drag('one', 30)), nodes(drag('one', 30, false))],
    [
      {
        kind: 'move',
        places: new Map([
          ['one', at(30)],
          ['two', at(20)],
        ]),
        step: undefined,
      },
    ],
  ],
  [
    'moves by arrow keys are steps of one name, unlike drags',
    [nodes(drag('one', 5, false)), nodes(drag('one', 10, false))],
    [
      { kind: 'move', places: new Map([['one', at(5)]]), step: 'move one' },
      { kind: 'move', places: new Map([['one', at(10)]]), step: 'move one' },
    ],
  ],
  [
    'a change of a size is one command, in whole px, when it ends',
    [nodes(resize(100.2, true)), nodes(resize(120.7, true)), nodes(resize(120.7, false))],
    [{ kind: 'resize', id: 'note:one', width: 121, height: 80 }],
  ],
  ['a measured size is not a change', [nodes(resize(200))], []],
  [
    'a selection replaces the one before by what is reported',
    [nodes(select('one', false), select('two'), select('three'))],
    [{ kind: 'select', ids: new Set(['two', 'three']) }],
  ],
  ['selected edges are not part of the selection of nodes', [edges(select('a:>b'))], []],
  [
    'a deletion is one command for nodes and edges',
    [
      edges({ type: 'remove', id: 'a:>b' }),
      nodes({ type: 'remove', id: 'one' }),
      { kind: 'deleted', nodeIds: ['one'], edgeIds: ['a:>b'] },
    ],
    [{ kind: 'remove', nodeIds: new Set(['one']), edgeIds: new Set(['a:>b']) }],
  ],
  [
    'a connection is one command',
    [{ kind: 'connected', edge: { source: 'one', target: 'two' } }],
    [{ kind: 'connect', edge: { source: 'one', target: 'two' } }],
  ],
];

function play(events: readonly CanvasEvent[]): { gestures: Gestures; commands: CanvasCommand[] } {
  let gestures = AT_REST;
  const commands: CanvasCommand[] = [];
  for (const event of events) {
    const step = onCanvasEvent(gestures, event, new Set(['one']));
    gestures = step.gestures;
    commands.push(...step.commands);
  }
  return { gestures, commands };
}

describe('on the canvas', () => {
  it.each(GESTURES)('%s', (_, events, commands) => {
    expect(play(events).commands).toEqual(commands);
  });

  it('what is dragged or resized is shown where it is, and nothing afterwards', () => {
    const moving = play([nodes(drag('one', 10)), nodes(resize(100, true))]).gestures;
    expect([...moving.dragged]).toEqual([['one', at(10)]]);
    expect(moving.resized).toEqual({ id: 'note:one', width: 100, height: 80 });
    const ended = play([
      nodes(drag('one', 10)),
      nodes(resize(100, true)),
      nodes(resize(100, false)),
      nodes(drag('one', 10, false)),
    ]).gestures;
    expect(ended).toEqual(AT_REST);
  });

  it('edges stay selected until they are deselected or deleted', () => {
    const events = [edges(select('a:>b'), select('b:>c')), edges(select('b:>c', false))];
    expect([...play(events).gestures.selectedEdges]).toEqual(['a:>b']);
    const deleted = play([...events, { kind: 'deleted', nodeIds: [], edgeIds: ['a:>b'] }]);
    expect([...deleted.gestures.selectedEdges]).toEqual([]);
  });
});
