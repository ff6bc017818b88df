import type { JsonObject } from '@deckhand/contracts';
import { connectRedis, publishChanges } from '@deckhand/queue';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createHook,
  expectWithin,
  type Gateway,
  type Hook,
  type HookOptions,
  type Instance,
  itInTime,
  sendHook,
  startGateway,
  startInstance,
  startReceiver,
  startTestWorker,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';

/** Time limit of a run that takes longer. */
const TIMEOUT_SECONDS = 0.5;

let instance: Instance;
let other: Gateway;

beforeAll(async () => {
  instance = await startInstance();
  other = await startGateway(instance);
  await startTestWorker(instance);
});
afterAll(stopAll);

const hookWith = (nodes: NonNullable<HookOptions['nodes']>, settings?: HookOptions['settings']) =>
  createHook(instance, { responseMode: 'onCompletion' }, { nodes, ...(settings === undefined ? {} : { settings }) });
const terminal = (parameters: JsonObject) => ({ id: 'end', type: 'terminal', parameters });
const json = (body: unknown) => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
const send = (hook: Hook, init?: RequestInit, gateway = instance.gateway) => sendHook(gateway, hook.path, init);
const lastRun = ({ workflowId }: Hook) =>
  instance.db.execution.findFirstOrThrow({ where: { workflowId }, orderBy: { id: 'desc' } });

describe('on completion', () => {
  it('believes no result that somebody else has put into a notification', async () => {
    const receiver = await startReceiver(() => 1_500);
    const hook = await hookWith([
      { id: 'call', type: 'http', parameters: { url: receiver.url, method: 'POST' } },
      terminal({ body: 'true' }),
    ]);
    const sent = send(hook);
    await until(() => receiver.calls.length === 1, 'the call');
    const { id } = await lastRun(hook);
    const forged = Buffer.from(`${'x'.repeat(32)}{"body":"forged"}`).toString('base64url');
    const redis = connectRedis(instance.redis.url, { role: 'producer' });
    stopLater({
      async stop() {
        await redis.quit();
      },
    });
    await until(() => redis.status === 'ready', 'the connection');
    await publishChanges(redis, [{ executionId: id, ended: 'success', signedResult: forged }]);
    expect((await sent).text).toBe('true');
  });

  it("answers with the Terminal node's status, headers and body", async () => {
    const hook = await hookWith([
      terminal({
        statusCode: 201,
        headers: { 'X-Order': '{{ $trigger.body.order }}', 'Cache-Control': 'max-age=60' },
        body: { got: '{{ $trigger.body }}' },
      }),
    ]);
    const answer = await send(hook, json({ order: 'A-1' }));
    expect([answer.status, answer.text]).toEqual([201, '{"got":{"order":"A-1"}}']);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'x-order': 'A-1',
      'cache-control': 'max-age=60',
      'content-type': 'application/json; charset=utf-8',
    });
  });

  it('sends a text as it is, any other value as JSON', async () => {
    const hook = await hookWith([terminal({ body: '{{ $trigger.body }}' })]);
    const cases: [unknown, string, string][] = [
      ['grüße', 'grüße', 'text/plain; charset=utf-8'],
      ['', '', 'text/plain; charset=utf-8'],
      [null, 'null', 'application/json; charset=utf-8'],
      [false, 'false', 'application/json; charset=utf-8'],
      [[1, 'a'], '[1,"a"]', 'application/json; charset=utf-8'],
    ];
    for (const [body, text, type] of cases) {
      const answer = await send(hook, json(body));
      expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([200, text, type]);
    }
  });

  it('sends a text in the charset that its content type names', async () => {
    const headers = { 'Content-Type': 'text/plain; charset=ISO-8859-1' };
    const hook = await hookWith([terminal({ headers, body: '{{ $trigger.body }}' })]);
    const sent = await fetch(instance.gateway.url + hook.path, { method: 'POST', ...json('Jörg') });
    expect(Buffer.from(await sent.arrayBuffer()).toString('latin1')).toBe('Jörg');
    expect(sent.headers.get('content-type')).toBe('text/plain; charset=ISO-8859-1');
    expect(await send(hook, json('5 €'))).toMatchObject({ status: 500, body: { code: 'EXECUTION_FAILED' } });
    expect((await lastRun(hook)).error).toContain('lacks');
  });

  it('sends the bytes of a file, also of one that an http node passed on, and its JSON if asked for', async () => {
    const png = Buffer.from('89504e470d0a1a0a00ff', 'hex');
    const echo = await hookWith([terminal({ body: '{{ $trigger.body }}' })]);
    const { url } = instance.gateway;
    const relay = await hookWith([
      { id: 'call', type: 'http', parameters: { url: url + echo.path, method: 'POST', body: '{{ $trigger.body }}' } },
      terminal({ body: '{{ $nodes.call.output.body }}' }),
    ]);
    const response = await fetch(url + relay.path, {
      method: 'POST',
      body: png,
      headers: { 'content-type': 'image/png' },
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(png);
    expect(response.headers.get('content-security-policy')).toMatch(/^sandbox(?!.*allow-same-origin)/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');

    const file = { base64: 'aGk=', contentType: 'a/b\r\nset-cookie: c=d', bytes: 2 };
    const split = await send(await hookWith([terminal({ body: '{{ $trigger.body }}' })]), json(file));
    expect([split.text, split.headers.get('content-type')]).toEqual(['hi', 'application/octet-stream']);
    expect(split.headers.get('set-cookie')).toBeNull();
    const asJson = await hookWith([terminal({ headers: { 'content-type': 'application/json' }, body: file })]);
    expect((await send(asJson)).body).toEqual(file);
  });

  it('shows a page in a sandbox, and nothing where the status has no body', async () => {
    const page = await hookWith([terminal({ headers: { 'content-type': 'text/html' }, body: '<script>1</script>' })]);
    const shown = await send(page);
    expect([shown.text, shown.headers.get('content-type')]).toEqual(['<script>1</script>', 'text/html']);
    expect(shown.headers.get('content-security-policy')).toMatch(/^sandbox(?!.*allow-same-origin)/);
    const empty = await send(await hookWith([terminal({ statusCode: 204, body: { a: 1 } })]));
    expect([empty.status, empty.text, empty.headers.get('content-length')]).toEqual([204, '', null]);
    const away = await send(
      await hookWith([terminal({ statusCode: 302, headers: { Location: 'https://a.example/' } })]),
    );
    expect([away.status, away.headers.get('location')]).toEqual([302, 'https://a.example/']);
  });

  it('leaves out headers that a workflow may not set, and values that no header can have', async () => {
    const hook = await hookWith([
      terminal({
        headers: {
          'X-Fine': '{{ $trigger.body.fine }}',
          'X-Split': '{{ $trigger.body.split }}',
          'X-Wide': '{{ $trigger.body.wide }}',
        },
        body: 'ok',
      }),
    ]);
    const answer = await send(hook, json({ fine: 'yes', split: 'a\r\nSet-Cookie: b=c', wide: '💥' }));
    expect([answer.status, answer.text]).toEqual([200, 'ok']);
    expect(answer.headers.get('x-fine')).toBe('yes');
    for (const name of ['x-split', 'x-wide', 'set-cookie']) expect(answer.headers.get(name)).toBeNull();
  });

  it.each([
    'Connection',
    'Transfer-Encoding',
    'Content-Length',
    'Set-Cookie',
    'Access-Control-Allow-Origin',
    'X-Request-Id',
    'a b',
    '',
  ])('refuses a definition whose Terminal node sets %p', async (name) => {
    const definition = {
      nodes: [{ id: 'hook', type: 'trigger.webhook' }, terminal({ headers: { [name]: 'x' } })],
      edges: [{ source: 'hook', target: 'end' }],
    };
    const { workspaceId, gateway, session } = instance;
    const { status, body } = await gateway.call('POST', '/api/workflows', {
      as: session,
      body: { workspaceId, name: 'Headers', definition },
    });
    expect([status, body.details?.[0]?.path]).toEqual([400, `definition.nodes[1].parameters.headers.${name}`]);
  });

  it('without a Terminal node it answers the id and the status', async () => {
    const hook = await hookWith([{ id: 'a', type: 'set', parameters: { fields: { a: 1 } } }]);
    const { status, body } = await send(hook);
    expect([status, body]).toEqual([200, { executionId: (await lastRun(hook)).id, status: 'success' }]);
  });

  it('500 EXECUTION_FAILED with the run, without the error', async () => {
    const hook = await hookWith([
      { id: 'no', type: 'fail', parameters: { message: 'the database of orders is down' } },
    ]);
    const { status, body, text } = await send(hook);
    expect([status, body.code, body.executionId]).toEqual([500, 'EXECUTION_FAILED', (await lastRun(hook)).id]);
    expect(text).not.toContain('orders');
  });

  itInTime('504 WEBHOOK_TIMEOUT with the run when its time is up, and within that time', async () => {
    const hook = await hookWith([{ id: 'w', type: 'wait', parameters: { seconds: 600 } }], {
      timeoutSeconds: TIMEOUT_SECONDS,
    });
    const sentAt = performance.now();
    const { status, body } = await send(hook);
    const tookMs = performance.now() - sentAt;
    expect([status, body.code, body.executionId]).toEqual([504, 'WEBHOOK_TIMEOUT', (await lastRun(hook)).id]);
    await until(async () => (await lastRun(hook)).status === 'timeout', 'the end of the run');
    expectWithin({ what: 'a webhook whose run takes too long responds', ms: TIMEOUT_SECONDS * 1_000 }, tookMs);
  });

  itInTime('a run that somebody stops is a failed one to the caller, at once', async () => {
    const hook = await hookWith([{ id: 'w', type: 'wait', parameters: { seconds: 600 } }]);
    const answer = send(hook);
    const { id } = await until(() => lastRun(hook));
    await instance.gateway.call('POST', `/api/executions/${id}/stop`, { as: instance.session });
    const stoppedAt = performance.now();
    const { status, body } = await answer;
    const tookMs = performance.now() - stoppedAt;
    expect([status, body.code, body.executionId]).toEqual([500, 'EXECUTION_FAILED', id]);
    expectWithin({ what: 'the caller is told of a stop', ms: 0 }, tookMs);
  });

  it('is not misled by a notification of an end that is not true', async () => {
    const hook = await hookWith([{ id: 'w', type: 'wait', parameters: { seconds: 600 } }]);
    const { follower } = instance.gateway.services.runs;
    const answer = send(hook);
    await until(() => follower.size() === 1);
    const { id } = await lastRun(hook);
    follower.notify([{ executionId: id, ended: 'success' }]);
    await instance.gateway.call('POST', `/api/executions/${id}/stop`, { as: instance.session });
    const { status, body } = await answer;
    expect([status, body.code]).toEqual([500, 'EXECUTION_FAILED']);
  });

  it('a request sent again with its Idempotency-Key waits for the same run and gets the same answer', async () => {
    const hook = await hookWith([
      { id: 'w', type: 'wait', parameters: { seconds: 0.3 } },
      terminal({ body: '{{ $execution.id }}' }),
    ]);
    const ask = (gateway: Gateway) => send(hook, { headers: { 'idempotency-key': 'k' } }, gateway);
    const [first, ...others] = await Promise.all([ask(instance.gateway), ask(other), ask(other)]);
    const late = await ask(other);
    expect([...others, late].map(({ text }) => text)).toEqual(Array.from({ length: 3 }, () => first.text));
    expect(await instance.db.execution.count({ where: { workflowId: hook.workflowId } })).toBe(1);
  });

  it('a request sent again whose run was deleted is answered at once', async () => {
    const hook = await hookWith([terminal({ body: 1 })]);
    const ask = () => send(hook, { headers: { 'idempotency-key': 'k' } });
    expect((await ask()).text).toBe('1');
    const { id } = await lastRun(hook);
    await instance.gateway.call('DELETE', `/api/executions/${id}`, { as: instance.session });
    expect(await ask()).toMatchObject({ status: 404, body: { code: 'NOT_FOUND', executionId: id } });
    expect(await instance.db.execution.count({ where: { workflowId: hook.workflowId } })).toBe(0);
  });

  describe('the id of a sender', () => {
    const SIGNED = { idempotencyKey: '{{ $trigger.body.id }}', responseMode: 'onCompletion' } as const;
    const signed = (nodes: NonNullable<HookOptions['nodes']>) => createHook(instance, SIGNED, { nodes });
    const check = { id: 'check', type: 'fail', parameters: { message: 'forged' } };
    const unlessGenuine = {
      id: 'genuine',
      type: 'if',
      parameters: { condition: '{{ $trigger.body.signature !== 1 }}' },
    };
    const countRuns = ({ workflowId }: Hook) => instance.db.execution.count({ where: { workflowId } });

    it('is free again when its run has failed: a repeated request starts another', async () => {
      const hook = await createHook(instance, SIGNED, { nodes: [check] });
      const answers = [await send(hook, json({ id: 'a' })), await send(hook, json({ id: 'a' }))];
      expect(answers.map(({ status }) => status)).toEqual([500, 500]);
      expect(new Set(answers.map(({ body }) => body.executionId)).size).toBe(2);
      expect(answers[1]?.headers.get('idempotency-replayed')).toBeNull();
    });

    it('is not used up by a forged request, neither by its run nor by a refusal', async () => {
      const { gateway, session, workspaceId } = instance;
      const trigger = { id: 'hook', type: 'trigger.webhook', parameters: { ...SIGNED, secret: 'shared' } };
      const created = await gateway.call('POST', '/api/workflows', {
        as: session,
        body: {
          workspaceId,
          name: 'Signed',
          definition: {
            nodes: [trigger, unlessGenuine, check, terminal({ body: 'done' })],
            edges: [
              { source: 'hook', target: 'genuine' },
              { source: 'genuine', sourceHandle: 'true', target: 'check' },
              { source: 'genuine', sourceHandle: 'false', target: 'end' },
            ],
          },
        },
      });
      const { id: workflowId, webhooks } = created.body;
      await gateway.call('PATCH', `/api/workflows/${workflowId}`, { as: session, body: { status: 'active' } });
      const hook = { workflowId, path: new URL(webhooks[0]!.url).pathname };
      const ask = (signature: number, secret: string) => {
        const { body, headers } = json({ id: 'a', signature });
        return send(hook, { body, headers: { ...headers, 'x-webhook-secret': secret } });
      };
      const answers = [await ask(0, 'guessed'), await ask(0, 'shared'), await ask(1, 'shared'), await ask(1, 'shared')];
      expect(answers.map(({ status }) => status)).toEqual([401, 500, 200, 200]);
      expect(answers.map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, null, null, 'true']);
      expect(await countRuns(hook)).toBe(2);
    });

    it('stays with a run that has responded before it failed, that succeeded, or that somebody stopped', async () => {
      const responded = await signed([{ id: 'r', type: 'respond', parameters: { body: 'got it' } }, check]);
      const first = await send(responded, json({ id: 'a' }));
      await until(async () => (await lastRun(responded)).status === 'failed');
      expect([first.text, (await send(responded, json({ id: 'a' }))).text]).toEqual(['got it', 'got it']);
      const stopped = await signed([{ id: 'w', type: 'wait', parameters: { seconds: 600 } }]);
      const answer = send(stopped, json({ id: 'a' }));
      const { id } = await until(() => lastRun(stopped));
      await instance.gateway.call('POST', `/api/executions/${id}/stop`, { as: instance.session });
      expect([(await answer).status, (await send(stopped, json({ id: 'a' }))).status]).toEqual([500, 500]);
      expect([await countRuns(responded), await countRuns(stopped)]).toEqual([1, 1]);
    });

    it('of a run that timed out is free for exactly one of many repeated requests', async () => {
      const options = { ...SIGNED, options: { timeoutSeconds: 1 } };
      const hook = await createHook(instance, options, {
        nodes: [{ id: 'w', type: 'wait', parameters: { seconds: '{{ $trigger.body.seconds }}' } }],
      });
      expect((await send(hook, json({ id: 'a', seconds: 600 }))).status).toBe(504);
      await until(async () => (await lastRun(hook)).status === 'timeout');
      const again = await Promise.all(
        [instance.gateway, other, other].map((to) => send(hook, json({ id: 'a', seconds: 0 }), to)),
      );
      expect(again.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(await countRuns(hook)).toBe(2);
    });
  });

  it('a request under an Idempotency-Key whose run failed gets its response again', async () => {
    const hook = await hookWith([{ id: 'f', type: 'fail', parameters: { message: 'no' } }]);
    const ask = () => send(hook, { headers: { 'idempotency-key': 'k' } });
    const [first, second] = [await ask(), await ask()];
    expect([first.status, second.status, second.body.executionId]).toEqual([500, 500, first.body.executionId]);
  });

  it('each of many at once, at two gateways, gets its own answer', async () => {
    const hook = await hookWith([
      { id: 'double', type: 'set', parameters: { fields: { n: '{{ $trigger.body.n * 2 }}' } } },
      terminal({ body: { nonce: '{{ $trigger.body.nonce }}', n: '{{ $input.n }}' } }),
    ]);
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, n) =>
        send(hook, json({ n, nonce: `nonce ${n}` }), n % 2 === 0 ? instance.gateway : other),
      ),
    );
    answers.forEach(({ status, body }, n) => {
      expect([status, body]).toEqual([200, { nonce: `nonce ${n}`, n: n * 2 }]);
    });
    expect(await instance.db.execution.count({ where: { workflowId: hook.workflowId } })).toBe(300);
  });

  it('a caller who disconnects ends its wait, not the run', async () => {
    const receiver = await startReceiver();
    const hook = await hookWith([
      { id: 'w', type: 'wait', parameters: { seconds: 0.5 } },
      { id: 'call', type: 'http', parameters: { url: `${receiver.url}/done`, method: 'POST' } },
    ]);
    const gone = new AbortController();
    const answer = send(hook, { signal: gone.signal }).catch((error: unknown) => error);
    await until(async () => (await instance.db.execution.count({ where: { workflowId: hook.workflowId } })) === 1);
    await until(() => instance.gateway.services.runs.follower.size() === 1);
    gone.abort();
    expect(await answer).toMatchObject({ name: 'AbortError' });
    await until(() => instance.gateway.services.runs.follower.size() === 0);
    await until(async () => (await lastRun(hook)).status === 'success', 'the end of the run');
    expect(receiver.calls.length).toBe(1);
  });

  it('waits although every notification is lost, and leaves nobody waiting when the gateway is about to stop', async () => {
    const deaf = await startGateway(instance);
    deaf.services.runs.follower.notify = () => undefined;
    const quick = await hookWith([terminal({ body: 'done' })]);
    expect((await send(quick, {}, deaf)).text).toBe('done');
    const slow = await hookWith([{ id: 'w', type: 'wait', parameters: { seconds: 600 } }]);
    const answers = Array.from({ length: 20 }, () => send(slow, {}, deaf));
    await until(() => deaf.services.runs.follower.size() === 20);
    deaf.services.drain();
    for (const { status, body } of await Promise.all(answers)) {
      expect([status, body.code]).toEqual([504, 'WEBHOOK_TIMEOUT']);
      expect(body.executionId).toMatch(/^[\da-f-]{36}$/);
    }
  });
});
