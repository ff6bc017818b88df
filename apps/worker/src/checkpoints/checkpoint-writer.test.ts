import {
  type Checkpoint,
  type CheckpointClaim,
  type CheckpointVerdict,
  createDatabase,
  StoreError,
} from '@deckhand/db';
import { describe, expect, it } from '@jest/globals';
import { CheckpointRefusedError, createCheckpointWriter, prepareCheckpoint } from './checkpoint-writer.ts';
import { createJournal, FencedError } from './journal.ts';
import { RetriesEndedError } from './retry-while-unavailable.ts';

const AWAY = new StoreError('the database is away', 'transient');
const NO_COLUMN = new StoreError('column "x" does not exist', 'deployment');
const TOO_LARGE = new StoreError('too large', 'row');

/** Creates a writer over a fake database. `open` creates the journal of a run on it. */
function setUp(write: (batch: readonly Checkpoint[]) => Promise<CheckpointVerdict[]>, concurrency = 1) {
  const batches: Checkpoint[][] = [];
  const ended = new AbortController();
  const writer = createCheckpointWriter({
    write: (batch) => {
      batches.push([...batch]);
      return write(batch);
    },
    prepare: () => undefined,
    ended: ended.signal,
    onRetry: () => undefined,
    concurrency,
    maxSize: 100,
  });
  const open = (
    executionId: string,
    onVerdict: (verdict: CheckpointVerdict) => void = () => undefined,
    claim: CheckpointClaim | null = null,
  ) =>
    createJournal({
      executionId,
      epoch: 1,
      token: 'a token',
      claim,
      writer,
      records: new Map(),
      tallies: new Map(),
      positions: [],
      onClaimed: () => undefined,
      onOutput: () => undefined,
      onVerdict,
    });
  return { batches, open, writer, ended };
}

const record = (nodeId: string) => ({
  nodeId,
  iteration: '',
  status: 'success' as const,
  startedAt: 1,
  finishedAt: 2,
  attempts: 1,
  handle: null,
  output: null,
  error: null,
  state: undefined,
  debug: undefined,
});
const written = (batch: readonly Checkpoint[]) => Promise.resolve(batch.map(() => 'written' as const));

describe('checkpoints', () => {
  it('of many runs are written by one statement', async () => {
    const { batches, open } = setUp(written);
    const journals = ['a', 'b', 'c'].map((id) => open(id));
    for (const journal of journals) journal.record(record('n'));
    await Promise.all(journals.map((journal) => journal.flush()));
    expect(batches.map((batch) => batch.map(({ executionId }) => executionId))).toEqual([['a', 'b', 'c']]);
  });

  it('of one run are written in order, one at a time', async () => {
    let release = (): void => undefined;
    const { batches, open } = setUp(async (batch) => {
      await new Promise<void>((resolve) => (release = resolve));
      return written(batch);
    }, 2);
    const journal = open('a');
    journal.record(record('first'));
    const flushed = journal.flush();
    await new Promise((resolve) => setImmediate(resolve));
    journal.record(record('second'));
    const again = journal.flush();
    await new Promise((resolve) => setImmediate(resolve));
    expect(batches).toHaveLength(1);
    release();
    await flushed;
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    release();
    await again;
    expect(batches.map((batch) => batch[0]?.checkpoint)).toEqual([1, 2]);
  });

  it.each([AWAY, NO_COLUMN, new Error('unknown')])('are retried unchanged after: %s', async (error) => {
    let failures = 2;
    const { batches, open } = setUp((batch) => {
      failures -= 1;
      return failures >= 0 ? Promise.reject(error) : written(batch);
    });
    const journal = open('a');
    journal.record(record('n'));
    await journal.flush();
    expect(batches).toHaveLength(3);
    expect(batches[2]).toEqual(batches[0]);
  });

  it('that the database refuses do not fail others of their batch', async () => {
    const { open } = setUp((batch) =>
      batch.some(({ executionId }) => executionId === 'bad') ? Promise.reject(TOO_LARGE) : written(batch),
    );
    const results = await Promise.allSettled(
      ['a', 'bad', 'b'].map((id) => {
        const journal = open(id);
        journal.record(record('n'));
        return journal.flush();
      }),
    );
    expect(results).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: expect.any(CheckpointRefusedError) },
      { status: 'fulfilled' },
    ]);
  });

  it('are split when their batch keeps failing, because it may be too large', async () => {
    const { batches, open } = setUp((batch) => (batch.length > 1 ? Promise.reject(AWAY) : written(batch)));
    await Promise.all(
      ['a', 'b', 'c'].map((id) => {
        const journal = open(id);
        journal.record(record('n'));
        return journal.flush();
      }),
    );
    const alone = batches.filter(({ length }) => length === 1).flat();
    expect(alone.map(({ executionId }) => executionId)).toEqual(['a', 'b', 'c']);
  });

  it('are not retried once the worker has ended, and no later one of the run is written', async () => {
    let isAway = true;
    const { batches, open, ended, writer } = setUp((batch) => (isAway ? Promise.reject(AWAY) : written(batch)));
    const journal = open('a');
    journal.record(record('first'));
    const flushed = journal.flush();
    journal.record(record('second'));
    ended.abort();
    await expect(flushed).rejects.toThrow(RetriesEndedError);
    isAway = false;
    journal.record(record('third'));
    await expect(journal.flush()).rejects.toThrow(RetriesEndedError);
    await writer.idle();
    expect(batches).toHaveLength(1);
  });

  it('of a provisional run claim it until one is on disk, and are numbered without gaps', async () => {
    const claim = { workerId: 'me', digest: null, begunAt: 1 };
    const { batches, open } = setUp((batch) => (batches.length === 1 ? Promise.reject(TOO_LARGE) : written(batch)));
    const journal = open('a', undefined, claim);
    for (const _ of [1, 2, 3]) {
      journal.record(record('n'));
      await journal.flush().catch(() => undefined);
    }
    expect(batches.map((batch) => batch[0]?.claim)).toEqual([claim, claim, null]);
    expect(batches.map((batch) => batch[0]?.checkpoint)).toEqual([1, 1, 2]);
  });

  it('of a run that another worker has claimed are refused, and nothing is written after that', async () => {
    const verdicts: CheckpointVerdict[] = [];
    const { batches, open } = setUp((batch) => Promise.resolve(batch.map(() => 'fenced')));
    const journal = open('a', (verdict) => verdicts.push(verdict));
    journal.record(record('n'));
    await expect(journal.flush()).rejects.toThrow(FencedError);
    expect(verdicts).toEqual(['fenced']);
    journal.record(record('late'));
    await expect(journal.flush()).rejects.toThrow(FencedError);
    expect(batches).toHaveLength(1);
  });
});

describe('a checkpoint with a file and a large output', () => {
  it('fails once while the stores are unavailable', async () => {
    // Nothing listens there.
    const db = createDatabase({ url: 'postgresql://127.0.0.1:1/none', poolSize: 1 });
    let stored = 0;
    const outputs = {
      put() {
        stored += 1;
        return Promise.reject(AWAY);
      },
      get: () => Promise.reject(AWAY),
      sweep: () => Promise.resolve(0),
      close: () => undefined,
    };
    const file = { id: '0199c0de-5f1e-7a30-8c55-3f2b8a9d1e77', name: '', contentType: '', bytes: 1, sha256: '' };
    const { open, batches, writer } = setUp(written);
    open('run').record({ ...record('a'), output: { file, text: 'x'.repeat(100_000) } });
    await writer.idle();
    const [checkpoint] = batches.flat();
    if (!checkpoint) throw new Error('nothing was written');
    await expect(prepareCheckpoint(db, outputs, checkpoint)).rejects.toThrow();
    expect(stored).toBe(0);
    await db.$disconnect();
  });
});
