import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createHook,
  type Hook,
  type Instance,
  sendHook,
  startInstance,
  startTestWorker,
  stopAll,
  triggerOf,
  until,
} from '../../harness/index.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance);
});
afterAll(stopAll);

const read = async (path: string) => (await instance.gateway.call('GET', path, { as: instance.session })).text;

async function addCredential(type: string, secret: object): Promise<string> {
  const body = { workspaceId: instance.workspaceId, name: type, type, secret };
  return (await instance.gateway.call('POST', '/api/credentials', { as: instance.session, body })).body.id;
}

async function sendTo(hook: Hook, headers: Record<string, string>): Promise<string> {
  const { body } = await sendHook(instance.gateway, hook.path, { headers });
  return body.executionId;
}

async function untilSuccess(executionId: string): Promise<void> {
  const status = async () => JSON.parse(await read(`/api/executions/${executionId}`)).status;
  await until(async () => (await status()) === 'success', 'success');
}

const SENT = {
  authorization: 'Bearer signed-by-the-sender',
  'proxy-authorization': 'Basic of-a-proxy',
  cookie: 'session=of-the-sender; quote="a"',
  'x-api-key': 'key-of-the-sender',
  'x-webhook-secret': 'secret-of-the-sender',
  'x-signature': 'kept-and-shown',
};

describe('headers of a webhook', () => {
  it('reach the workflow, which verifies them itself, and are masked wherever a run is shown', async () => {
    const fields = { verified: "{{ $trigger.headers.authorization == 'Bearer signed-by-the-sender' }}" };
    const hook = await createHook(
      instance,
      {},
      {
        nodes: [
          { id: 'check', type: 'set', parameters: { fields } },
          { id: 'copy', type: 'set', parameters: { fields: { headers: '{{ $trigger.headers }}' } } },
          { id: 'end', type: 'terminal', parameters: { body: '{{ $nodes.check.output.verified }}' } },
        ],
      },
    );
    const executionId = await sendTo(hook, SENT);
    expect((await triggerOf(instance, executionId)).headers).toMatchObject(SENT);
    await untilSuccess(executionId);
    const run = JSON.parse(await read(`/api/executions/${executionId}`));
    expect([run.result.body, run.data.trigger.headers['x-signature']]).toEqual([true, 'kept-and-shown']);
    const masked = Object.fromEntries(Object.keys(SENT).map((name) => [name, '********']));
    for (const { headers } of [run.data.trigger, run.progress.hook.output, run.progress.copy.output]) {
      expect(headers).toMatchObject({ ...masked, 'x-signature': 'kept-and-shown' });
    }

    const ofWorkspace = `workspaceId=${instance.workspaceId}&workflowId=${hook.workflowId}`;
    const shown = await Promise.all([
      read(`/api/executions/${executionId}`),
      read(`/api/executions/${executionId}/events`),
      read(`/api/executions/${executionId}/nodes/hook/output`),
      read(`/api/executions/${executionId}/nodes/copy/output`),
      read(`/api/executions?${ofWorkspace}`),
      read(`/api/workflows/${hook.workflowId}/executions?latest=true`),
      read(`/api/executions/export?${ofWorkspace}&format=json`),
      read(`/api/executions/export?${ofWorkspace}&format=csv`),
    ]);
    for (const text of shown) {
      expect(text).toContain('kept-and-shown');
      for (const secret of ['signed-by', 'of-a-proxy', 'of-the-sender']) expect(text).not.toContain(secret);
    }
  });

  it('are not found by a search for a secret, indexed or not', async () => {
    const hook = await createHook(instance, {});
    const executionId = await sendTo(hook, { ...SENT, 'x-signature': 'looked-for' });
    const found = async (text: string) => {
      const path = `/api/executions?workspaceId=${instance.workspaceId}&workflowId=${hook.workflowId}&search=${text}`;
      return JSON.parse(await read(path)).data.length;
    };
    const hits = async () => [await found('looked-for'), await found('signed-by'), await found('of-the-sender')];
    expect(await hits()).toEqual([1, 0, 0]);
    await untilSuccess(executionId);
    await until(async () => (await instance.db.unindexedExecution.count()) === 0, 'the index');
    expect(await hits()).toEqual([1, 0, 0]);
  });

  it.each([
    ['its secret', { secret: 'sesame' }, undefined, { 'x-webhook-secret': 'sesame' }],
    [
      'a user and a password',
      { authentication: 'basic' },
      { username: 'shop', password: 'pass' },
      { authorization: `Basic ${Buffer.from('shop:pass').toString('base64')}` },
    ],
    ['a token', { authentication: 'bearer' }, { token: 'abc' }, { authorization: 'Bearer abc' }],
    ['an API key', { authentication: 'apiKey' }, { value: 'abc' }, { 'x-api-key': 'abc' }],
    [
      'an API key in a header of its own',
      { authentication: 'apiKey' },
      { header: 'X-Shop-Key', value: 'abc' },
      { 'x-shop-key': 'abc' },
    ],
  ] as const)('leave out only what the trigger checked: %s', async (_what, parameters, secret, checked) => {
    const credentialId =
      'authentication' in parameters && secret ? await addCredential(parameters.authentication, secret) : undefined;
    const hook = await createHook(instance, parameters, credentialId === undefined ? {} : { node: { credentialId } });
    const executionId = await sendTo(hook, { ...SENT, ...checked });
    const { headers } = await triggerOf(instance, executionId);
    const kept = Object.fromEntries(Object.entries(SENT).filter(([name]) => !Object.hasOwn(checked, name)));
    expect(headers).toMatchObject(kept);
    for (const name of Object.keys(checked)) expect(headers).not.toHaveProperty(name);
  });
});
