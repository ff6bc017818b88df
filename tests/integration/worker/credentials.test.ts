import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { echoOf, serve } from '../../harness/serve.ts';
import {
  addPerson,
  callWithKey,
  chain,
  createWorkflow,
  type Gateway,
  type Instance,
  OWNER,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let gateway: Gateway;
/** Responds to every request with its own content; /echo-error with a status that fails the node. */
let echo: string;
/** Redirects every request to the echo, which is another origin. */
let elsewhere: string;

beforeAll(async () => {
  instance = await startInstance();
  ({ gateway } = instance);
  await startTestWorker(instance, { publicUrl: gateway.url });
  ({ url: echo } = await serve((request, response) => {
    void echoOf(request).then((sent) => {
      response.writeHead(request.url === '/echo-error' ? 400 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(sent));
    });
  }));
  ({ url: elsewhere } = await serve((_request, response) => {
    response.writeHead(302, { location: `${echo}/moved` }).end();
  }));
});
afterAll(stopAll);

const SECRET = 'zq-Very "secret"/value';
/** The text that replaces a secret. */
const MASK = '********';

const call = callWithKey(() => instance);

async function keep(type: string, secret: object, workspaceId = instance.workspaceId): Promise<string> {
  const { body } = await call('POST', '/api/credentials', { workspaceId, name: type, type, secret });
  return body.id;
}

const request = (url: string, credentialId: string, more: object = {}) =>
  chain({ id: 'call', type: 'http', parameters: { url, ...more }, credentialId });

async function run(definition: object, mode = 'debug') {
  return runOf(await createWorkflow(instance, definition), mode);
}

async function runOf(id: string, mode = 'debug') {
  const { body } = await call('POST', `/api/workflows/${id}/execute`, { executionMode: mode });
  return until(async () => {
    const { body: found, text } = await call('GET', `/api/executions/${body.executionId}`);
    return ['success', 'failed'].includes(found.status) ? { ...found, text } : undefined;
  });
}

/** The headers that reached the echo. */
/** A run whose node `call` sent these headers to the echo. */
const withHeaders = (headers: object) => ({ progress: { call: { output: { body: { headers } } } } });

describe('an http node with a credential', () => {
  it.each([
    ['apiKey', { value: SECRET }, 'x-api-key', MASK],
    ['apiKey', { header: 'X-Mine', value: SECRET }, 'x-mine', MASK],
    ['header', { name: 'X-Token', value: SECRET }, 'x-token', MASK],
    ['bearer', { token: SECRET }, 'authorization', MASK],
    ['basic', { username: 'ada', password: SECRET }, 'authorization', MASK],
  ])('sends %s %j, and shows none of it', async (type, secret, header, shown) => {
    const found = await run(request(`${echo}/`, await keep(type, secret)));
    expect(found.status).toBe('success');
    // The echo returned it, so it arrived, and it was masked.
    expect(found).toMatchObject(withHeaders({ [header]: shown }));
    expect(found.text).not.toContain(JSON.stringify(SECRET).slice(1, -1));
    const rows = await instance.db.$queryRaw`SELECT to_jsonb(n)::text AS row FROM node_runs n`;
    expect(JSON.stringify(rows)).not.toContain('zq-Very');
  });

  it('wins over a header that was written down, and is masked in an error too', async () => {
    const id = await keep('bearer', { token: SECRET });
    const found = await run(request(`${echo}/echo-error`, id, { headers: { Authorization: 'Bearer other' } }));
    expect(found.error).toMatchObject({ code: 'HTTP_STATUS', message: expect.stringContaining(`Bearer ${MASK}`) });
    expect(found.text).not.toContain('Bearer other","x');
  });

  it('does not send it on to another origin', async () => {
    const found = await run(request(`${elsewhere}/`, await keep('header', { name: 'X-Mine', value: SECRET })));
    expect(found.status).toBe('success');
    expect(found).not.toHaveProperty('progress.call.output.body.headers.x-mine');
  });

  it('fails once the credential is deleted, and uses a secret that was replaced', async () => {
    const id = await keep('header', { name: 'X-Token', value: 'short' });
    const definition = request(`${echo}/`, id);
    const before = await run(definition);
    expect(before).toMatchObject(withHeaders({ 'x-token': 'short' }));
    await call('PATCH', `/api/credentials/${id}`, { secret: { name: 'X-Token', value: 'other' } });
    expect(await run(definition)).toMatchObject(withHeaders({ 'x-token': 'other' }));

    const workflowId = await createWorkflow(instance, definition);
    expect((await call('DELETE', `/api/credentials/${id}`)).status).toBe(204);
    const { body } = await call('POST', `/api/workflows/${workflowId}/execute`, {});
    const found = await until(async () => {
      const answer = await call('GET', `/api/executions/${body.executionId}`);
      return answer.body.status === 'failed' ? answer.body : undefined;
    });
    expect(found.error).toMatchObject({ code: 'CREDENTIAL_NOT_FOUND', nodeId: 'call' });
  });

  it('does nothing with it in sandbox mode', async () => {
    const found = await run(request(`${echo}/`, await keep('bearer', { token: SECRET })), 'sandbox');
    expect(found.progress.call!.output).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: {},
    });
  });
});

describe('saving a definition', () => {
  const save = (definition: object) =>
    call('POST', '/api/workflows', { workspaceId: instance.workspaceId, name: 'Test', definition });

  it('names a credential that is not in this workspace, be it in another of the same person', async () => {
    const { body } = await gateway.call('POST', '/api/workspaces', { as: instance.session, body: { name: 'Other' } });
    const other = await keep('bearer', { token: SECRET }, body.workspaceId);
    for (const id of [uuidv7(), other]) {
      const answer = await save(request(echo, id));
      expect([answer.status, answer.body.details]).toEqual([
        400,
        [
          {
            path: 'definition.nodes[1].credentialId',
            nodeId: 'call',
            message: 'is not a credential of this workspace',
          },
        ],
      ]);
    }
  });

  it('names one of a type that the node cannot use, and one where none is used', async () => {
    const id = await keep('smtp', { host: 'mail.example', port: 25 });
    const wrong = await save(request(echo, id));
    expect(wrong.body.details).toEqual([
      {
        path: 'definition.nodes[1].credentialId',
        nodeId: 'call',
        message: 'is a credential of type smtp; this node takes apiKey, basic, bearer, header, oauth2',
      },
    ]);
    const unused = await save(chain({ id: 'a', type: 'set', parameters: { fields: {} }, credentialId: id }));
    expect(unused.body.details).toEqual([
      { path: 'definition.nodes[1].credentialId', nodeId: 'a', message: 'nodes of type set use no credential' },
    ]);
  });

  it('asks for the one that a parameter needs', async () => {
    const hook = (parameters: object, more: object = {}) => ({
      nodes: [{ id: 'hook', type: 'trigger.webhook', parameters, ...more }],
      edges: [],
    });
    const missing = await save(hook({ authentication: 'basic' }));
    expect(missing.body.details).toEqual([
      { path: 'definition.nodes[0].credentialId', nodeId: 'hook', message: 'is required: a credential of type basic' },
    ]);
    // Until it is enabled.
    const disabled = await save(hook({ authentication: 'basic' }, { disabled: true }));
    expect(disabled.status).toBe(201);
    const enabled = { definition: hook({ authentication: 'basic' }) };
    const refused = await call('POST', `/api/workflows/${disabled.body.id}/versions`, enabled);
    expect([refused.status, refused.body.details]).toEqual([400, missing.body.details]);
    const bearer = await keep('bearer', { token: SECRET });
    const wrong = await save(hook({ authentication: 'basic' }, { credentialId: bearer }));
    expect(wrong.body.details).toEqual([
      {
        path: 'definition.nodes[0].credentialId',
        nodeId: 'hook',
        message: 'is a credential of type bearer; this node takes basic',
      },
    ]);
    expect((await save(hook({ authentication: 'bearer' }, { credentialId: bearer }))).status).toBe(201);
  });

  it('checks the credentials of a new version too', async () => {
    const workflowId = await createWorkflow(instance);
    const answer = await call('POST', `/api/workflows/${workflowId}/versions`, { definition: request(echo, uuidv7()) });
    expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
  });
});

describe('a key that is saved as a credential', () => {
  const makeKey = async () => {
    const body = { name: 'saved', password: OWNER.password, saveAsCredential: true, workspaceId: instance.workspaceId };
    const answer = await gateway.call('POST', '/api/api-keys', { as: instance.session, body });
    return answer.body as { id: string; key: string; credentialId: string };
  };

  /** A request to this instance's own API. */
  const ask = (credentialId: string) =>
    request(`${gateway.url}/api/workflows?workspaceId=${instance.workspaceId}`, credentialId);

  it('calls the API of this instance in versions that its owner saved', async () => {
    const { credentialId } = await makeKey();
    const found = await run(ask(credentialId));
    expect(found.progress.call!.output).toMatchObject({ status: 200, body: { data: expect.any(Array) } });
  });

  it('is sent to no other server and to no webhook', async () => {
    const { credentialId } = await makeKey();
    for (const url of [`${echo}/api/x`, `${gateway.url}/webhook/abcdefgh`, `${gateway.url}/api/../webhook/abcdefgh`]) {
      expect((await run(request(url, credentialId))).error).toMatchObject({ code: 'CREDENTIAL_HOST', nodeId: 'call' });
    }
    const sign = { id: 'call', type: 'hmac', credentialId, parameters: { operation: 'sign', data: 'x' } };
    expect((await run(chain(sign))).error).toMatchObject({ code: 'CREDENTIAL_HOST' });
  });

  it('stays private', async () => {
    const { credentialId } = await makeKey();
    expect(await call('GET', `/api/credentials/${credentialId}`)).toMatchObject({
      body: { visibility: 'private', ownerId: expect.any(String) },
    });
    expect(await call('PATCH', `/api/credentials/${credentialId}`, { visibility: 'shared' })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'visibility', message: 'an API key is private to its owner' }] },
    });
  });

  it('cannot be named by anybody else who saves a version', async () => {
    const { credentialId } = await makeKey();
    const editor = await addPerson(instance, 'editor');
    const body = { workspaceId: instance.workspaceId, name: 'W', definition: request(`${echo}/`, credentialId) };
    const answer = await gateway.call('POST', '/api/workflows', { as: editor.session, body });
    const details = [
      { path: 'definition.nodes[1].credentialId', nodeId: 'call', message: expect.stringContaining('another person') },
    ];
    expect(answer).toMatchObject({ status: 400, body: { details } });
  });

  it('is not sent by a version of somebody else, however that came to be', async () => {
    const { credentialId } = await makeKey();
    const id = await createWorkflow(instance, ask(credentialId));
    const editor = await addPerson(instance, 'editor');
    await instance.db.workflowVersion.updateMany({ where: { workflowId: id }, data: { createdBy: editor.userId } });
    expect((await runOf(id)).error).toMatchObject({ code: 'CREDENTIAL_PRIVATE', nodeId: 'call' });
  });

  it('ends with the key', async () => {
    const { id, credentialId } = await makeKey();
    const workflowId = await createWorkflow(instance, ask(credentialId));
    expect((await runOf(workflowId)).status).toBe('success');
    await gateway.call('POST', `/api/api-keys/${id}/revoke`, { as: instance.session });
    expect((await runOf(workflowId)).error).toMatchObject({ code: 'CREDENTIAL_ENDED', nodeId: 'call' });
  });
});

describe('a private credential', () => {
  it('is named and used by versions of its owner alone', async () => {
    const owner = await addPerson(instance, 'editor');
    const as = owner.session;
    const body = { workspaceId: instance.workspaceId, name: 'c', type: 'bearer', secret: { token: SECRET } };
    const kept = await gateway.call('POST', '/api/credentials', { as, body: { ...body, visibility: 'private' } });
    const definition = request(`${echo}/`, kept.body.id);
    const save = (who: string) =>
      gateway.call('POST', '/api/workflows', {
        as: who,
        body: { workspaceId: instance.workspaceId, name: 'W', definition },
      });
    expect(await save(instance.session)).toMatchObject({
      status: 400,
      body: { details: [{ message: 'is private to another person, who alone may use it' }] },
    });
    const { body: workflow } = await save(as);
    expect(await runOf(workflow.id)).toMatchObject(withHeaders({ authorization: MASK }));
    // Its owner's account is deleted, so the version's author is unknown: that does not count as the same person.
    await instance.db.user.delete({ where: { id: owner.userId } });
    await instance.db.workflowVersion.updateMany({ where: { workflowId: workflow.id }, data: { createdBy: null } });
    expect((await runOf(workflow.id)).error).toMatchObject({ code: 'CREDENTIAL_PRIVATE' });
  });
});

describe('a credential with limits', () => {
  const keepLimited = async (limits: object, type = 'bearer', secret: object = { token: SECRET }) => {
    const body = { workspaceId: instance.workspaceId, name: 'limited', type, secret, ...limits };
    return (await call('POST', '/api/credentials', body)).body.id;
  };

  it('is sent to its hosts alone', async () => {
    const { host } = new URL(echo);
    const id = await keepLimited({ allowedHosts: [host] });
    expect((await run(request(`${echo}/`, id))).status).toBe('success');
    const found = await run(request(`${elsewhere}/`, id));
    expect(found.error).toMatchObject({
      code: 'CREDENTIAL_HOST',
      message: expect.stringContaining(`is for ${host}, not for ${new URL(elsewhere).host}`),
    });
    expect(
      (await run(chain({ id: 'call', type: 'hmac', credentialId: id, parameters: { operation: 'sign', data: 'x' } })))
        .error,
    ).toMatchObject({ code: 'CREDENTIAL_HOST' });
  });

  it.each([
    ['postgres', { connectionString: 'postgres://u:p@127.0.0.1:1/x' }, { query: 'SELECT 1' }],
    [
      's3',
      { accessKeyId: 'k', secretAccessKey: 's', endpoint: 'http://127.0.0.1:1' },
      { operation: 'list', bucket: 'b-1' },
    ],
    ['smtp', { host: '127.0.0.1', port: 1 }, { from: 'a@b.example', to: 'c@d.example', subject: 's', text: 't' }],
  ])('counts the server that a %s credential names', async (type, secret, parameters) => {
    const node = { id: 'call', type: type === 'smtp' ? 'email' : type, parameters };
    const other = await keepLimited({ allowedHosts: ['db.example.com'] }, type, secret);
    expect((await run(chain({ ...node, credentialId: other }))).error).toMatchObject({ code: 'CREDENTIAL_HOST' });
    const own = await keepLimited({ allowedHosts: ['127.0.0.1:1'] }, type, secret);
    expect((await run(chain({ ...node, credentialId: own }))).error!.code).toMatch(
      /_UNREACHABLE$|^HTTP_REQUEST_FAILED$/,
    );
  });

  it('is used by nodes of its workflows alone', async () => {
    const allowed = await createWorkflow(instance);
    const id = await keepLimited({ allowedWorkflowIds: [allowed] });
    const definition = request(`${echo}/`, id);
    const save = (workflowId: string) => call('POST', `/api/workflows/${workflowId}/versions`, { definition });
    expect((await save(allowed)).status).toBe(201);
    expect((await runOf(allowed)).status).toBe('success');
    expect(await save(await createWorkflow(instance))).toMatchObject({
      status: 400,
      body: { details: [{ message: 'is for other workflows than this one' }] },
    });
    const other = await createWorkflow(instance);
    await call('PATCH', `/api/credentials/${id}`, { allowedWorkflowIds: [other] });
    expect((await runOf(allowed)).error).toMatchObject({ code: 'CREDENTIAL_OTHER_WORKFLOW', nodeId: 'call' });
    await call('PATCH', `/api/credentials/${id}`, { allowedWorkflowIds: null });
    expect((await runOf(allowed)).status).toBe('success');
  });
});
