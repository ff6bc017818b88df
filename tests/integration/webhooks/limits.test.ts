import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Call,
  createHook,
  type Gateway,
  type Hook,
  type Instance,
  sendHook,
  startGateway,
  startInstance,
  stopAll,
} from '../../harness/index.ts';

let instance: Instance;
let other: Gateway;

beforeAll(async () => {
  instance = await startInstance();
  other = await startGateway(instance);
});
afterAll(stopAll);

const api: Call<[body?: unknown]> = (method, path, body) =>
  instance.gateway.call(method, path, { as: instance.session, ...(body === undefined ? {} : { body }) });
const send = (path: string, init?: RequestInit) => sendHook(instance.gateway, path, init);
const runsOf = ({ workflowId }: Hook) => instance.db.execution.count({ where: { workflowId } });
const statusAndCode = ({ status, body }: { status: number; body: { code?: string } | null }) => [status, body?.code];

describe('limits', () => {
  it("429 with Retry-After beyond the workflow's rate limit, over all gateways together", async () => {
    const settings = { rateLimit: { max: 5, windowSeconds: 60 } };
    const hook = await createHook(instance, {}, { settings });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => sendHook(index % 2 === 0 ? instance.gateway : other, hook.path)),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBe(7);
    for (const { headers, body } of refused) {
      expect(body.code).toBe('RATE_LIMITED');
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
      const retryAfterSeconds = Number(headers.get('retry-after'));
      expect(body.details).toEqual({ limit: 5, windowSeconds: 60, retryAfterSeconds });
    }
    const left = answers.map(
      ({ headers }) => /^"workflow-requests";r=(\d+);t=\d+$/.exec(headers.get('ratelimit') ?? '')?.[1],
    );
    expect(left.sort()).toEqual([...Array.from({ length: 8 }, () => '0'), '1', '2', '3', '4']);
    for (const { headers } of answers) expect(headers.get('ratelimit-policy')).toBe('"workflow-requests";q=5;w=60');
    expect(await runsOf(hook)).toBe(5);
  });

  it("429 and 413 by the workspace's own limits", async () => {
    const hook = await createHook(instance, {});
    const limits = `/api/admin/workspaces/${instance.workspaceId}/limits`;
    await api('PUT', limits, { executionsPerMinute: 1, storageQuotaBytes: null });
    const answers = [await send(hook.path), await send(hook.path)];
    expect(answers.map(statusAndCode)).toEqual([
      [200, undefined],
      [429, 'workspace_rate_limited'],
    ]);
    expect(Number(answers[1]?.headers.get('retry-after'))).toBeGreaterThan(0);
    // A stranger learns when to retry, but not the limits of the workspace.
    for (const { headers, body } of answers)
      expect([headers.get('ratelimit'), body.details]).toEqual([null, undefined]);
    await api('PUT', limits, { executionsPerMinute: null, storageQuotaBytes: 1 });
    await instance.db.workspace.update({ where: { id: instance.workspaceId }, data: { storedBytes: 2 } });
    expect(statusAndCode(await send(hook.path))).toEqual([413, 'workspace_over_quota']);
    await api('PUT', limits, { executionsPerMinute: null, storageQuotaBytes: null });
    expect(await runsOf(hook)).toBe(1);
  });

  it('413 for a body over the limit of the instance', async () => {
    const small = await startGateway(instance, { env: { WEBHOOK_MAX_BYTES: '1000' } });
    const hook = await createHook(instance, { payloadType: 'text' });
    const answers = [
      await sendHook(small, hook.path, { body: 'x'.repeat(1_000) }),
      await sendHook(small, hook.path, { body: 'x'.repeat(1_001) }),
      await send(hook.path, { body: 'x'.repeat(1_001) }),
    ];
    expect(answers.map(statusAndCode)).toEqual([
      [200, undefined],
      [413, 'PAYLOAD_TOO_LARGE'],
      [200, undefined],
    ]);
    expect((await send(hook.path, { body: 'x'.repeat(10_485_761) })).status).toBe(413);
  });
});

describe('Idempotency-Key', () => {
  const ask = (path: string, body: string, key: string, gateway = instance.gateway) =>
    sendHook(gateway, path, { body, headers: { 'content-type': 'application/json', 'idempotency-key': key } });

  it('starts one run for many at once, at any gateway; the others are told of it', async () => {
    const hook = await createHook(instance, {});
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        ask(
          hook.path,
          index % 2 === 0 ? '{"a":1,"b":2}' : '{"b":2,"a":1}',
          'k',
          index % 3 === 0 ? other : instance.gateway,
        ),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body }) => body.executionId)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true').length).toBe(9);
    expect(await runsOf(hook)).toBe(1);
  });

  it('409 with another body, 400 for what is not a key', async () => {
    const hook = await createHook(instance, {});
    await ask(hook.path, '{"a":1}', 'k');
    expect(statusAndCode(await ask(hook.path, '{"a":2}', 'k'))).toEqual([409, 'CONFLICT']);
    expect(statusAndCode(await ask(`${hook.path}?a=1`, '{"a":1}', 'k'))).toEqual([409, 'CONFLICT']);
    expect(statusAndCode(await ask(hook.path, '{"a":1}', 'k k'))).toEqual([400, 'VALIDATION_FAILED']);
    expect(await runsOf(hook)).toBe(1);
  });
});

describe('idempotencyKey of the trigger', () => {
  const GITHUB = "{{ $trigger.headers['x-github-delivery'] }}";
  const ask = (path: string, id: string | undefined, body = '{}', gateway = instance.gateway) =>
    sendHook(gateway, path, {
      body,
      headers: { 'content-type': 'application/json', ...(id === undefined ? {} : { 'x-github-delivery': id }) },
    });

  it('starts one run for the same id of the sender, at any gateway, whatever else differs', async () => {
    const hook = await createHook(instance, { idempotencyKey: GITHUB });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        ask(hook.path, 'd 1', `{"attempt":${index}}`, index % 2 === 0 ? other : instance.gateway),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body }) => body.executionId)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true').length).toBe(9);
    await ask(hook.path, 'd 2');
    expect(await runsOf(hook)).toBe(2);
  });

  it('is apart from the header, which counts where the expression finds nothing', async () => {
    const hook = await createHook(instance, { idempotencyKey: '{{ $trigger.body.id }}' });
    const send = (body: string, key: string) =>
      sendHook(instance.gateway, hook.path, {
        body,
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
      });
    await send('{"id":1}', '1');
    // The same id, another header.
    await send('{"id":1}', '2');
    expect(await runsOf(hook)).toBe(1);
    // No id: the header, which no request has used.
    await send('{"id":null}', '1');
    await send('{"id":""}', '3');
    expect(await runsOf(hook)).toBe(3);
    expect(statusAndCode(await send('{"id":null,"a":1}', '1'))).toEqual([409, 'CONFLICT']);
    await ask(hook.path, undefined);
    await ask(hook.path, undefined);
    expect(await runsOf(hook)).toBe(5);
  });

  it.each([
    ['{{ $trigger.body.id.toUpperCase() }}', '{}'],
    ['{{ $trigger.body }}', '{"a":1}'],
    ["{{ 'x'.repeat(256) }}", '{}'],
    ["{{ 'x'.repeat(1000000) }}", '{}'],
    ['{{ $trigger.body.id }}', `{"id":"${'x'.repeat(256)}"}`],
  ])('400 without a run, and without data, for %s of %s', async (idempotencyKey, body) => {
    const hook = await createHook(instance, { idempotencyKey });
    const answer = await ask(hook.path, undefined, body);
    expect([answer.status, answer.body.details]).toEqual([
      400,
      [{ path: 'idempotencyKey', message: 'of the trigger has no valid value for this request' }],
    ]);
    expect(await runsOf(hook)).toBe(0);
  });

  it('gives triggers of a workflow, and test requests, keys of their own', async () => {
    const { gateway, session, workspaceId } = instance;
    const parameters = { idempotencyKey: GITHUB };
    const created = await gateway.call('POST', '/api/workflows', {
      as: session,
      body: {
        workspaceId,
        name: 'Two',
        definition: { nodes: ['a', 'b'].map((id) => ({ id, type: 'trigger.webhook', parameters })), edges: [] },
      },
    });
    const { id, webhooks } = created.body;
    await api('PATCH', `/api/workflows/${id}`, { status: 'active' });
    const paths = webhooks.map(({ url }: { url: string }) => new URL(url).pathname);
    await api('POST', `/api/workflows/${id}/webhooks/a/test`);
    for (const path of [...paths, paths[0]!.replace('/webhook/', '/webhook-test/')]) {
      const [first, second] = [await ask(path, 'd'), await ask(path, 'd')];
      expect([first.status, second.body.executionId]).toEqual([200, first.body.executionId]);
      expect(first.headers.get('idempotency-replayed')).toBe(null);
    }
    expect(await instance.db.execution.count({ where: { workflowId: id } })).toBe(3);
  });
});
