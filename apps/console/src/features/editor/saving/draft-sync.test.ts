import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Definition, SavedVersion } from '@deckhand/contracts';
import { type CanvasContent, DraftSync } from './draft-sync.ts';
import { DraftWriter } from './draft-writer.ts';
import { definitionOf, EditorModel } from '../model/editor-model.ts';
import { VersionSaver } from './version-saver.ts';

const EMPTY: Definition = { nodes: [], edges: [] };
const named = (id: string): Definition => ({ nodes: [{ id, type: 'set', position: { x: 0, y: 0 } }], edges: [] });
const idOf = ({ nodes }: Pick<CanvasContent['definition'], 'nodes'>) => nodes[0]?.id;

beforeAll(() => {
  jest.useFakeTimers();
});

/** A canvas whose draft is stored under the tag that counts its saves. */
function open({ isDraft = false } = {}) {
  const model = new EditorModel({
    definition: EMPTY,
    isDraft,
    draftWarnings: [],
    baseVersionId: 'v1',
    selected: new Set(),
    pins: {},
    isReadOnly: false,
    types: new Map(),
    storePins: () => undefined,
  });
  const saved: SavedVersion = { workflowVersionId: 'v2', number: 2, createdAt: '', warnings: [] };
  const versions = new VersionSaver(model, {
    saveVersion: () => Promise.resolve(saved),
    readLatest: () => Promise.resolve({ latestVersionId: 'v2', definition: named('theirs') }),
    onSaved: () => Promise.resolve(),
    onFailed: () => undefined,
  });
  const log: string[] = [];
  const store = {
    isRefusing: false,
    async save(body: CanvasContent) {
      await Promise.resolve();
      if (store.isRefusing) throw new Error('refused');
      log.push(`save ${idOf(body.definition)} on ${body.baseVersionId}`);
      return `tag ${log.length}`;
    },
    async remove(tag: string) {
      await Promise.resolve();
      log.push(`remove ${tag}`);
    },
    read: () => Promise.resolve(null),
    isSame: () => false,
    isConflict: () => store.isRefusing,
  };
  const drafts = new DraftSync(model, versions, new DraftWriter<CanvasContent>(store, null));
  return { model, versions, drafts, store, log, draw: (id: string) => model.apply(() => named(id)) };
}

describe('the draft', () => {
  it('follows edits, and is removed once a version has all of them', async () => {
    const { model, versions, drafts, log, draw } = open();
    drafts.follow(false);
    draw('one');
    model.select(['one']);
    draw('two');
    expect(await drafts.settle()).toBe(true);
    await versions.save();
    expect(await drafts.settle()).toBe(true);
    draw('three');
    await drafts.settle();
    expect(log).toEqual(['save two on v1', 'remove tag 1', 'save three on v2']);
  });

  it('is removed once the edits are undone', async () => {
    const { model, drafts, log, draw } = open();
    drafts.follow(false);
    draw('one');
    await drafts.settle();
    model.undo();
    await drafts.settle();
    expect(log).toEqual(['save one on v1', 'remove tag 1']);
  });

  it('is saved at once if it is an edit that was kept', async () => {
    const { drafts, log } = open({ isDraft: true });
    drafts.follow(true);
    await drafts.settle();
    expect(log).toEqual(['save undefined on v1']);
  });

  it('is not written any more after that is stopped', async () => {
    const { drafts, log, draw } = open();
    const stop = drafts.follow(false);
    draw('one');
    stop();
    draw('two');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(log).toEqual([]);
    expect(drafts.readUnsaved()).toEqual({ definition: named('two'), baseVersionId: 'v1', tag: null });
  });
});

describe('after somebody else has saved a draft', () => {
  async function conflict() {
    const opened = open();
    opened.drafts.follow(false);
    opened.store.isRefusing = true;
    opened.draw('mine');
    expect(await opened.drafts.settle()).toBe(false);
    expect(opened.drafts.readState()).toBe('conflict');
    opened.store.isRefusing = false;
    return opened;
  }

  it('mine replaces theirs', async () => {
    const { drafts, log } = await conflict();
    await drafts.saveMine();
    expect(log).toEqual(['save mine on v1']);
    expect(drafts.readUnsaved()).toBeUndefined();
  });

  it('theirs replaces the canvas, and is not written again', async () => {
    const { model, drafts, log } = await conflict();
    await drafts.loadTheirs({ definition: named('theirs'), baseVersionId: 'v0', warnings: [], tag: 'tag' });
    expect(idOf(definitionOf(model.read()))).toBe('theirs');
    expect(model.read().baseVersionId).toBe('v0');
    expect(drafts.readUnsaved()).toBeUndefined();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(log).toEqual([]);
  });

  it('the version that theirs has become replaces the canvas', async () => {
    const { model, drafts, log } = await conflict();
    await drafts.loadTheirs(null);
    await drafts.settle();
    expect(idOf(definitionOf(model.read()))).toBe('theirs');
    expect(model.read()).toMatchObject({ baseVersionId: 'v2', saved: definitionOf(model.read()) });
    expect(log).toEqual([]);
  });
});
