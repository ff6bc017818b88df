import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addPerson, createWorkflow, type Gateway, type Instance, startInstance, stopAll } from '../../harness/index.ts';

let instance: Instance;
let gateway: Gateway;

beforeAll(async () => {
  instance = await startInstance();
  ({ gateway } = instance);
});
afterAll(stopAll);

const create = (body: object, as = instance.key) =>
  gateway.call('POST', '/api/folders', { as, body: { workspaceId: instance.workspaceId, ...body } });
const patch = (id: string, body: object, as = instance.key) =>
  gateway.call('PATCH', `/api/folders/${id}`, { as, body });

/** Creates a folder. @returns its id. */
async function folder(name: string, parentId: string | null = null): Promise<string> {
  const { status, body, text } = await create({ name, parentId });
  if (status !== 201) throw new Error(text);
  return body.id;
}

describe('folders', () => {
  it('are created, listed, renamed and moved', async () => {
    const outer = await folder('Outer');
    const inner = await create({ name: 'Inner' });
    expect(inner).toMatchObject({ status: 201, body: { parentId: null, workspaceId: instance.workspaceId } });
    const moved = await patch(inner.body.id, { parentId: outer, name: 'Within' });
    expect(moved).toMatchObject({ status: 200, body: { id: inner.body.id, parentId: outer, name: 'Within' } });
    const path = `/api/folders?workspaceId=${instance.workspaceId}&includeTotal=true` as const;
    const { body } = await gateway.call('GET', path, { as: instance.key });
    expect(body).toMatchObject({ total: 2, hasMore: false });
    expect(body.data).toContainEqual(moved.body);
    expect((await patch(inner.body.id, { parentId: null })).body.parentId).toBeNull();
  });

  it('400: are never within themselves', async () => {
    const top = await folder('Top');
    const middle = await folder('Middle', top);
    const bottom = await folder('Bottom', middle);
    for (const parentId of [top, middle, bottom]) {
      const { status, body } = await patch(top, { parentId });
      expect([status, body.details?.[0]?.path]).toEqual([400, 'parentId']);
    }
  });

  it('make no circle when two are moved into each other at once', async () => {
    const [left, right] = [await folder('Left'), await folder('Right')];
    const answers = await Promise.all([patch(left, { parentId: right }), patch(right, { parentId: left })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it('204: go with the folders in them, while workflows stay without a folder', async () => {
    const top = await folder('Gone');
    const below = await folder('Gone too', top);
    const workflowId = await createWorkflow(instance);
    const path = `/api/workflows/${workflowId}` as const;
    await gateway.call('PATCH', path, { as: instance.key, body: { folderId: below } });
    expect((await gateway.call('DELETE', `/api/folders/${top}`, { as: instance.key })).status).toBe(204);
    expect((await gateway.call('GET', path, { as: instance.key })).body.folderId).toBeNull();
    expect((await patch(below, { name: 'x' })).status).toBe(404);
  });

  it('narrow the list of workflows: to one, with those in it, and to what is in none', async () => {
    const workspace = await gateway.call('POST', '/api/workspaces', { as: instance.session, body: { name: 'Narrow' } });
    const workspaceId: string = workspace.body.id;
    const make = async (path: '/api/folders' | '/api/workflows', body: object): Promise<string> =>
      (await gateway.call('POST', path, { as: instance.session, body: { workspaceId, ...body } })).body.id;
    const outer = await make('/api/folders', { name: 'Outer' });
    const inner = await make('/api/folders', { name: 'Inner', parentId: outer });
    await make('/api/workflows', { name: 'loose' });
    await make('/api/workflows', { name: 'out', folderId: outer });
    await make('/api/workflows', { name: 'in', folderId: inner });
    const list = (query: string) =>
      gateway.call('GET', `/api/workflows?workspaceId=${workspaceId}&${query}`, { as: instance.session });
    const names = async (query: string) => (await list(query)).body.data.map(({ name }) => name).sort();
    expect(await names(`folderId=${outer}`)).toEqual(['out']);
    expect(await names(`folderId=${outer}&includeInnerFolders=true`)).toEqual(['in', 'out']);
    expect(await names(`folderId=${outer}&includeInnerFolders=true&search=in`)).toEqual(['in']);
    expect(await names('folderId=none')).toEqual(['loose']);
    expect(await names('folderId=none&includeInnerFolders=true')).toEqual(['in', 'loose', 'out']);
    expect(await names('includeInnerFolders=true')).toEqual(['in', 'loose', 'out']);
    const elsewhere = await folder('Elsewhere');
    const hidden = `/api/workflows/${await createWorkflow(instance)}` as const;
    await gateway.call('PATCH', hidden, { as: instance.key, body: { folderId: elsewhere } });
    expect(await names(`folderId=${elsewhere}&includeInnerFolders=true`)).toEqual([]);
    for (const [query, path] of [
      ['folderId=None', 'folderId'],
      ['folderId=', 'folderId'],
      [`folderId=${outer}&folderId=${inner}`, 'folderId'],
      [`folderId=${outer}&includeInnerFolders=deep`, 'includeInnerFolders'],
    ]) {
      const { status, body } = await list(query ?? '');
      expect([query, status, body.details?.[0]?.path]).toEqual([query, 400, path]);
    }
  });

  it('400: are not created with what is unknown, or in a folder of another workspace', async () => {
    const other = await gateway.call('POST', '/api/workspaces', { as: instance.session, body: { name: 'Other' } });
    const elsewhere = await create({ name: 'Elsewhere', workspaceId: other.body.id });
    const id = await folder('Here');
    const issues = [
      await create({ name: 'x', parent: id }),
      await create({ name: '' }),
      await create({ name: 'x', parentId: elsewhere.body.id }),
      await patch(id, { parentId: elsewhere.body.id }),
      await patch(id, {}),
    ];
    expect(issues.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
    expect(issues[0]?.body.details?.[0]?.path).toBe('parent');
  });

  it('are changed by editors: 403 for viewers, 404 for strangers by id', async () => {
    const viewer = await addPerson(instance, 'viewer');
    const stranger = await addPerson(instance);
    const id = await folder('Guarded');
    expect((await create({ name: 'x' }, viewer.session)).body.code).toBe('FORBIDDEN');
    expect((await create({ name: 'x' }, stranger.session)).body.code).toBe('FORBIDDEN');
    for (const [as, expected] of [
      [viewer.session, 403],
      [stranger.session, 404],
    ] as const) {
      expect((await patch(id, { name: 'x' }, as)).status).toBe(expected);
      expect((await gateway.call('DELETE', `/api/folders/${id}`, { as })).status).toBe(expected);
    }
  });
});
