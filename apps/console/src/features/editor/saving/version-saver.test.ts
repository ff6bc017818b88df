import { describe, expect, it } from '@jest/globals';
import type { Definition, SavedVersion, SaveVersionBody, Workflow } from '@deckhand/contracts';
import { ApiError } from '../../../api/api-error.ts';
import { definitionOf, EditorModel, hasChanges } from '../model/editor-model.ts';
import { VersionSaver } from './version-saver.ts';

const EMPTY: Definition = { nodes: [], edges: [] };
const named = (id: string): Definition => ({ nodes: [{ id, type: 'set', position: { x: 0, y: 0 } }], edges: [] });

/** The saver of a canvas, whose saves end when the test lets them. */
function open() {
  const model = new EditorModel({
    definition: EMPTY,
    isDraft: false,
    draftWarnings: [],
    baseVersionId: null,
    selected: new Set(),
    pins: {},
    isReadOnly: false,
    types: new Map(),
    storePins: () => undefined,
  });
  const sent: { body: SaveVersionBody; end: (error?: Error) => void }[] = [];
  const failures: unknown[] = [];
  let latest: Pick<Workflow, 'latestVersionId' | 'definition'> = { latestVersionId: null, definition: EMPTY };
  const versions = new VersionSaver(model, {
    saveVersion(body) {
      const { promise, resolve, reject } = Promise.withResolvers<SavedVersion>();
      const number = sent.length + 1;
      const version = { workflowVersionId: `v${number}`, number, createdAt: '2026-01-05T08:00:00.000Z', warnings: [] };
      sent.push({
        body,
        end: (error) => (error ? reject(error) : resolve(version)),
      });
      return promise;
    },
    readLatest: () => Promise.resolve(latest),
    onSaved: () => Promise.resolve(),
    onFailed: (error) => void failures.push(error),
  });
  return {
    model,
    versions,
    sent,
    failures,
    draw: (id: string) => model.apply(() => named(id)),
    setLatest: (next: typeof latest) => (latest = next),
    /** Waits until a number of saves were sent. */
    async hasSent(count: number) {
      while (sent.length < count) await Promise.resolve();
    },
  };
}

describe('a save', () => {
  it('sends nothing without changes', async () => {
    const { versions, sent } = open();
    expect(await versions.save()).toBeNull();
    expect(sent).toEqual([]);
  });

  it('is based on the version that the one before it saved', async () => {
    const { model, versions, sent, draw, hasSent } = open();
    draw('one');
    const first = versions.save('first');
    draw('two');
    const second = versions.save('second');
    await hasSent(1);
    expect(sent).toHaveLength(1);
    sent[0]!.end();
    expect(await first).toBe('v1');
    expect(hasChanges(model.read())).toBe(true);
    await hasSent(2);
    sent[1]!.end();
    expect(await second).toBe('v2');
    expect(sent.map(({ body }) => [body.definition.nodes[0]?.id, body.comment, body.baseVersionId])).toEqual([
      ['one', 'first', undefined],
      ['two', 'second', 'v1'],
    ]);
    expect(hasChanges(model.read())).toBe(false);
    expect(model.read().save.kind).toBe('none');
  });

  it('is sent once, however often it is asked for', async () => {
    const { versions, sent, draw, hasSent } = open();
    draw('one');
    const saves = [versions.save(), versions.save()];
    await hasSent(1);
    sent[0]!.end();
    expect(await Promise.all(saves)).toEqual(['v1', 'v1']);
    expect(sent).toHaveLength(1);
  });

  it('that fails reports why, and stops none after it', async () => {
    const { model, versions, sent, failures, draw, hasSent } = open();
    draw('one');
    const first = versions.save();
    await hasSent(1);
    const error = new ApiError(0, { error: 'unreachable' });
    sent[0]!.end(error);
    await expect(first).rejects.toBe(error);
    await versions.settle();
    expect(failures).toEqual([error]);
    expect(model.read().save).toMatchObject({ kind: 'failed', error });
    const second = versions.save();
    await hasSent(2);
    sent[1]!.end();
    expect(await second).toBe('v2');
  });
});

describe('after another version was saved meanwhile', () => {
  async function conflict() {
    const opened = open();
    opened.draw('mine');
    const save = opened.versions.save('why');
    await opened.hasSent(1);
    opened.sent[0]!.end(new ApiError(409, { code: 'CONFLICT' }));
    await expect(save).rejects.toThrow();
    expect(opened.model.read().isStale).toBe(true);
    opened.setLatest({ latestVersionId: 'theirs', definition: named('theirs') });
    return opened;
  }

  it('mine becomes the latest, with its comment', async () => {
    const { model, versions, sent, hasSent } = await conflict();
    const save = versions.saveOnTop();
    await hasSent(2);
    sent[1]!.end();
    await save;
    expect(sent[1]!.body).toMatchObject({ baseVersionId: 'theirs', comment: 'why' });
    expect(model.read().isStale).toBe(false);
  });

  it('theirs replaces the canvas', async () => {
    const { model, versions } = await conflict();
    await versions.takeTheirs();
    expect(definitionOf(model.read()).nodes[0]?.id).toBe('theirs');
    expect(hasChanges(model.read())).toBe(false);
    expect(model.read()).toMatchObject({ isStale: false, baseVersionId: 'theirs' });
  });
});
