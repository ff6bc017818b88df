import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addPerson,
  type Call,
  chain,
  createWorkflow,
  digestTables,
  type Gateway,
  type Instance,
  startInstance,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let gateway: Gateway;

beforeAll(async () => {
  instance = await startInstance();
  ({ gateway } = instance);
});
afterAll(stopAll);

const call: Call<[body?: object, as?: string]> = (method, path, body, as = instance.session) =>
  gateway.call(method, path, { as, ...(body === undefined ? {} : { body }) });
const duplicate = (id: string, body?: object, as?: string) => call('POST', `/api/workflows/${id}/duplicate`, body, as);
const valued = (n: number) => chain({ id: 'a', type: 'set', parameters: { fields: { n } } });

async function create(
  path: `/api/${'workspaces' | 'credentials' | 'folders' | 'workflows'}`,
  body: object,
): Promise<string> {
  const answer = await call('POST', path, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.id;
}

const createWorkspace = () => create('/api/workspaces', { name: 'Other' });
const createCredential = (workspaceId: string) =>
  create('/api/credentials', { workspaceId, name: 'Shop', type: 'bearer', secret: { token: 't' } });

describe('a duplicate of a workflow', () => {
  it('is a draft with the latest version, in the same folder, and changes nothing about the original', async () => {
    const { workspaceId } = instance;
    const folderId = await create('/api/folders', { workspaceId, name: 'Orders' });
    const body = { workspaceId, name: 'Orders', description: 'All of them', folderId, definition: valued(1) };
    const id = await create('/api/workflows', body);
    await call('POST', `/api/workflows/${id}/versions`, { definition: valued(2) });
    await call('PATCH', `/api/workflows/${id}`, { status: 'active' });
    const original = (await call('GET', `/api/workflows/${id}`)).body;
    const made = await duplicate(id);
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: 'Orders (copy)',
        description: 'All of them',
        folderId,
        workspaceId,
        status: 'draft',
        activeVersionId: null,
        definition: valued(2),
        warnings: [],
      },
    });
    const versions = await call('GET', `/api/workflows/${made.body.id}/versions`);
    expect(versions.body.data).toMatchObject([{ number: 1, comment: 'Copy of version 2 of Orders' }]);
    expect((await call('GET', `/api/workflows/${id}`)).body).toEqual(original);
    const log = await call('GET', `/api/audit-log?workspaceId=${workspaceId}&resourceId=${made.body.id}`);
    expect(log.body.data).toMatchObject([
      {
        action: 'workflow.create',
        details: { duplicateOf: { workflowId: id, workflowVersionId: original.latestVersionId } },
      },
    ]);
  });

  it('takes a name, a folder and a version; 400: for a version or a folder of elsewhere', async () => {
    const id = await createWorkflow(instance, valued(1));
    const { latestVersionId } = (await call('GET', `/api/workflows/${id}`)).body;
    await call('POST', `/api/workflows/${id}/versions`, { definition: valued(2) });
    const made = await duplicate(id, { name: 'Mine', folderId: null, versionId: latestVersionId });
    expect(made.body).toMatchObject({ name: 'Mine', folderId: null, definition: valued(1) });
    for (const name of ['versionId', 'folderId']) {
      const refused = await duplicate(id, { [name]: id });
      expect([refused.status, refused.body.details?.[0]?.path]).toEqual([400, name]);
    }
    const empty = await duplicate(await createWorkflow(instance));
    expect([empty.status, empty.body.latestVersionId, empty.body.definition]).toEqual([201, null, null]);
  });

  it("has URLs and secrets of its own: the original's secret opens no webhook of it", async () => {
    const parameters = { path: 'orders-of-the-first-shop', secret: 'known to senders' };
    const hook = { nodes: [{ id: 'hook', type: 'trigger.webhook', parameters }], edges: [] };
    const id = await createWorkflow(instance, hook);
    const { body: made } = await duplicate(id);
    const [original] = (await call('GET', `/api/workflows/${id}`)).body.webhooks;
    expect(made.webhooks[0]!.url).not.toBe(original!.url);
    expect(made.warnings).toMatchObject([{ path: 'definition.nodes[0].parameters.secret', nodeId: 'hook' }]);
    for (const workflowId of [id, made.id]) await call('PATCH', `/api/workflows/${workflowId}`, { status: 'active' });
    const headers = { 'x-webhook-secret': parameters.secret };
    const statusOf = async (url: string, sent: Record<string, string>) =>
      (await fetch(`${gateway.url}${new URL(url).pathname}`, { method: 'POST', headers: sent })).status;
    expect(await statusOf(original!.url, headers)).toBe(200);
    expect(await statusOf(made.webhooks[0]!.url, headers)).toBe(401);
    expect(await statusOf(made.webhooks[0]!.url, {})).toBe(401);
    // Deliveries are recorded after the response: the next test compares all tables.
    await until(async () => (await instance.db.webhookDelivery.count()) === 3);
  });

  it('keeps credentials that its author may use there; 400: naming the nodes of others, and nothing is made', async () => {
    const editor = await addPerson(instance, 'editor');
    const credentialId = await createCredential(instance.workspaceId);
    const url = 'https://shop.example';
    const calling = chain({ id: 'call', type: 'http', parameters: { url }, credentialId });
    const id = await createWorkflow(instance, calling);
    expect((await duplicate(id, {}, editor.session)).body.definition).toEqual(calling);
    await call('PATCH', `/api/credentials/${credentialId}`, { visibility: 'private' });
    expect((await duplicate(id)).status).toBe(201);
    const elsewhere = await createWorkspace();
    const before = await digestTables(instance.db);
    for (const refused of [await duplicate(id, {}, editor.session), await duplicate(id, { workspaceId: elsewhere })]) {
      expect([refused.status, refused.body.details]).toMatchObject([
        400,
        [{ path: 'definition.nodes[1].credentialId', nodeId: 'call' }],
      ]);
    }
    expect(await digestTables(instance.db)).toEqual(before);
  });

  it('goes to another workspace of its author: in no folder, warning of workflows that are not there', async () => {
    const { workspaceId } = instance;
    const folderId = await create('/api/folders', { workspaceId, name: 'Here' });
    const other = await createWorkflow(instance, valued(1));
    const definition = chain({ id: 'call', type: 'workflow', parameters: { workflowId: other } });
    const id = await create('/api/workflows', { workspaceId, name: 'W', folderId, definition });
    const elsewhere = await createWorkspace();
    const made = await duplicate(id, { workspaceId: elsewhere });
    expect(made).toMatchObject({ status: 201, body: { workspaceId: elsewhere, folderId: null } });
    expect(made.body.warnings).toMatchObject([{ path: 'definition.nodes[1].parameters.workflowId', nodeId: 'call' }]);
  });

  it('403 in a workspace of others and for viewers, 404 for a workflow of others', async () => {
    const id = await createWorkflow(instance, valued(1));
    const [viewer, stranger] = [await addPerson(instance, 'viewer'), await addPerson(instance)];
    expect((await duplicate(id, {}, viewer.session)).status).toBe(403);
    expect((await duplicate(id, {}, stranger.session)).status).toBe(404);
    const nowhere = '01a1fb35-e8df-7352-8660-75a19a555603';
    expect((await duplicate(id, { workspaceId: nowhere })).body.code).toBe('FORBIDDEN');
  });

  it('is made once with an Idempotency-Key', async () => {
    const id = await createWorkflow(instance, valued(1));
    const request = { as: instance.key, body: {}, headers: { 'idempotency-key': 'once' } };
    const ask = () => gateway.call('POST', `/api/workflows/${id}/duplicate`, request);
    const [first, second] = [await ask(), await ask()];
    expect([first.status, second.status, second.body.id]).toEqual([201, 201, first.body.id]);
  });
});
