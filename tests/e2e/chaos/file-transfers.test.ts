import type { Database } from '@deckhand/db';
import { openFileStore } from '@deckhand/outputs';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createCipheriv, createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { startWorkerStores, type WorkerStores } from '../../harness/call-chain.ts';
import { createRandom, seedWorkflow, stopAll, stopLater, type TestApp, untilCount } from '../../harness/index.ts';
import { OUTPUTS_IN_POSTGRES } from '../../harness/node-context.ts';
import { startTestObjectStore } from '../../harness/object-store.ts';
import { edges } from '../../harness/engine.ts';
import { serve } from '../../harness/serve.ts';

const MIB = 1_048_576;
/** Runs that are interrupted at a random point of a transfer, for each store. */
const POINTS = 25;
/** Runs that begin before each death. */
const RUNS_PER_KILL = 6;

afterAll(stopAll);

/** Creates the content of a file: other bytes for each number, and everywhere in it. */
function contentOf(n: number, bytes: number): Buffer {
  return createCipheriv('aes-128-ctr', createHash('md5').update(String(n)).digest(), Buffer.alloc(16)).update(
    Buffer.alloc(bytes),
  );
}

/** A server whose files are numbered, and that receives them again. */
async function startTransfers(bytes: number) {
  const keys = new Map<string, Set<unknown>>();
  const received = new Set<string>();
  const wrong: string[] = [];
  let moved = 0;
  let onMoved = (): void => undefined;
  function count(length: number): void {
    moved += length;
    onMoved();
  }
  function* counted(content: Buffer): Generator<Buffer> {
    for (let at = 0; at < content.length; at += MIB / 4) {
      yield content.subarray(at, at + MIB / 4);
      count(Math.min(MIB / 4, content.length - at));
    }
  }
  const { url } = await serve((request, response) => {
    const { method = '', url: path = '' } = request;
    const what = `${method} ${path}`;
    keys.set(what, (keys.get(what) ?? new Set()).add(request.headers['idempotency-key']));
    const content = contentOf(Number(path.slice(1)), bytes);
    if (method === 'GET') {
      response.writeHead(200, { 'content-length': bytes });
      void pipeline(counted(content), response).catch(() => undefined);
      return;
    }
    const hash = createHash('sha256');
    request.on('data', (piece: Buffer) => {
      hash.update(piece);
      count(piece.length);
    });
    // Not called for a request that breaks off.
    request.on('end', () => {
      if (hash.digest('hex') !== createHash('sha256').update(content).digest('hex')) wrong.push(path);
      received.add(path);
      response.end('{}');
    });
    request.on('error', () => undefined);
  });
  return {
    url,
    keys,
    received,
    wrong,
    /** Resolves once so many bytes more were sent or received. */
    moves(length: number): Promise<void> {
      const target = moved + length;
      return new Promise((resolve) => {
        onMoved = () => {
          if (moved >= target) resolve();
        };
      });
    },
  };
}

/** Counts the runs that a worker held when it was killed. */
async function runsOf(db: Database, worker: TestApp): Promise<number> {
  const held = await db.execution.findMany({ where: { status: 'running', workerId: { not: null } } });
  return held.filter(({ workerId }) => worker.output().includes(workerId ?? '-')).length;
}

describe.each([
  ['postgres', 4 * MIB + 3],
  ['s3', 9 * MIB + 3],
] as const)('workers that are killed while files move, with files in %s', (kind, bytes) => {
  it('lose no run, send each request again under its key, and leave no content without a run', async () => {
    const random = createRandom();
    const objects = kind === 's3' ? await startTestObjectStore() : undefined;
    const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
    const stores: WorkerStores = await startWorkerStores(objects && { ...objects.env, ...credentials });
    const { db } = stores;
    const settings = {
      ...OUTPUTS_IN_POSTGRES,
      ...(objects && { ...objects.env, OUTPUT_STORE: 's3' as const, S3_REGION: 'x', S3_PREFIX: 'deckhand/' }),
    };
    const files = await openFileStore(settings, db);
    stopLater({ stop: async () => files.close() });
    const transfers = await startTransfers(bytes);
    const url = `${transfers.url}/{{ $trigger.n }}`;
    const seed = await seedWorkflow(db, {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'get', type: 'http', parameters: { url, responseType: 'file' } },
        { id: 'put', type: 'http', parameters: { method: 'PUT', url, body: '{{ $input.body }}' } },
      ],
      edges: edges('start -> get', 'get -> put'),
    });
    let runs = 0;
    async function startRun(): Promise<void> {
      const executionId = await seed.accept({ n: runs });
      runs += 1;
      await stores.queue.add([{ workspaceId: seed.workspaceId, executionId, dispatch: 1 }]);
    }

    const haveSucceeded = () =>
      untilCount(() => db.execution.count({ where: { status: 'success' } }), runs, 'runs that ended');
    let worker = await stores.startWorker();
    let kills = 0;
    for (let points = 0; points < POINTS; kills += 1) {
      // Each file moves twice: to the store, and from it.
      const point = transfers.moves(Math.ceil(random() * 2 * bytes * RUNS_PER_KILL));
      for (let n = 0; n < RUNS_PER_KILL; n += 1) await startRun();
      await point;
      await worker.kill('SIGKILL');
      points += await runsOf(db, worker);
      worker = await stores.startWorker();
      // A run that loses several workers waits before the next one.
      await haveSucceeded();
    }
    await worker.stop();

    expect(transfers.wrong).toEqual([]);
    expect(transfers.received.size).toBe(runs);
    expect([...transfers.keys].filter(([, keys]) => keys.size !== 1)).toEqual([]);

    const age = async () => {
      await db.file.updateMany({ where: { expiresAt: { not: null } }, data: { expiresAt: new Date(0) } });
      await db.unfinishedFile.updateMany({ data: { expiresAt: new Date(0) } });
      while ((await files.sweep(100)) > 0);
    };
    const stored = async () => ({
      files: await db.file.count(),
      unfinished: await db.unfinishedFile.count(),
      parts: await db.filePart.count(),
      objects: objects?.objects.size ?? 0,
      uploads: objects?.uploads().size ?? 0,
    });
    await age();
    const parts = objects ? 0 : runs * Math.ceil(bytes / MIB);
    expect(await stored()).toEqual({ files: runs, unfinished: 0, parts, objects: objects ? runs : 0, uploads: 0 });
    await db.execution.deleteMany();
    await age();
    expect(await stored()).toEqual({ files: 0, unfinished: 0, parts: 0, objects: 0, uploads: 0 });
    process.stdout.write(`file transfers in ${kind}: ${kills} workers killed, at ${POINTS} points or more\n`);
  });
});
