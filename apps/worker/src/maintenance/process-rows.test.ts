import { createLogger } from '@deckhand/runtime';
import { describe, expect, it } from '@jest/globals';
import { type BadRows, createBadRows } from './bad-rows.ts';
import { createBatchSize } from './batch-size.ts';
import { processRows, type RowWork } from './process-rows.ts';

const logger = createLogger({ name: 'test', level: 'silent' });

class AwayError extends Error {}
class SlowError extends AwayError {}

/** Creates a table of rows `r0`, `r1` ...; acting on a row removes it. */
function table(count: number) {
  const rows = new Set(Array.from({ length: count }, (_, n) => `r${n}`));
  const batches: string[][] = [];
  const reported: string[] = [];
  let now = 0;
  const badRows: BadRows = createBadRows({ task: 't', logger, onAdded: () => undefined, now: () => now });
  const watched: BadRows = {
    ids: badRows.ids,
    add(id, error) {
      reported.push(id);
      badRows.add(id, error);
    },
  };
  const work = (changes: Partial<RowWork<string, string>> = {}): RowWork<string, string> => ({
    find: ({ limit, except }) => Promise.resolve([...rows].filter((row) => !except.includes(row)).slice(0, limit)),
    idOf: (row) => row,
    act(batch) {
      batches.push([...batch]);
      for (const row of batch) rows.delete(row);
      return Promise.resolve(batch);
    },
    maxRows: 10,
    budgetMs: 60_000,
    ...changes,
  });
  const pass = (changes?: Partial<RowWork<string, string>>, signal = new AbortController().signal) =>
    processRows(work(changes), {
      badRows: watched,
      signal,
      isUnavailable: (error) => error instanceof AwayError,
      slow: { isTooSlow: (error) => error instanceof SlowError, batchSize },
    });
  const batchSize = createBatchSize();
  return { rows, batches, reported, pass, setNow: (time: number) => (now = time) };
}

/** Returns an action that fails for a batch with one of these rows. */
function failingFor(bad: readonly string[], rows: Set<string>) {
  return (batch: readonly string[]): Promise<readonly string[]> => {
    if (batch.some((row) => bad.includes(row))) return Promise.reject(new Error('bad row'));
    for (const row of batch) rows.delete(row);
    return Promise.resolve(batch);
  };
}

describe('a pass', () => {
  it('ends with a batch that is too slow, and the next ones find the row in smaller batches', async () => {
    const { rows, reported, pass } = table(100);
    const sizes: number[] = [];
    const act = (batch: readonly string[]): Promise<readonly string[]> => {
      sizes.push(batch.length);
      if (batch.includes('r70')) return Promise.reject(new SlowError('cancelled'));
      for (const row of batch) rows.delete(row);
      return Promise.resolve(batch);
    };
    for (let n = 0; n < 20 && reported.length === 0; n += 1) await pass({ act, maxRows: 100 });
    expect([sizes[0], sizes.filter((size) => size === 100).length, reported]).toEqual([100, 1, ['r70']]);
    await pass({ act, maxRows: 100 });
    expect([...rows]).toEqual(['r70']);
  });

  it('acts on so many batches at once, and not on more', async () => {
    const { rows, pass } = table(45);
    const inProgress: number[] = [];
    let now = 0;
    await pass({
      concurrency: () => 2,
      async act(batch) {
        now += 1;
        await Promise.resolve();
        inProgress.push(now);
        now -= 1;
        for (const row of batch) rows.delete(row);
        return batch;
      },
    });
    expect(rows.size).toBe(0);
    expect(Math.max(...inProgress)).toBe(2);
  });

  it('ends with the error of one batch after the other one is done', async () => {
    const { rows, pass } = table(20);
    const acted = pass({
      concurrency: () => 2,
      async act(batch) {
        if (batch.includes('r0')) throw new AwayError('away');
        await new Promise((resolve) => setImmediate(resolve));
        for (const row of batch) rows.delete(row);
        return batch;
      },
    });
    await expect(acted).rejects.toThrow('away');
    expect(rows.size).toBe(10);
  });

  it('continues until no row is left', async () => {
    const { rows, batches, pass } = table(25);
    await pass();
    expect(rows.size).toBe(0);
    expect(batches.map(({ length }) => length)).toEqual([10, 10, 5]);
  });

  it('skips and reports bad rows, and acts on all others, even after a page of bad rows', async () => {
    const { rows, reported, pass } = table(25);
    const bad = ['r0', 'r7', 'r11'];
    const done: string[] = [];
    await pass({
      act: failingFor(bad, rows),
      onDone: (results) => {
        done.push(...results);
        return Promise.resolve();
      },
      maxRows: 3,
    });
    expect([...rows]).toEqual(bad);
    expect(reported.sort()).toEqual([...bad].sort());
    expect(done).toHaveLength(22);
  });

  it('skips a bad row for some minutes, then tries it again', async () => {
    const { rows, reported, pass, setNow } = table(3);
    await pass({ act: failingFor(['r1'], rows) });
    await pass({ act: failingFor(['r1'], rows) });
    expect(reported).toEqual(['r1']);
    setNow(600_000);
    await pass();
    expect(rows.size).toBe(0);
  });

  it('fails when nearly all rows fail, because the cause is not in the rows', async () => {
    const { rows, reported, pass } = table(40);
    await expect(pass({ act: failingFor([...rows], rows) })).rejects.toThrow('bad row');
    expect(reported.length).toBeLessThan(20);
  });

  it('reports no bad row when the database is unavailable', async () => {
    const { reported, pass } = table(4);
    await expect(pass({ act: () => Promise.reject(new AwayError()) })).rejects.toThrow(AwayError);
    expect(reported).toEqual([]);
  });

  it('reports no bad row when handling the results fails', async () => {
    const { reported, pass } = table(4);
    await expect(pass({ onDone: () => Promise.reject(new Error('Redis is away')) })).rejects.toThrow('Redis is away');
    expect(reported).toEqual([]);
  });

  it('handles the results from before the database became unavailable', async () => {
    const { rows, pass } = table(4);
    const done: string[] = [];
    const failing = failingFor(['r3'], rows);
    const act = (batch: readonly string[]): Promise<readonly string[]> =>
      batch.length === 1 && batch[0] === 'r3' ? Promise.reject(new AwayError()) : failing(batch);
    const onDone = (results: readonly string[]): Promise<void> => {
      done.push(...results);
      return Promise.resolve();
    };
    await expect(pass({ act, onDone })).rejects.toThrow(AwayError);
    expect(done).toEqual(['r0', 'r1', 'r2']);
  });

  it('limits batches by bytes; a larger row has a batch of its own', async () => {
    const { batches, pass } = table(5);
    await pass({ bytesOf: (row) => (row === 'r2' ? 1_000 : 40), maxBytes: 100 });
    expect(batches).toEqual([['r0', 'r1'], ['r2'], ['r3', 'r4']]);
  });

  it('begins no batch after it was aborted', async () => {
    const { batches, rows, pass } = table(30);
    const cutOff = new AbortController();
    const act = (batch: readonly string[]): Promise<readonly string[]> => {
      batches.push([...batch]);
      for (const row of batch) rows.delete(row);
      cutOff.abort();
      return Promise.resolve(batch);
    };
    await pass({ act }, cutOff.signal);
    expect(batches).toHaveLength(1);
  });

  it('begins no batch after its budget is used up', async () => {
    const { batches, pass } = table(30);
    await pass({ budgetMs: 0 });
    expect(batches).toHaveLength(1);
  });
});
