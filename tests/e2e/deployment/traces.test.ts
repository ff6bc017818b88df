import type { Definition } from '@deckhand/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chain,
  createHook,
  createWorkflow,
  type Instance,
  spawnApp,
  startInstance,
  startReceiver,
  stopAll,
  type TestApp,
  until,
} from '../../harness/index.ts';
import { serve } from '../../harness/serve.ts';
import { type ReceivedSpan, startTraceReceiver, type TraceReceiver } from '../../harness/trace-receiver.ts';

/** Of a caller that traces, too. */
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const SET = { id: 'a', type: 'set', parameters: { fields: { secret: 'of the workspace' } } };

let instance: Instance;
let collector: TraceReceiver;
let api: TestApp;

const stores = () => ({ DATABASE_URL: instance.databaseUrl, REDIS_URL: instance.redis.url });
const traced = () => ({
  ...stores(),
  OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
  OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=deck%20hand,x-other=1',
});

beforeAll(async () => {
  instance = await startInstance();
  collector = await startTraceReceiver();
  api = await spawnApp('api', traced());
});
afterAll(stopAll);

async function execute(url: string, workflowId: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(`${url}/api/workflows/${workflowId}/execute`, {
    method: 'POST',
    headers: { 'x-api-key': instance.key, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ input: { secret: 'of the caller' } }),
  });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { executionId: string }).executionId;
}

const holdsOf = (executionId: string) =>
  collector.spans.filter(
    ({ name, attributes }) => name === 'run' && attributes['deckhand.execution.id'] === executionId,
  );
const hold = (executionId: string, status = 'success') =>
  until(
    () => holdsOf(executionId).find(({ attributes }) => attributes['deckhand.execution.status'] === status),
    `the span of a run that is ${status}`,
  );
const below = (span: ReceivedSpan) => collector.spans.filter(({ parentSpanId }) => parentSpanId === span.spanId);
const parentOf = (span: ReceivedSpan) =>
  until(() => collector.spans.find(({ spanId }) => spanId === span.parentSpanId), 'the span above');

describe('a trace', () => {
  let worker: TestApp;
  beforeAll(async () => {
    worker = await spawnApp('worker', traced());
  });

  it('leads from the caller over the request and the run to each node, and says nothing of their data', async () => {
    const failing: Definition['nodes'][number] = {
      id: 'b',
      type: 'code',
      parameters: { source: 'throw new Error("of the script")' },
      onError: 'continue',
    };
    const workflowId = await createWorkflow(instance, chain(SET, failing));
    const executionId = await execute(api.url, workflowId, { traceparent: `00-${TRACE}-${CALLER}-01` });
    const run = await hold(executionId);
    const request = await parentOf(run);
    expect([request.service, request.name, request.parentSpanId, request.isError]).toEqual([
      'deckhand-api',
      'POST /api/workflows/:id/execute',
      CALLER,
      false,
    ]);
    expect(request.attributes).toMatchObject({ 'http.response.status_code': 202 });
    expect(run.service).toBe('deckhand-worker');
    const nodes = below(run).map((span) => [span.name, span.attributes['deckhand.node.id'], span.isError]);
    expect(nodes).toEqual([
      ['node trigger.manual', 'start', false],
      ['node set', 'a', false],
      ['node code', 'b', true],
    ]);
    expect(new Set([request, run, ...below(run)].map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
    expect(JSON.stringify(collector.spans)).not.toMatch(/of the (workspace|caller|script)/);
    expect(collector.headers()).toMatchObject({ 'x-tenant': 'deck hand', 'x-other': '1' });
  });

  it('has the runs that a run starts', async () => {
    const child = await createWorkflow(instance, chain(SET));
    const parent = await createWorkflow(
      instance,
      chain({ id: 'call', type: 'workflow', parameters: { workflowId: child, input: {}, waitForCompletion: false } }),
    );
    const run = await hold(await execute(api.url, parent));
    const runs = await until(() => {
      const all = collector.spans.filter(({ name, traceId }) => name === 'run' && traceId === run.traceId);
      return all.length === 2 && all;
    });
    expect(new Set(runs.map(({ parentSpanId }) => parentSpanId)).size).toBe(1);
  });

  it('is not continued from strangers, who call webhooks', async () => {
    const hook = await createHook(instance, { responseMode: 'onCompletion' }, { nodes: [SET] });
    const stranger = 'c'.repeat(32);
    const answer = await fetch(api.url + hook.path, {
      method: 'POST',
      headers: { traceparent: `00-${stranger}-${CALLER}-01` },
    });
    const { executionId } = (await answer.json()) as { executionId: string };
    const request = await parentOf(await hold(executionId));
    expect([request.name, request.parentSpanId]).toEqual(['POST /webhook/:suffix', undefined]);
    expect(request.traceId).not.toBe(stranger);
    expect(JSON.stringify(request)).not.toContain(hook.path.split('/').at(-1));
  });

  it('continues over the death of a worker', async () => {
    const receiver = await startReceiver(() => (receiver.calls.length === 1 ? 15_000 : 0));
    const workflowId = await createWorkflow(
      instance,
      chain(SET, { id: 'slow', type: 'http', parameters: { url: receiver.url } }),
    );
    const executionId = await execute(api.url, workflowId);
    await until(() => receiver.calls.length === 1);
    await worker.kill();
    worker = await spawnApp('worker', traced());
    const run = await hold(executionId);
    expect(run.attributes['deckhand.epoch']).toBe(2);
    expect((await parentOf(run)).name).toBe('POST /api/workflows/:id/execute');
    expect(below(run).map(({ attributes }) => attributes['deckhand.node.id'])).toEqual(['slow']);
  });

  it('is sent to its end by a process that is asked to stop', async () => {
    const workflowId = await createWorkflow(instance, chain(SET));
    const executionId = await execute(api.url, workflowId);
    await until(async () => {
      const { status } = await instance.db.execution.findUniqueOrThrow({ where: { id: executionId } });
      return status === 'success';
    });
    await worker.kill('SIGTERM');
    expect(await worker.ended).toBe('code 0');
    // No waiting: it was sent before the process ended.
    expect(holdsOf(executionId)).toHaveLength(1);
  });
});

describe('a collector that never answers', () => {
  it('delays neither runs nor the end of processes', async () => {
    const calls: string[] = [];
    const silent = await serve(({ url = '' }) => void calls.push(url));
    const env = { ...traced(), OTEL_EXPORTER_OTLP_ENDPOINT: silent.url };
    const [gateway, worker] = await Promise.all([spawnApp('api', env), spawnApp('worker', env)]);
    const workflowId = await createWorkflow(instance, chain(SET));
    const isDone = async (executionId: string) => {
      const { status } = await instance.db.execution.findUniqueOrThrow({ where: { id: executionId } });
      return status === 'success';
    };
    const first = await execute(gateway.url, workflowId);
    await until(() => isDone(first));
    await until(() => calls.length >= 2, 'a call of each process');
    const second = await execute(gateway.url, workflowId);
    await until(() => isDone(second));
    await Promise.all([gateway.kill('SIGTERM'), worker.kill('SIGTERM')]);
    expect([await gateway.ended, await worker.ended]).toEqual(['code 0', 'code 0']);
  });
});

describe('without an endpoint', () => {
  it('nothing is traced, and nothing is kept of it', async () => {
    const untraced = await spawnApp('api', stores());
    const workflowId = await createWorkflow(instance, chain(SET));
    const headers = { traceparent: `00-${'d'.repeat(32)}-${CALLER}-01` };
    const executionId = await execute(untraced.url, workflowId, headers);
    const { traceParent } = await instance.db.execution.findUniqueOrThrow({ where: { id: executionId } });
    expect(traceParent).toBeNull();
  });
});

describe('a share of none', () => {
  it('sends no trace, whatever the caller asks for', async () => {
    const quiet = await spawnApp('api', { ...traced(), OTEL_TRACES_SAMPLER_ARG: '0' });
    const workflowId = await createWorkflow(instance, chain(SET));
    const asked = 'e'.repeat(32);
    const executionId = await execute(quiet.url, workflowId, { traceparent: `00-${asked}-${CALLER}-01` });
    const { traceParent } = await instance.db.execution.findUniqueOrThrow({ where: { id: executionId } });
    expect(traceParent).toMatch(new RegExp(`^00-${asked}-[0-9a-f]{16}-00$`));
    await quiet.stop();
    expect(collector.spans.filter(({ traceId }) => traceId === asked)).toEqual([]);
  });
});
