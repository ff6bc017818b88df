import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DraftWriter } from './draft-writer.ts';

class Conflict extends Error {}

/** A store as the API has it: a write is conditional on the tag. */
class FakeStore {
  content: string | undefined;
  version = 0;
  readonly saves: string[] = [];
  failures = 0;
  /** Number of requests that are served, but whose responses are lost. */
  lost = 0;
  /** Number of requests without a response. */
  hanging = 0;

  get tag(): string | null {
    return this.content === undefined ? null : String(this.version);
  }
  async save(content: string, tag: string | null, signal = new AbortController().signal): Promise<string> {
    await Promise.resolve();
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error('unreachable');
    }
    if (tag !== this.tag) throw new Conflict();
    this.content = content;
    this.saves.push(content);
    this.version += 1;
    await this.#respond(signal);
    return String(this.version);
  }
  async remove(tag: string, signal: AbortSignal): Promise<void> {
    await Promise.resolve();
    if (tag === this.tag) this.content = undefined;
    await this.#respond(signal);
  }
  read(): Promise<{ content: string; tag: string } | null> {
    return Promise.resolve(this.content === undefined ? null : { content: this.content, tag: String(this.version) });
  }
  isSame(sent: string, stored: string): boolean {
    return sent === stored;
  }
  async #respond(signal: AbortSignal): Promise<void> {
    if (this.lost > 0) {
      this.lost -= 1;
      throw new Error('connection lost');
    }
    if (this.hanging === 0) return;
    this.hanging -= 1;
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('timed out'))));
  }
  isConflict(error: unknown): boolean {
    return error instanceof Conflict;
  }
}

let store: FakeStore;
let writer: DraftWriter<string>;

beforeEach(() => {
  jest.useFakeTimers();
  store = new FakeStore();
  writer = new DraftWriter(store, null);
});

describe('a draft', () => {
  it('is saved a second after the last edit, once for all of them', async () => {
    writer.write('a');
    await jest.advanceTimersByTimeAsync(900);
    writer.write('b');
    await jest.advanceTimersByTimeAsync(900);
    expect([store.saves, writer.readState()]).toEqual([[], 'pending']);
    await jest.advanceTimersByTimeAsync(100);
    expect([store.saves, writer.readState()]).toEqual([['b'], 'saved']);
  });

  it('is not saved any more once the page is left, also if the request in flight fails then', async () => {
    store.failures = 1;
    writer.write('a');
    const flushed = writer.flush();
    writer.stop();
    expect(await flushed).toBe(false);
    await jest.advanceTimersByTimeAsync(60_000);
    expect([store.saves, writer.readState()]).toEqual([[], 'failed']);
  });

  it('is saved in the order of the edits, also those during a request', async () => {
    writer.write('a');
    const flushed = writer.flush();
    writer.write('b');
    expect(await flushed).toBe(true);
    writer.write('c');
    await writer.flush();
    expect([store.saves, store.content]).toEqual([['a', 'b', 'c'], 'c']);
  });

  it('is removed once there is nothing to keep, and begun again afterwards', async () => {
    writer.write('a');
    await writer.flush();
    writer.write(null);
    expect(await writer.flush()).toBe(true);
    expect(store.content).toBeUndefined();
    writer.write('b');
    await writer.flush();
    expect(store.content).toBe('b');
  });

  it('is saved again after a failure, with the edits since', async () => {
    store.failures = 1;
    writer.write('a');
    expect([await writer.flush(), writer.readState()]).toEqual([false, 'failed']);
    await jest.advanceTimersByTimeAsync(5_000);
    expect([store.content, writer.readState()]).toEqual(['a', 'saved']);
  });

  it('of somebody else is not overwritten until the person says so', async () => {
    await store.save('theirs', null);
    writer.write('mine');
    expect([await writer.flush(), writer.readState()]).toEqual([false, 'conflict']);
    writer.write('mine, later');
    await jest.advanceTimersByTimeAsync(60_000);
    expect([store.content, writer.readState()]).toEqual(['theirs', 'conflict']);
    await writer.overwrite();
    expect([store.content, writer.readState()]).toEqual(['mine, later', 'saved']);
  });

  it('of somebody else can be continued', async () => {
    await store.save('theirs', null);
    writer.write('mine');
    await writer.flush();
    writer.accept(store.tag);
    writer.write('on top of theirs');
    expect([await writer.flush(), store.content]).toEqual([true, 'on top of theirs']);
  });

  it('whose response was lost is its own: it is replaced by the next, without a conflict', async () => {
    store.lost = 1;
    writer.write('a');
    expect([await writer.flush(), store.content]).toEqual([false, 'a']);
    writer.write('b');
    expect([await writer.flush(), store.content, writer.readState()]).toEqual([true, 'b', 'saved']);
    store.lost = 2;
    writer.write('c');
    await writer.flush();
    await store.save('theirs', store.tag).catch(() => undefined);
    writer.write('d');
    expect([await writer.flush(), store.content, writer.readState()]).toEqual([false, 'theirs', 'conflict']);
  });

  it('whose response was lost is removed, and begun again when the response of that was lost', async () => {
    store.lost = 1;
    writer.write('a');
    await writer.flush();
    store.lost = 1;
    writer.write(null);
    expect([await writer.flush(), store.content]).toEqual([false, undefined]);
    writer.write('b');
    expect([await writer.flush(), store.content, writer.readState()]).toEqual([true, 'b', 'saved']);
  });

  it('is saved again if there is no response in time', async () => {
    store.hanging = 1;
    writer.write('a');
    await jest.advanceTimersByTimeAsync(1_000);
    expect([store.content, writer.readState()]).toEqual(['a', 'pending']);
    await jest.advanceTimersByTimeAsync(30_000);
    expect(writer.readState()).toBe('failed');
    await jest.advanceTimersByTimeAsync(5_000);
    expect([store.content, writer.readState()]).toEqual(['a', 'saved']);
  });
});
