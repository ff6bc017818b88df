import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject } from '@deckhand/contracts';
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { startTestObjectStore, type TestObjectStore } from '../../harness/object-store.ts';
import {
  type Call,
  chain,
  createWorkflow,
  type Gateway,
  type Instance,
  seedWorkflow,
  startGateway,
  startInstance,
  startStores,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';
import { serve } from '../../harness/serve.ts';

afterAll(stopAll);

/** Compared without printing them. */
const isSame = isDeepStrictEqual;
const FINISHED = ['success', 'failed', 'stopped', 'timeout'];
/** Long, but small once compressed. */
const PLAIN = 'deckhand '.repeat(600_000);
const RANDOM = randomBytes(300_000).toString('base64');

describe.each(['postgres', 's3'])('large outputs in %s', (store) => {
  let instance: Instance;
  let gateway: Gateway;
  let objects: TestObjectStore | undefined;
  let receiver: string;
  let calls = 0;

  beforeAll(async () => {
    objects = store === 's3' ? await startTestObjectStore() : undefined;
    const stores = await startStores();
    instance = await startInstance(stores, objects && { env: objects.env });
    ({ gateway } = instance);
    await startTestWorker(instance, { outputSettings: objects?.env, mayRecover: true });
    ({ url: receiver } = await serve((_request, response) => {
      calls += 1;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ random: RANDOM }));
    }));
  });

  const call: Call<[body?: unknown]> = (method, path, body) =>
    gateway.call(method, path, { as: instance.key, ...(body === undefined ? {} : { body }) });
  const read = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;
  const output = (id: string, node: string, iteration?: string) =>
    call('GET', `/api/executions/${id}/nodes/${node}/output${iteration ? `?iteration=${iteration}` : ''}`);

  async function start(definition: object, input: object = {}): Promise<string> {
    const workflowId = await createWorkflow(instance, definition);
    return (await call('POST', `/api/workflows/${workflowId}/execute`, { input })).body.executionId;
  }
  const fetched = async (id: string) => {
    const { output: found } = (await output(id, 'fetch')).body;
    return isJsonObject(found) ? found.body : undefined;
  };
  const ended = (id: string) =>
    until(async () => {
      const run = await read(id);
      return FINISHED.includes(run.status) ? run : undefined;
    }, `the end of ${id}`);
  const kept = () => instance.db.largeOutput.findMany();
  const set = (id: string, fields: JsonObject) => ({ id, type: 'set', parameters: { fields } });

  /** A call, a loop that copies its response, an approval, and a node after it. */
  const waiting = () => ({
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'fetch', type: 'http', parameters: { url: receiver } },
      { id: 'each', type: 'loop', parameters: { items: [0, 1] } },
      set('copy', { random: '{{ $nodes.fetch.output.body.random }}', index: '{{ $loop.index }}' }),
      { id: 'ask', type: 'approval', parameters: { message: 'Go on?' } },
      set('after', {
        first: '{{ $nodes.each.output[0].random.length }}',
        random: '{{ $nodes.fetch.output.body.random }}',
      }),
    ],
    edges: [
      { source: 'start', target: 'fetch' },
      { source: 'fetch', target: 'each' },
      { source: 'each', sourceHandle: 'body', target: 'copy' },
      { source: 'each', sourceHandle: 'done', target: 'ask' },
      { source: 'ask', sourceHandle: 'approved', target: 'after' },
    ],
  });

  it('are compressed, read whole, and left out of the run', async () => {
    const id = await start(chain(set('small', { a: 1 }), set('large', { plain: '{{ $trigger.plain }}' })), {
      plain: PLAIN,
    });
    const run = await ended(id);
    expect(run.progress.small).toMatchObject({ output: { a: 1 } });
    expect(run.progress.large).toMatchObject({ outputBytes: PLAIN.length + 12, outputOmitted: true });
    expect(run.progress.large).not.toHaveProperty('output');
    const answer = await output(id, 'large');
    expect([answer.status, isSame(answer.body.output, { plain: PLAIN })]).toEqual([200, true]);

    const rows = await instance.db.nodeRun.findMany({ where: { executionId: id } });
    for (const row of rows) {
      const isLarge = row.outputBytes > 65_536;
      expect([row.nodeId, row.output === null, row.outputRef !== null]).toEqual([row.nodeId, isLarge, isLarge]);
    }
    const [large] = rows.filter(({ nodeId }) => nodeId === 'large');
    const [blob] = (await kept()).filter(({ id: ref }) => ref === large?.outputRef);
    const bytes = objects ? objects.objects.get(`deckhand/${id}/${blob?.id}.json.gz`) : blob?.data;
    expect(bytes?.length).toBeLessThan(PLAIN.length / 50);
    expect(blob?.data === null).toBe(objects !== undefined);
    const slim = await call('GET', `/api/executions/${id}?slim=true`);
    expect(slim.body.progress.large).toMatchObject({ outputOmitted: true });
  });

  it('are searched by their first 64 KiB, before and after the run is indexed', async () => {
    const text = `NEEDLE-${randomBytes(4).toString('hex')} ${'é'.repeat(100_000)} farther-${randomBytes(4).toString('hex')}`;
    const [needle, ...rest] = text.split(' ');
    const id = await start(chain(set('large', { text: '{{ $trigger.a + $trigger.b }}' })), {
      a: text.slice(0, 9),
      b: text.slice(9),
    });
    await ended(id);
    const find = async (search: string): Promise<string[]> => {
      const path = `/api/executions?workspaceId=${instance.workspaceId}&search=${encodeURIComponent(search)}` as const;
      return (await call('GET', path)).body.data.map((run) => run.id!);
    };
    expect(await find(needle?.toLowerCase() ?? '')).toEqual([id]);
    await until(async () => (await instance.db.unindexedExecution.count()) === 0, 'the index');
    expect(await find(needle?.toLowerCase() ?? '')).toEqual([id]);
    expect(await find(rest.at(-1) ?? '')).toEqual([]);
  });

  it('are there for the worker that continues with the run, and nothing is done again', async () => {
    calls = 0;
    const id = await start(waiting());
    await until(async () => (await read(id)).status === 'waiting_for_input', 'the approval');
    await call('POST', '/api/approvals/submit', { executionId: id, nodeId: 'ask', approved: true });
    expect((await ended(id)).status).toBe('success');
    expect(isSame((await output(id, 'after')).body.output, { first: RANDOM.length, random: RANDOM })).toBe(true);
    expect(isSame((await output(id, 'copy', '1')).body.output, { random: RANDOM, index: 1 })).toBe(true);
    expect((await output(id, 'each')).body.output).toHaveLength(2);
    expect(calls).toBe(1);

    // And for a rerun from a node.
    const { body } = await call('POST', `/api/executions/${id}/rerun`, { fromNodeId: 'after' });
    expect((await ended(body.executionId)).status).toBe('success');
    expect(isSame(await fetched(body.executionId), { random: RANDOM })).toBe(true);
    expect(calls).toBe(1);
  });

  it('that somebody deleted fail the run that needs them, and nothing else', async () => {
    const workflowId = await createWorkflow(instance, waiting());
    await instance.db.workflow.update({ where: { id: workflowId }, data: { maxConcurrentExecutions: 1 } });
    const startOne = async (): Promise<string> =>
      (await call('POST', `/api/workflows/${workflowId}/execute`, { input: {} })).body.executionId;
    const rests = (id: string) =>
      until(async () => (await read(id)).status === 'waiting_for_input', `the approval of ${id}`);
    const id = await startOne();
    await rests(id);
    if (objects) {
      for (const key of [...objects.objects.keys()]) if (key.includes(id)) objects.objects.delete(key);
    } else {
      await instance.db.largeOutput.deleteMany({ where: { executionId: id } });
    }

    expect(await output(id, 'fetch')).toMatchObject({ status: 410, body: { code: 'OUTPUT_GONE' } });
    await call('POST', '/api/approvals/submit', { executionId: id, nodeId: 'ask', approved: true });
    const failed = await ended(id);
    expect(failed).toMatchObject({
      status: 'failed',
      error: { code: 'OUTPUT_GONE', nodeId: expect.stringMatching(/fetch|each|copy/) },
      progress: { ask: { status: 'stopped' } },
    });
    // Its slot under the limit is free.
    const next = await startOne();
    await rests(next);
    await call('POST', `/api/executions/${next}/stop`);

    const { body } = await call('POST', `/api/executions/${id}/rerun`, { fromNodeId: 'ask' });
    expect(await ended(body.executionId)).toMatchObject({ status: 'failed', error: { code: 'OUTPUT_GONE' } });
  });

  it('go with their runs', async () => {
    const id = await start(chain({ id: 'fetch', type: 'http', parameters: { url: receiver } }));
    await ended(id);
    const refs = (await instance.db.largeOutput.findMany({ where: { executionId: id } })).map(({ id: ref }) => ref);
    expect(refs).toHaveLength(1);
    await instance.db.execution.delete({ where: { id } });
    expect(await instance.db.largeOutput.count({ where: { executionId: id } })).toBe(0);
    if (!objects) return;
    const { objects: stored } = objects;
    await until(() => ![...stored.keys()].some((key) => key.includes(id)), 'the deletion of the object');
    await until(async () => (await instance.db.deletedOutput.count()) === 0, 'the end of the list');
  });

  it('of many runs are nobody else’s', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        start(chain(set('it', { n, random: '{{ $trigger.random }}' })), { random: RANDOM }),
      ),
    );
    for (const [n, id] of ids.entries()) {
      await ended(id);
      expect((await output(id, 'it')).body.output).toMatchObject({ n });
    }
  });

  if (store === 's3') {
    it('wait for a store that is down, while other runs continue; a stop does not', async () => {
      objects?.setAway(true);
      const definition = chain({ id: 'fetch', type: 'http', parameters: { url: receiver } }, set('after', { a: 1 }));
      const [large, stopped] = [await start(definition), await start(definition)];
      for (let n = 0; n < 3; n += 1) expect((await ended(await start(chain(set('it', { n }))))).status).toBe('success');
      expect((await call('POST', `/api/executions/${stopped}/stop`)).status).toBe(200);
      expect((await read(large)).status).toBe('running');
      objects?.setAway(false);
      expect((await ended(large)).status).toBe('success');
      expect((await read(stopped)).status).toBe('stopped');
      expect(isSame(await fetched(large), { random: RANDOM })).toBe(true);
      objects?.setAway(true);
      expect(await output(large, 'fetch')).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
      objects?.setAway(false);
    });

    it('in a store that takes requests and answers none keep no other run waiting, not even one whose job was lost', async () => {
      const gone = await start(chain({ id: 'fetch', type: 'http', parameters: { url: receiver } }));
      await ended(gone);
      objects?.setSilent(true);
      await instance.db.execution.delete({ where: { id: gone } });
      await until(() => (objects?.unanswered() ?? 0) > 0, 'a request to delete it');
      const unqueued = await (await seedWorkflow(instance.db, chain(set('it', { a: 1 })))).accept();
      const status = async () => (await instance.db.execution.findUnique({ where: { id: unqueued } }))?.status;
      await until(async () => (await status()) === 'success', 'the end of the run without a job');
      objects?.setSilent(false);
      await until(async () => (await instance.db.deletedOutput.count()) === 0, 'the deletion of the object');
    });

    it('are 503 for a process that is not told of their store', async () => {
      const other = await startGateway(instance);
      const [node] = await instance.db.nodeRun.findMany({ where: { outputRef: { not: null }, nodeId: 'fetch' } });
      const path = `/api/executions/${node?.executionId}/nodes/fetch/output` as const;
      expect((await other.call('GET', path, { as: instance.key })).status).toBe(503);
      expect((await gateway.call('GET', path, { as: instance.key })).status).toBe(200);
    });
  }
});
