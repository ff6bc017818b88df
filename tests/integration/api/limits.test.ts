import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addPerson,
  type ApiResponse,
  chain,
  createWorkflow,
  type ErrorMembers,
  type Gateway,
  type Instance,
  startGateway,
  startInstance,
  stopAll,
  type Call,
} from '../../harness/index.ts';

let instance: Instance;
let replicas: readonly [Gateway, Gateway];
let workflowId: string;

beforeAll(async () => {
  instance = await startInstance();
  replicas = [instance.gateway, await startGateway(instance)];
  workflowId = await createWorkflow(instance, chain({ id: 'a', type: 'set', parameters: { fields: { n: 1 } } }));
});
afterAll(stopAll);

const call: Call<[body?: object, options?: { replica?: number; as?: string; key?: string }]> = (
  method,
  path,
  body,
  { replica = 0, as = instance.key, key = '' } = {},
) =>
  (replicas[replica] ?? replicas[0]).call(method, path, {
    as,
    body,
    headers: key === '' ? {} : { 'idempotency-key': key },
  });
const execute = (options: { replica?: number; as?: string; key?: string } = {}, body: object = {}) =>
  call('POST', `/api/workflows/${workflowId}/execute`, body, options);
const limit = async (limits: { executionsPerMinute?: number; storageQuotaBytes?: number }) => {
  const body = { executionsPerMinute: null, storageQuotaBytes: null, ...limits };
  const path = `/api/admin/workspaces/${instance.workspaceId}/limits`;
  expect((await call('PUT', path, body, { as: instance.session })).status).toBe(200);
};
/** Starts a new minute. */
const forget = async () => {
  const redis = instance.gateway.services.monitoring.redis;
  const keys = await redis.keys('{deckhand}:execution-rate:*');
  if (keys.length > 0) await redis.del(...keys);
};
const codes = (answers: ApiResponse<ErrorMembers>[]) =>
  answers.map(({ status, body }) => (status === 202 ? 'started' : body.code));

describe('runs a minute', () => {
  it('are counted exactly over all replicas, from keys and sessions, and say when to come back', async () => {
    await limit({ executionsPerMinute: 25 });
    await forget();
    const before = await instance.db.execution.count();
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, index) =>
        execute({ replica: index % 2, as: index % 3 === 0 ? instance.session : instance.key }),
      ),
    );
    expect(codes(answers).filter((code) => code === 'started')).toHaveLength(25);
    const refused = answers.filter(({ status }) => status !== 202);
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
      new Set(['429 workspace_rate_limited']),
    );
    for (const { headers } of refused) expect(headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/);
    expect(await instance.db.execution.count()).toBe(before + 25);
  });

  it('say in headers what is left of them, and in numbers what is not', async () => {
    await limit({ executionsPerMinute: 2 });
    await forget();
    const answers = [await execute(), await execute(), await execute()];
    const policies = answers.map(({ headers }) => headers.get('ratelimit-policy'));
    expect(policies).toEqual(policies.map(() => '"workspace-runs";q=2;w=60'));
    const left = answers.map(({ headers }) =>
      /^"workspace-runs";r=(\d);t=([1-9]|[1-5]\d|60)$/.exec(headers.get('ratelimit') ?? ''),
    );
    expect(left.map((match) => match?.[1])).toEqual(['1', '0', '0']);
    const { body, headers } = answers[2] ?? { body: null };
    const retryAfterSeconds = Number(headers?.get('retry-after'));
    expect(body!.details).toEqual({ limit: 2, windowSeconds: 60, retryAfterSeconds });
    await limit({});
    const free = await execute();
    expect([free.headers.get('ratelimit'), free.headers.get('ratelimit-policy')]).toEqual([null, null]);
  });

  it('let the next one in after the seconds they said', async () => {
    await limit({ executionsPerMinute: 1 });
    await forget();
    await execute();
    const redis = instance.gateway.services.monitoring.redis;
    const [key] = await redis.keys('{deckhand}:execution-rate:*');
    await redis.pexpire(key ?? '', 1_500);
    const seconds = Number((await execute()).headers.get('retry-after'));
    expect(seconds).toBe(2);
    const allowedAt = performance.now() + seconds * 1_000;
    await new Promise((resolve) => setTimeout(resolve, allowedAt - performance.now()));
    expect((await execute()).status).toBe(202);
  });

  it('count reruns, and neither what is refused for another reason nor what was started before', async () => {
    await limit({});
    const { body } = await execute();
    await call('POST', `/api/executions/${body.executionId}/stop`);
    await limit({ executionsPerMinute: 3 });
    await forget();
    expect((await execute({}, { triggerNodeId: 'nowhere' })).status).toBe(400);
    expect((await call('POST', '/api/workflows/01a1fb35-e8df-7352-8660-75a19a555603/execute')).status).toBe(404);
    expect((await call('POST', `/api/executions/${body.executionId}/rerun`)).status).toBe(202);
    const first = await execute({ key: 'one' });
    for (let i = 0; i < 5; i += 1) expect((await execute({ key: 'one', replica: i % 2 })).body).toEqual(first.body);
    expect(codes([await execute(), await execute()])).toEqual(['started', 'workspace_rate_limited']);
    expect((await call('POST', `/api/executions/${body.executionId}/rerun`)).body.code).toBe('workspace_rate_limited');
    expect((await execute({ key: 'two' })).body.code).toBe('workspace_rate_limited');
    expect((await execute({ key: 'one' })).body).toEqual(first.body);
  });

  it('follow a changed limit from its answer on, on every replica', async () => {
    await limit({ executionsPerMinute: 1 });
    await forget();
    expect(codes([await execute(), await execute({ replica: 1 })])).toEqual(['started', 'workspace_rate_limited']);
    await limit({ executionsPerMinute: 1_000 });
    expect(codes([await execute({ replica: 1 })])).toEqual(['started']);
    await limit({ executionsPerMinute: 1 });
    expect(codes([await execute({ replica: 1 })])).toEqual(['workspace_rate_limited']);
    await limit({});
    expect(codes([await execute({ replica: 1 })])).toEqual(['started']);
  });

  it('do not concern other workspaces', async () => {
    await limit({ executionsPerMinute: 1 });
    await execute();
    const other = await call('POST', '/api/workspaces', { name: 'Other' });
    const definition = chain({ id: 'a', type: 'set', parameters: { fields: {} } });
    const workflow = await call('POST', '/api/workflows', { workspaceId: other.body.id, name: 'Free', definition });
    expect((await call('POST', `/api/workflows/${workflow.body.id}/execute`)).status).toBe(202);
    await limit({});
  });
});

describe('the storage quota', () => {
  it('holds from the answer that sets it, on every replica', async () => {
    await instance.db.workspace.update({ where: { id: instance.workspaceId }, data: { storedBytes: 5_000 } });
    await limit({ storageQuotaBytes: 5_000 });
    expect((await execute({ replica: 1 })).body).toMatchObject({
      code: 'workspace_over_quota',
      details: { storedBytes: 5_000, storageQuotaBytes: 5_000 },
    });
    await limit({ storageQuotaBytes: 1_000_000 });
    expect((await execute({ replica: 1 })).status).toBe(202);
  });

  it('and the other limits can be read by members, with what is used of them', async () => {
    const { workspaceId } = instance;
    await limit({ executionsPerMinute: 7, storageQuotaBytes: 1_000_000 });
    const viewer = await addPerson(instance, 'viewer');
    const stranger = await addPerson(instance);
    const path = `/api/workspaces/${workspaceId}/usage`;
    const { storedBytes } = await instance.db.workspace.findUniqueOrThrow({ where: { id: workspaceId } });
    expect((await call('GET', path, undefined, { as: viewer.session })).body).toEqual({
      storedBytes: Number(storedBytes),
      storageQuotaBytes: 1_000_000,
      executionsPerMinute: 7,
      maxConcurrentExecutions: null,
      modelTokensPerMonth: null,
      modelMicroUsdPerMonth: null,
      modelMicroUsdThisMonth: 0,
      modelTokensThisMonth: 0,
    });
    expect((await call('GET', path, undefined, { as: stranger.session })).status).toBe(404);
    await limit({});
  });
});
