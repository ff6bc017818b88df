import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deleteWorkflow } from '@deckhand/db';
import { type Call, chain, createWorkflow, type Instance, startInstance, stopAll } from '../../harness/index.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
});
afterAll(stopAll);

const call: Call<[body?: object, ifMatch?: string]> = (method, path, body, ifMatch) =>
  instance.gateway.call(method, path, {
    as: instance.session,
    ...(body === undefined ? {} : { body }),
    ...(ifMatch === undefined ? {} : { headers: { 'if-match': ifMatch } }),
  });

async function make(path: `/api/${'workflows' | 'variables' | 'credentials' | 'folders'}`, body: object) {
  const made = await call('POST', path, { workspaceId: instance.workspaceId, ...body });
  return `${path}/${made.body.id}` as const;
}

describe('If-Match', () => {
  it.each([
    ['a workflow', () => make('/api/workflows', { name: 'A' })],
    ['a variable', () => make('/api/variables', { name: 'a', value: '1' })],
    ['a credential', () => make('/api/credentials', { name: 'A', type: 'bearer', secret: { token: 'a' } })],
  ])('changes %s only as the caller has read it: 412 for what somebody changed since', async (_what, create) => {
    const path = await create();
    const first = await call('PATCH', path, { name: 'b' });
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    const second = await call('PATCH', path, { name: 'c' }, etag);
    expect([second.status, second.headers.get('etag') === etag]).toEqual([200, false]);
    const late = await call('PATCH', path, { name: 'd' }, etag);
    expect([late.status, late.body.code]).toEqual([412, 'PRECONDITION_FAILED']);
    const current = second.headers.get('etag') ?? '';
    expect((await call('PATCH', path, { name: 'e' }, `"other", ${current}`)).status).toBe(200);
    expect((await call('PATCH', path, { name: 'f' }, '*')).status).toBe(200);
    expect((await call('PATCH', path, { name: 'g' }, `W/${current}`)).status).toBe(412);
    expect((await call('PATCH', path, { name: 'h' })).body.name).toBe('h');
  });

  it('lets one of many win who have read the same', async () => {
    const path = await make('/api/variables', { name: 'race', value: '0' });
    const etag = (await call('PATCH', path, { value: '1' })).headers.get('etag') ?? '';
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => call('PATCH', path, { value: `v${n}` }, etag)),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 412)]);
  });

  it('is returned by GET, and another version of a workflow counts as a change', async () => {
    const id = await createWorkflow(instance);
    const path = `/api/workflows/${id}` as const;
    const etag = (await call('GET', path)).headers.get('etag') ?? '';
    await call('POST', `${path}/versions`, { definition: chain() });
    expect((await call('PATCH', path, { name: 'x' }, etag)).status).toBe(412);
    const credential = await make('/api/credentials', { name: 'G', type: 'bearer', secret: { token: 'a' } });
    const read = await call('GET', credential);
    expect((await call('PATCH', credential, { name: 'H' }, read.headers.get('etag') ?? '')).status).toBe(200);
  });

  it('deletes a workflow only as the caller has read it, and stops no run of one that was changed since', async () => {
    const id = await createWorkflow(instance, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
    const path = `/api/workflows/${id}` as const;
    const started = await call('POST', `${path}/execute`);
    expect(started.status).toBe(202);
    const early = (await call('GET', path)).headers.get('etag') ?? '';
    const etag = (await call('PATCH', path, { name: 'B' })).headers.get('etag') ?? '';
    const late = await call('DELETE', path, undefined, early);
    expect([late.status, late.body.code]).toEqual([412, 'PRECONDITION_FAILED']);
    expect((await call('GET', `/api/executions/${started.body.executionId}`)).body.status).toBe('pending');
    expect((await call('DELETE', path, undefined, etag)).status).toBe(204);
    expect((await call('GET', path)).status).toBe(404);
  });

  it('deletes no workflow that was changed while its runs were stopped', async () => {
    const id = await createWorkflow(instance, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
    const path = `/api/workflows/${id}` as const;
    expect((await call('POST', `${path}/execute`)).status).toBe(202);
    const { updatedAt } = await instance.db.workflow.findUniqueOrThrow({ where: { id } });
    const { userId } = await instance.db.membership.findFirstOrThrow({ where: { workspaceId: instance.workspaceId } });
    const changed = async () => {
      expect((await call('PATCH', path, { name: 'Changed' })).status).toBe(200);
    };
    const deletion = deleteWorkflow(instance.db, { userId, boundTo: null }, id, changed, [updatedAt]);
    await expect(deletion).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect((await call('GET', path)).body.name).toBe('Changed');
  });

  it('412: changes nothing that has no ETag, rather than changing it regardless', async () => {
    const folder = await make('/api/folders', { name: 'A' });
    const refused = await call('PATCH', folder, { name: 'B' }, '"anything"');
    expect([refused.status, refused.body.code]).toEqual([412, 'PRECONDITION_FAILED']);
    expect((await call('PATCH', folder, { name: 'C' }, '*')).status).toBe(200);
    const settings = await call('GET', '/api/admin/settings');
    expect((await call('PUT', '/api/admin/settings', settings.body, '"anything"')).status).toBe(412);
  });
});
