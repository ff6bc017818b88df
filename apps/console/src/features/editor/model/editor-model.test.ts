import { describe, expect, it } from '@jest/globals';
import { type Definition, type JsonObject, warningOf } from '@deckhand/contracts';
import { ApiError } from '../../../api/api-error.ts';
import {
  canPin,
  definitionOf,
  draftWarningsOf,
  EditorModel,
  hasChanges,
  issuesOf,
  parsePins,
  pinnedOutputs,
  refusalOf,
  selectedNode,
  warningsOf,
} from './editor-model.ts';
import { nodeTypeOf } from '../../../testing/node-type.ts';

const SET = nodeTypeOf('set');
const TYPES = new Map(
  [SET, nodeTypeOf('trigger.manual', { isTrigger: true }), nodeTypeOf('if', { handles: ['true', 'false'] })].map(
    (entry) => [entry.type, entry],
  ),
);
const TWO: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual', position: { x: 0, y: 0 } },
    { id: 'set', type: 'set', position: { x: 280, y: 0 } },
  ],
  edges: [{ source: 'start', target: 'set' }],
};

function open(more: Partial<ConstructorParameters<typeof EditorModel>[0]> = {}) {
  const stored: JsonObject[] = [];
  const model = new EditorModel({
    definition: TWO,
    isDraft: false,
    draftWarnings: [],
    baseVersionId: 'v1',
    selected: new Set(),
    pins: {},
    isReadOnly: false,
    types: TYPES,
    storePins: (pins) => void stored.push(pins),
    ...more,
  });
  const idsOf = () => definitionOf(model.read()).nodes.map(({ id }) => id);
  return { model, stored, idsOf };
}

const rename = (name: string) => (before: Definition) => ({
  ...before,
  nodes: before.nodes.map((node) => ({ ...node, name })),
});

it('the warnings about a draft are shown while the canvas has what was saved', () => {
  const warning = warningOf('NODE_UNREACHABLE', { path: 'definition.nodes[1]', nodeId: 'set', message: 'Alone.' });
  const { model } = open({ isDraft: true, draftWarnings: [warning] });
  const shown = () => draftWarningsOf(model.read()).map(({ place, title }) => `${place}: ${title}`);
  expect(shown()).toEqual(['set: The node never runs']);
  model.apply(rename('Named'));
  expect(shown()).toEqual([]);
  model.markDrafted(definitionOf(model.read()), [warning]);
  expect(shown()).toEqual(['Named: The node never runs']);
  // Once it is a version, its own warnings are shown.
  model.markSaved(definitionOf(model.read()), { workflowVersionId: 'v2', warnings: [warning] });
  expect(shown()).toEqual([]);
  model.loadDraft({ definition: TWO, baseVersionId: null, warnings: [] });
  expect(shown()).toEqual([]);
});

describe('the warnings about a saved definition', () => {
  const warning = warningOf('NODE_UNREACHABLE', { path: 'definition.nodes[1]', nodeId: 'set', message: 'Alone.' });

  function save() {
    const { model } = open();
    model.apply(rename('Named'));
    const version = { workflowVersionId: 'v2', warnings: [warning, { ...warning, nodeId: 'gone' }] };
    model.markSaved(definitionOf(model.read()), version);
    return { model, shown: () => warningsOf(model.read()).map(({ place, title }) => `${place}: ${title}`) };
  }

  it('name their nodes as the canvas does', () => {
    expect(save().shown()).toEqual(['Named: The node never runs', 'Workflow: The node never runs']);
  });

  it('are shown until the definition is another one, or they are hidden', () => {
    const { model, shown } = save();
    model.apply(rename('Changed'));
    expect(shown()).toEqual([]);
    model.undo();
    expect(shown()).toHaveLength(2);
    model.forgetWarnings();
    expect(shown()).toEqual([]);
    const other = save();
    other.model.load(TWO, 'v3');
    expect(other.shown()).toEqual([]);
  });
});

/** The commands that change the definition. */
const COMMANDS: Readonly<Record<string, (model: EditorModel) => unknown>> = {
  apply: (model) => model.apply(rename('Named')),
  add: (model) => model.add(SET, { kind: 'next' }),
  addNote: (model) => model.addNote({ text: '', position: { x: 0, y: 0 } }),
  remove: (model) => model.remove(new Set(['set'])),
  paste: (model) => model.paste({ nodes: TWO.nodes.slice(1), edges: [], notes: [] }),
  restore: (model) => model.restore({ nodes: [], edges: [] }),
};

describe('a command', () => {
  it.each(Object.entries(COMMANDS))('is one step, which can be undone and redone: %s', (_, act) => {
    const { model } = open();
    const before = definitionOf(model.read());
    act(model);
    const after = definitionOf(model.read());
    expect(after).not.toEqual(before);
    expect(hasChanges(model.read())).toBe(true);
    model.undo();
    expect(definitionOf(model.read())).toBe(before);
    expect(hasChanges(model.read())).toBe(false);
    model.redo();
    expect(definitionOf(model.read())).toBe(after);
  });

  it.each(Object.entries(COMMANDS))('changes nothing that is only read: %s', (_, act) => {
    const { model } = open({ isReadOnly: true });
    const before = definitionOf(model.read());
    act(model);
    expect(definitionOf(model.read())).toBe(before);
    model.setReadOnly(false);
    act(model);
    model.setReadOnly(true);
    const edited = definitionOf(model.read());
    model.undo();
    expect(definitionOf(model.read())).toBe(edited);
  });

  it('reaches each listener once per change of the state, until that is stopped', () => {
    const { model } = open();
    let calls = 0;
    const stop = model.watch(() => (calls += 1));
    model.apply(rename('Named'));
    model.select(['set']);
    stop();
    model.undo();
    expect(calls).toBe(2);
  });
});

describe('the selection', () => {
  it('follows what is added, pasted and removed', () => {
    const { model, idsOf } = open({ selected: new Set(['set']) });
    expect(selectedNode(model.read())?.id).toBe('set');
    expect(model.add(SET, { kind: 'next' }).id).toBe('set2');
    expect([...model.read().selected]).toEqual(['set2']);
    expect(definitionOf(model.read()).edges.at(-1)).toEqual({ source: 'set', target: 'set2' });
    model.paste({ nodes: TWO.nodes.slice(1), edges: [], notes: [] });
    expect([...model.read().selected]).toEqual(['set3']);
    model.select(['set', 'set2']);
    expect(selectedNode(model.read())).toBeUndefined();
    model.remove(new Set(['set2']));
    expect([...model.read().selected]).toEqual(['set']);
    expect(idsOf()).toEqual(['start', 'set', 'set3']);
  });

  it('of a note selects no node', () => {
    const { model } = open({ selected: new Set(['note:set']) });
    expect(selectedNode(model.read())).toBeUndefined();
    // As without a selection, the node continues the chain.
    model.add(SET, { kind: 'next' });
    expect(definitionOf(model.read()).edges.at(-1)).toEqual({ source: 'set', target: 'set2' });
  });
});

describe('the dialog', () => {
  it('is one at a time, and closes by its kind only', () => {
    const { model } = open();
    model.open({ kind: 'run' });
    model.open({ kind: 'settings' });
    model.close('run');
    expect(model.read().dialog).toEqual({ kind: 'settings' });
    model.close('settings');
    expect(model.read().dialog).toBeUndefined();
    model.open({ kind: 'add', spot: { kind: 'next' } });
    model.add(SET, { kind: 'next' });
    expect(model.read().dialog).toBeUndefined();
  });
});

describe('a save', () => {
  const issue = { path: 'definition.nodes[1].parameters.fields', message: 'is required' };
  const refused = new ApiError(400, { error: 'invalid', code: 'VALIDATION_FAILED', details: [issue] });

  it('that is refused has issues until the next edit, and again once that is undone', () => {
    const { model } = open();
    model.apply(rename('Named'));
    const request = { definition: definitionOf(model.read()), comment: 'first' };
    model.beginSave(request);
    model.failSave(request, refused);
    expect(issuesOf(model.read()).map(({ nodeId, text }) => [nodeId, text])).toEqual([['set', 'fields is required']]);
    expect(refusalOf(model.read())).toBe(refused);
    model.apply(rename('Again'));
    expect(issuesOf(model.read())).toEqual([]);
    expect(refusalOf(model.read())).toBeUndefined();
    model.undo();
    expect(issuesOf(model.read())).toHaveLength(1);
    model.forgetSave();
    expect(model.read().save).toEqual({ kind: 'none' });
  });

  it('that is stale says so, until a version is saved or loaded', () => {
    const { model } = open();
    const request = { definition: definitionOf(model.read()), comment: '' };
    const stale = new ApiError(409, { error: 'stale', code: 'CONFLICT' });
    for (const end of [
      () => model.markSaved(request.definition, { workflowVersionId: 'v2', warnings: [] }),
      () => model.load(TWO, 'v2'),
      () => model.forgetSave(),
    ]) {
      model.beginSave(request);
      model.failSave(request, stale);
      expect(model.read().isStale).toBe(true);
      end();
      expect(model.read().isStale).toBe(false);
    }
    expect(model.read().baseVersionId).toBe('v2');
  });

  it('keeps the state of a later one when it is done', () => {
    const { model } = open();
    const [first, second] = ['1', '2'].map((comment) => ({ definition: TWO, comment }));
    model.beginSave(first!);
    model.beginSave(second!);
    model.endSave(first!);
    expect(model.read().save).toEqual({ kind: 'pending', request: second });
    model.failSave(first!, refused);
    expect(model.read().save.kind).toBe('pending');
    model.endSave(second!);
    expect(model.read().save.kind).toBe('none');
  });
});

describe('pinned outputs', () => {
  it('are those of nodes on the canvas that have one output, and are stored', () => {
    const { model, stored } = open({ pins: { gone: 1, start: 2 } });
    const outputs = () => pinnedOutputs(model.read().pins, definitionOf(model.read()), TYPES);
    expect(outputs()).toEqual({});
    expect(model.pin('set', { sum: 3 })).toBe(true);
    expect(outputs()).toEqual({ set: { sum: 3 } });
    expect(stored).toEqual([{ set: { sum: 3 } }]);
    expect(canPin({ id: 'if', type: 'if' }, TYPES)).toBe(false);
    model.remove(new Set(['set']));
    expect(outputs()).toEqual({});
    model.undo();
    expect(outputs()).toEqual({ set: { sum: 3 } });
    model.unpin('set');
    expect(outputs()).toEqual({});
  });

  it('stay as they are if another one would make them too large', () => {
    const { model, stored } = open();
    expect(model.pin('set', 'x'.repeat(50_000_000))).toBe(false);
    expect(model.read().pins).toEqual({});
    expect(stored).toEqual([]);
  });

  it.each([[null], ['{'], ['[1]'], ['"text"']])('of a storage that has %s are none', (text) => {
    expect(parsePins(text)).toEqual({});
  });
});
