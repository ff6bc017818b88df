import type { EventPayload } from '@deckhand/contracts';
import {
  ConnectionError,
  createDeckhand,
  type Deckhand,
  DeckhandError,
  RunFailedError,
  type WebhookEvent,
} from '@deckhand/sdk';
import { listVariables } from '@deckhand/sdk/operations';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  chain,
  createWorkflow,
  type Instance,
  startInstance,
  startTcpProxy,
  startTestWorker,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let deckhand: Deckhand;

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance);
  deckhand = createDeckhand({ baseUrl: `${instance.gateway.url}/`, apiKey: instance.key });
});
afterAll(stopAll);

const DOUBLE = chain(
  { id: 'total', type: 'set', parameters: { fields: { total: '{{ $trigger.amount * 2 }}' } } },
  { id: 'end', type: 'terminal', parameters: { body: '{{ $input.total }}' } },
);
const ASK = chain({ id: 'ask', type: 'approval', parameters: { message: 'Refund?' } });

/** Returns a fetch whose first `losses` responses get lost, after the server has sent them. */
function losing(losses: number): (request: Request) => Promise<Response> {
  let lost = 0;
  return async (request) => {
    const response = await fetch(request);
    if (lost >= losses) return response;
    lost += 1;
    await response.body?.cancel();
    throw new TypeError('connection reset');
  };
}

/** Starts a server. @returns its URL. */
async function listen(respond: RequestListener): Promise<string> {
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stopLater({
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}`;
}

describe('a run', () => {
  it('is started with an input, and its result is returned', async () => {
    const run = await deckhand.workflows.execute(await createWorkflow(instance, DOUBLE), { amount: 21 });
    expect(await run.result()).toBe(42);
    expect(await run.get()).toMatchObject({ status: 'success', progress: { total: { output: { total: 42 } } } });
  });

  it('is started for each item of a batch that is not refused, and once although the response got lost', async () => {
    const lossy = createDeckhand({ baseUrl: instance.gateway.url, apiKey: instance.key, fetch: losing(1) });
    const workflowId = await createWorkflow(instance, DOUBLE);
    const items = [{ input: { amount: 1 } }, { tags: ['a b'] }, { input: { amount: 2 } }];
    const results = await lossy.workflows.executeBatch(workflowId, items);
    expect(results[1]?.error).toBeInstanceOf(DeckhandError);
    expect(results[1]?.error).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    expect(await Promise.all([results[0]?.run?.result(), results[2]?.run?.result()])).toEqual([2, 4]);
    expect(await instance.db.execution.count({ where: { workflowId } })).toBe(2);
  });

  it('without an End node has the result null', async () => {
    const run = await deckhand.workflows.execute(
      await createWorkflow(instance, chain({ id: 'a', type: 'set', parameters: { fields: {} } })),
    );
    expect(await run.result()).toBeNull();
  });

  it('that fails rejects its result with the error and the node', async () => {
    const workflowId = await createWorkflow(
      instance,
      chain({ id: 'no', type: 'fail', parameters: { message: 'out of stock' } }),
    );
    const run = await deckhand.workflows.execute(workflowId);
    const error = await run.result().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RunFailedError);
    expect(error).toMatchObject({ status: 'failed', error: { nodeId: 'no', message: 'out of stock' } });
  });

  it('that waits for a person is waited for, and not asked for again and again', async () => {
    let requests = 0;
    const counting = createDeckhand({
      baseUrl: instance.gateway.url,
      apiKey: instance.key,
      fetch: (request) => {
        requests += 1;
        return fetch(request);
      },
    });
    const run = await counting.workflows.execute(await createWorkflow(instance, ASK));
    const finished = run.finished();
    await until(async () => (await deckhand.runs.of(run.id).get()).status === 'waiting_for_input');
    const [approval] = await deckhand.approvals.list(instance.workspaceId);
    expect(approval).toMatchObject({ id: run.id, currentNodeId: 'ask' });
    await deckhand.approvals.submit({ executionId: run.id, nodeId: 'ask', approved: true });
    expect(await finished).toMatchObject({ status: 'success' });
    // The start, and a response for each change of the run at most.
    expect(requests).toBeLessThan(8);
  });

  it('stops when asked, and a wait for it ends at its own time limit or signal', async () => {
    const run = await deckhand.workflows.execute(await createWorkflow(instance, ASK));
    await expect(run.finished({ timeoutMs: 50 })).rejects.toMatchObject({ name: 'TimeoutError' });
    await expect(run.finished({ signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
    await run.stop();
    expect(await run.finished()).toMatchObject({ status: 'stopped' });
  });
});

/** The client has the types of the payloads that are sent, and of no others. */
export const asClient = (payload: EventPayload): WebhookEvent => payload;
export const asSent = (event: WebhookEvent): EventPayload => event;

describe('events', () => {
  it('show each change and end with the run, also after the connection broke', async () => {
    const proxy = await startTcpProxy(instance.gateway.url);
    const through = createDeckhand({ baseUrl: proxy.url, apiKey: instance.key });
    const { id } = await deckhand.workflows.execute(await createWorkflow(instance, ASK));
    const statuses: string[] = [];
    for await (const { status } of through.runs.of(id).events()) {
      statuses.push(status);
      if (status !== 'waiting_for_input') continue;
      await proxy.cut();
      await deckhand.approvals.submit({ executionId: id, nodeId: 'ask', approved: true });
      await proxy.restore();
    }
    expect(statuses.at(-1)).toBe('success');
    expect(statuses.filter((status) => status === 'success')).toHaveLength(1);
  });
});

describe('requests', () => {
  it('whose response is lost are repeated, and start one run', async () => {
    const workflowId = await createWorkflow(instance, DOUBLE);
    const unlucky = createDeckhand({ baseUrl: instance.gateway.url, apiKey: instance.key, fetch: losing(2) });
    const run = await unlucky.workflows.execute(workflowId, { amount: 1 });
    expect(await run.result()).toBe(2);
    const runs = [];
    for await (const { executionId } of deckhand.runs.list({ workspaceId: instance.workspaceId, workflowId }))
      runs.push(executionId);
    expect(runs).toEqual([run.id]);
  });

  it('that keep failing end with the cause', async () => {
    const dead = createDeckhand({
      baseUrl: instance.gateway.url,
      apiKey: instance.key,
      fetch: losing(9),
      maxRetries: 1,
    });
    const error = await dead.workflows.get('x').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ cause: { message: 'connection reset' } });
  });

  it('that are redirected do not take the key elsewhere, and are not repeated', async () => {
    const keys: unknown[] = [];
    const elsewhere = await listen(({ headers }, response) => {
      keys.push(headers['x-api-key']);
      response.end('{}');
    });
    let redirects = 0;
    const redirecting = await listen(({ url = '' }, response) => {
      redirects += 1;
      response.writeHead(307, { location: `${elsewhere}${url}` }).end();
    });
    const lost = createDeckhand({ baseUrl: redirecting, apiKey: instance.key });
    const id = '019aa5b1-0000-7000-8000-000000000000';
    const run = lost.runs.of(id);
    for (const send of [() => lost.workflows.execute(id), () => run.get(), () => run.events().next()]) {
      const error = await send().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(DeckhandError);
      expect(error).toMatchObject({ status: 307, code: 'UNKNOWN' });
    }
    expect([redirects, keys]).toEqual([3, []]);
  });

  it('that are refused are not repeated, and have the code', async () => {
    const error = await deckhand.workflows
      .execute('019aa5b1-0000-7000-8000-000000000000')
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DeckhandError);
    expect(error).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    const stranger = createDeckhand({ baseUrl: instance.gateway.url, apiKey: 'dk_wrong' });
    await expect(stranger.workflows.get('x')).rejects.toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
  });

  it('of any operation use the same client', async () => {
    const query = { workspaceId: instance.workspaceId };
    const { data } = await listVariables({ client: deckhand.client, query, throwOnError: true });
    expect(data.data).toEqual([]);
  });
});

it('lists continue over pages', async () => {
  const workflowId = await createWorkflow(instance, DOUBLE);
  const started = await Promise.all([1, 2, 3].map((amount) => deckhand.workflows.execute(workflowId, { amount })));
  // The order of runs, by their start, does not change any more.
  await Promise.all(started.map((run) => run.finished()));
  const found: string[] = [];
  const filter = { workspaceId: instance.workspaceId, workflowId, limit: 2 };
  for await (const { executionId } of deckhand.runs.list(filter)) found.push(executionId);
  expect(new Set(found)).toEqual(new Set(started.map(({ id }) => id)));
  const names: string[] = [];
  for await (const { id } of deckhand.workflows.list({ workspaceId: instance.workspaceId, limit: 2 })) names.push(id);
  expect(names).toContain(workflowId);
  expect(new Set(names).size).toBe(names.length);
});

describe('the example of', () => {
  it.each(['README.md', 'packages/sdk/README.md'])('%s runs', async (path) => {
    const root = join(import.meta.dirname, '../../..');
    const [, source = ''] =
      /```js\n(import \{ createDeckhand[^]*?)```/.exec(await readFile(join(root, path), 'utf8')) ?? [];
    // In the repository, where Node.js finds the package.
    await mkdir(join(root, '.deckhand'), { recursive: true });
    const folder = await mkdtemp(join(root, '.deckhand/sdk-'));
    try {
      await writeFile(join(folder, 'example.mjs'), source);
      const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'example.mjs')], {
        env: {
          DECKHAND_URL: instance.gateway.url,
          DECKHAND_API_KEY: instance.key,
          WORKFLOW_ID: await createWorkflow(instance, DOUBLE),
        },
        timeout: 60_000,
      });
      expect(stdout).toMatch(/success[^]*\n240\n$/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
