import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addPerson,
  createKey,
  createWorkflow,
  type Gateway,
  type Instance,
  OWNER,
  startInstance,
  stopAll,
  WORLD_DEFINITION,
} from '../../harness/index.ts';

let instance: Instance;
let gateway: Gateway;

beforeAll(async () => {
  instance = await startInstance(undefined, { env: { TRUSTED_PROXIES: 'loopback' } });
  ({ gateway } = instance);
});
afterAll(stopAll);

function read(as = instance.session, query = '') {
  return gateway.call('GET', `/api/audit-log?workspaceId=${instance.workspaceId}${query}`, { as });
}

async function createKeyNamed(name: string, options: object = {}) {
  const body = { name, password: OWNER.password, saveAsCredential: false, ...options };
  return (await gateway.call('POST', '/api/api-keys', { as: instance.session, body })).body;
}

describe('the audit log', () => {
  it('says who changed what, from where, and with which key', async () => {
    const workflowId = await createWorkflow(instance);
    const headers = { 'x-request-id': 'audit-1', 'x-forwarded-for': '203.0.113.9' };
    const path = `/api/workflows/${workflowId}`;
    await gateway.call('PATCH', path, { as: instance.key, body: { name: 'Renamed' }, headers });
    await gateway.call('DELETE', path, { as: instance.session });
    const { status, body } = await read(instance.session, `&resourceId=${workflowId}&includeTotal=true`);
    expect([status, body.total, body.hasMore]).toEqual([200, 3, false]);
    expect(body.data.map(({ action }) => action)).toEqual(['workflow.delete', 'workflow.update', 'workflow.create']);
    expect(body.data[0]!.userName).toBe(OWNER.name);
    expect(body.data[0]).toMatchObject({ userEmail: OWNER.email.toLowerCase(), apiKeyId: null, apiKeyName: null });
    expect(body.data[1]).toMatchObject({
      userEmail: OWNER.email.toLowerCase(),
      apiKeyId: expect.any(String),
      apiKeyName: 'test',
      resourceType: 'workflow',
      details: { changed: ['name'] },
      address: '203.0.113.9',
      requestId: 'audit-1',
    });
  });

  it('names the key that a member has created, whichever workspace it is for, and resources by their names', async () => {
    const { id } = await createKeyNamed('Of all workspaces');
    const bound = await createKeyNamed('Of this one', { workspaceId: instance.workspaceId });
    await gateway.call('POST', `/api/api-keys/${id}/revoke`, { as: instance.session });
    const workflowId = await createWorkflow(instance);
    await gateway.call('PATCH', `/api/workflows/${workflowId}`, { as: instance.session, body: { name: 'Orders' } });
    const named = async (resourceId: string) =>
      (await read(instance.session, `&resourceId=${resourceId}`)).body.data.map(({ action, resourceName }) => [
        action,
        resourceName,
      ]);
    expect(await named(id)).toEqual([
      ['apiKey.revoke', 'Of all workspaces'],
      ['apiKey.create', 'Of all workspaces'],
    ]);
    expect(await named(bound.id)).toEqual([['apiKey.create', 'Of this one']]);
    expect(await named(workflowId)).toEqual([
      ['workflow.update', 'Orders'],
      ['workflow.create', 'Orders'],
    ]);
    const variable = { workspaceId: instance.workspaceId, name: 'gone', value: '1' };
    const made = await gateway.call('POST', '/api/variables', { as: instance.session, body: variable });
    await gateway.call('DELETE', `/api/variables/${made.body.id}`, { as: instance.session });
    expect(await named(made.body.id)).toEqual([
      ['variable.delete', null],
      ['variable.create', 'gone'],
    ]);
  });

  it('has one entry about a key in each workspace of its owner, and one in the instance', async () => {
    const workspace = { as: instance.session, body: { name: 'Second' } };
    const { body: second } = await gateway.call('POST', '/api/workspaces', workspace);
    const { id } = await createKeyNamed('Of both');
    const bound = await createKeyNamed('Of the second', { workspaceId: second.id });
    const inWorkspaces = async (resourceId: string) =>
      (
        await gateway.call('GET', `/api/admin/audit-log?resourceId=${resourceId}`, { as: instance.session })
      ).body.data.map(({ workspaceId }) => workspaceId);
    expect([await inWorkspaces(id), await inWorkspaces(bound.id)]).toEqual([[null], [second.id]]);
    for (const workspaceId of [instance.workspaceId, second.id]) {
      for (const path of ['audit-log', 'admin/audit-log'] as const) {
        const { body } = await gateway.call(
          'GET',
          `/api/${path}?workspaceId=${workspaceId}&resourceId=${id}&includeTotal=true`,
          { as: instance.session },
        );
        expect([body.total, body.data[0]?.workspaceId]).toEqual([1, workspaceId]);
      }
    }
  });

  it('shows administrators sign-ins, entries without a workspace, and those of deleted workspaces', async () => {
    const origin = { 'x-request-id': 'sign-in-1', 'x-forwarded-for': '203.0.113.8' };
    const signIn = { email: OWNER.email, password: OWNER.password };
    await gateway.call('POST', '/api/auth/login', { body: signIn, headers: origin });
    await createKey(gateway, instance.session, { name: 'Audited' });
    const { body: gone } = await gateway.call('POST', '/api/workspaces', {
      as: instance.session,
      body: { name: 'Gone' },
    });
    await gateway.call('DELETE', `/api/workspaces/${gone.id}`, { as: instance.session });
    const all = (query: string, as = instance.session) => gateway.call('GET', `/api/admin/audit-log?${query}`, { as });
    expect((await all('action=session.create')).body.data[0]).toMatchObject({
      userEmail: OWNER.email.toLowerCase(),
      workspaceId: null,
      address: '203.0.113.8',
      requestId: 'sign-in-1',
    });
    expect((await all('action=apiKey.create')).body.data[0]!.details).toMatchObject({ name: 'Audited' });
    const ofGone = (await all(`workspaceId=${gone.id}`)).body.data;
    expect(ofGone.map(({ action }: { action: string }) => action)).toEqual(['workspace.delete', 'workspace.create']);
    const everything = (await all('')).body.data.map(({ workspaceId }) => workspaceId);
    expect(everything).toEqual(expect.arrayContaining([null, gone.id, instance.workspaceId]));
    const admin = await addPerson(instance, 'admin');
    expect((await all('', admin.session)).body.code).toBe('FORBIDDEN');
    expect((await all('', instance.key)).body.code).toBe('SESSION_REQUIRED');
  });

  it('says once an hour that a key started runs of a workflow, with the first of them, and from where', async () => {
    const workflowId = await createWorkflow(instance, WORLD_DEFINITION);
    const path = `/api/workflows/${workflowId}/execute`;
    const start = async (address: string, as = instance.key) =>
      (await gateway.call('POST', path, { as, headers: { 'x-forwarded-for': address } })).body.executionId;
    const first = await start('203.0.113.1');
    await start('203.0.113.1');
    const elsewhere = await start('203.0.113.2');
    await start('203.0.113.3', instance.session);
    const { body } = await read(instance.session, `&resourceId=${workflowId}&action=workflow.execute`);
    expect(body.data.map(({ details, address, apiKeyName }) => ({ ...details, address, apiKeyName }))).toEqual([
      { executionId: elsewhere, address: '203.0.113.2', apiKeyName: 'test' },
      { executionId: first, address: '203.0.113.1', apiKeyName: 'test' },
    ]);
  });

  it('says nothing of a change that was refused', async () => {
    const viewer = await addPerson(instance, 'viewer');
    const workflowId = await createWorkflow(instance);
    const before = await instance.db.auditEntry.count();
    const path = `/api/workflows/${workflowId}`;
    expect((await gateway.call('PATCH', path, { as: viewer.session, body: { name: 'x' } })).status).toBe(403);
    expect((await gateway.call('PATCH', path, { as: instance.session, body: { status: 'active' } })).status).toBe(409);
    expect(await instance.db.auditEntry.count()).toBe(before);
  });

  it('holds neither passwords nor keys', async () => {
    const key = await createKey(gateway, instance.session, { preset: 'full', workspaceId: instance.workspaceId });
    const { text } = await read();
    expect(text).toContain('apiKey.create');
    expect(text).not.toContain(key);
    expect(text).not.toContain(OWNER.password);
  });

  it('is read by every member and by a key with audit-log:read: 200', async () => {
    const viewer = await addPerson(instance, 'viewer');
    const key = await createKey(gateway, instance.session, { scopes: ['audit-log:read'] });
    expect((await read(viewer.session)).status).toBe(200);
    expect((await read(key)).status).toBe(200);
    expect((await read(instance.session, '&action=workflow.create&limit=1')).body.data).toHaveLength(1);
  });

  it('403: for a stranger, and for a key without the scope', async () => {
    const stranger = await addPerson(instance);
    expect((await read(stranger.session)).body.code).toBe('FORBIDDEN');
    const key = await createKey(gateway, instance.session, { scopes: ['workflows:read'] });
    expect((await read(key)).body).toMatchObject({ code: 'INSUFFICIENT_SCOPE', required: 'audit-log:read' });
  });

  it('400 and 405: asks for a workspace, and cannot be written to', async () => {
    expect((await gateway.call('GET', '/api/audit-log', { as: instance.session })).status).toBe(400);
    const path = `/api/audit-log?workspaceId=${instance.workspaceId}`;
    expect((await gateway.call('DELETE', path, { as: instance.session })).status).toBe(405);
  });

  it('only grows, whoever writes to the database', async () => {
    await createWorkflow(instance);
    const { db } = instance;
    const changes = [
      db.auditEntry.deleteMany(),
      db.auditEntry.updateMany({ data: { action: 'nothing' } }),
      db.$executeRaw`TRUNCATE audit_log`,
    ];
    for (const change of changes) await expect(change).rejects.toThrow('the audit log only grows');
    expect(await db.auditEntry.count()).toBeGreaterThan(0);
  });
});
