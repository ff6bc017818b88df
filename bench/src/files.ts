import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDiskObjectStore } from './disk-object-store.ts';
import { withRssPeak } from './rss.ts';
import { post, type Stack, type StackOptions, startStack } from './stack.ts';

/** Between two samples of the heap, and two checks of the run, in ms. */
const POLL_MS = 250;
/** After this time, a worker without work has collected its garbage, in ms. */
const REST_MS = 5_000;
const MEBIBYTE = 1_048_576;

/** What moving a file through a worker takes. */
export interface FilesResult {
  readonly store: string;
  readonly megabytes: number;
  readonly seconds: number;
  /** Resident memory of the worker at rest, after a file of 1 MiB, in MB; and the highest one afterwards. */
  readonly restMb: number;
  readonly peakMb: number;
  /** Its JavaScript heap in use, the highest of the samples, in MB; and the bytes of buffers. */
  readonly heapMb: number;
  readonly buffersMb: number;
  /** Whether the file arrived as it was sent. */
  readonly isRight: boolean;
}

/**
 * Moves a file from `http` to the store and from there to another `http`, with files in each store in turn. The worker
 * moves a file of 1 MiB first: what it loads for that does not depend on the length.
 * @param only a part of the names of the stores.
 */
export async function files(megabytes: number, only: string, options: StackOptions): Promise<FilesResult[]> {
  const results: FilesResult[] = [];
  const objects = await startDiskObjectStore();
  try {
    for (const [store, env] of [
      ['postgres', {}],
      ['s3', objects.env],
    ] as const) {
      if (!store.includes(only)) continue;
      const room = { FILE_MAX_BYTES: '68719476736', FILE_MAX_RUN_BYTES: '1099511627776' };
      const stack = await startStack({ ...options, workerEnv: { ...env, ...room } });
      try {
        await move(stack, 1);
        await sleep(REST_MS);
        results.push({ store, megabytes, ...(await move(stack, megabytes)) });
      } finally {
        await stack.stop();
      }
    }
    return results;
  } finally {
    await objects.stop();
  }
}

async function move(stack: Stack, megabytes: number): Promise<Omit<FilesResult, 'store' | 'megabytes'>> {
  const transfer = await startTransfer(megabytes);
  try {
    const start = performance.now();
    let heap = { heapMb: 0, buffersMb: 0 };
    const { before, peak } = await withRssPeak(stack.worker.pid, async () => {
      const { executionId } = await startRun(stack, transfer.url);
      for (;;) {
        const now = await heapOf(stack.metricsUrls.worker);
        heap = { heapMb: Math.max(heap.heapMb, now.heapMb), buffersMb: Math.max(heap.buffersMb, now.buffersMb) };
        const { status, error } = await stack.db.execution.findUniqueOrThrow({ where: { id: executionId } });
        if (status === 'success') return;
        if (status === 'failed') throw new Error(`the run failed: ${JSON.stringify(error)}`);
        await sleep(POLL_MS);
      }
    });
    const seconds = Math.round((performance.now() - start) / 1_000);
    return { seconds, restMb: before, peakMb: peak, ...heap, isRight: transfer.isRight() };
  } finally {
    await transfer.stop();
  }
}

/** Serves a file of random bytes, and receives it again. */
async function startTransfer(megabytes: number) {
  const [key, iv] = [randomBytes(16), randomBytes(16)];
  const sent = createHash('sha256');
  const received = createHash('sha256');
  let [sentDigest, receivedDigest] = ['', ''];
  function* content(): Generator<Buffer> {
    const cipher = createCipheriv('aes-128-ctr', key, iv);
    const zeros = Buffer.alloc(MEBIBYTE);
    for (let n = 0; n < megabytes; n += 1) {
      const piece = cipher.update(zeros);
      sent.update(piece);
      yield piece;
    }
    sentDigest = sent.digest('hex');
  }
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-length': megabytes * MEBIBYTE });
      void pipeline(Readable.from(content()), response).catch(() => undefined);
      return;
    }
    request.on('data', (piece: Buffer) => received.update(piece));
    request.on('end', () => {
      receivedDigest = received.digest('hex');
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}/file`,
    isRight: () => sentDigest !== '' && sentDigest === receivedDigest,
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function startRun(stack: Stack, url: string): Promise<{ executionId: string }> {
  const definition = {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'get', type: 'http', parameters: { url, responseType: 'file' } },
      { id: 'put', type: 'http', parameters: { method: 'PUT', url, body: '{{ $input.body }}' } },
    ],
    edges: [
      { source: 'start', target: 'get' },
      { source: 'get', target: 'put' },
    ],
    settings: { timeoutSeconds: 86_400 },
  };
  const as = { 'x-api-key': stack.apiKey };
  const body = { workspaceId: stack.workspaceId, name: 'Files', definition };
  const { id } = await post<{ id: string }>(stack.url, '/api/workflows', body, as);
  return post(stack.url, `/api/workflows/${id}/execute`, {}, as);
}

async function heapOf(metricsUrl: string): Promise<{ heapMb: number; buffersMb: number }> {
  const text = await (await fetch(metricsUrl)).text();
  const megabytes = (name: string): number =>
    Math.round(Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? 0) / MEBIBYTE);
  return {
    heapMb: megabytes('nodejs_heap_size_used_bytes'),
    buffersMb: megabytes('nodejs_external_memory_bytes'),
  };
}
