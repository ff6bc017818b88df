import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addPerson, type Gateway, type Instance, startInstance, stopAll } from '../../harness/index.ts';

let instance: Instance;
let gateway: Gateway;

beforeAll(async () => {
  instance = await startInstance();
  ({ gateway } = instance);
});
afterAll(stopAll);

const create = (body: object, as = instance.key) =>
  gateway.call('POST', '/api/variables', { as, body: { workspaceId: instance.workspaceId, value: '1', ...body } });
const list = (as = instance.key) =>
  gateway.call('GET', `/api/variables?workspaceId=${instance.workspaceId}&includeTotal=true`, { as });

describe('variables', () => {
  it('are created, listed by name, changed and deleted', async () => {
    const second = await create({ name: 'region', value: 'eu' });
    const first = await create({ name: 'api_url', value: 'https://example.com' });
    expect([second.status, first.status]).toEqual([201, 201]);
    const listed = await list();
    expect(listed.body).toMatchObject({ total: 2, hasMore: false });
    expect(listed.body.data).toEqual([first.body, second.body]);
    const path = `/api/variables/${second.body.id}`;
    const changed = await gateway.call('PATCH', path, { as: instance.key, body: { value: 'us' } });
    expect(changed).toMatchObject({ status: 200, body: { id: second.body.id, name: 'region', value: 'us' } });
    expect((await gateway.call('DELETE', path, { as: instance.key })).status).toBe(204);
    expect((await gateway.call('DELETE', path, { as: instance.key })).status).toBe(404);
    expect((await list()).body.total).toBe(1);
    expect(await instance.db.auditEntry.count({ where: { resourceId: second.body.id } })).toBe(3);
  });

  it('409: have names of their own, also when two are created at once or one is renamed', async () => {
    const answers = await Promise.all([create({ name: 'twice' }), create({ name: 'twice' })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const other = await create({ name: 'other' });
    const path = `/api/variables/${other.body.id}`;
    const { status, body } = await gateway.call('PATCH', path, { as: instance.key, body: { name: 'twice' } });
    expect([status, body.code]).toEqual([409, 'CONFLICT']);
  });

  it.each([
    [{ name: '1st' }, 'name'],
    [{ name: 'with-dash' }, 'name'],
    [{ name: 'a'.repeat(65) }, 'name'],
    [{ name: 'fine', value: 1 }, 'value'],
    [{ name: 'fine', vlaue: 'x' }, 'vlaue'],
    [{}, 'name'],
  ])('400: are not created from %j', async (fields, path) => {
    const { status, body } = await create(fields);
    expect([status, body.code, body.details?.[0]?.path]).toEqual([400, 'VALIDATION_FAILED', path]);
  });

  it('list the workflows that read them by name, in the version that is active or the latest', async () => {
    const { body: variable } = await create({ name: 'rate' });
    const own = { workspaceId: instance.workspaceId, as: instance.key };
    const save = async (name: string, value: string, { workspaceId, as } = own): Promise<string> => {
      const nodes = [
        { id: 'start', type: 'trigger.manual' },
        { id: 'set', type: 'set', parameters: { fields: { value } } },
      ];
      const definition = { nodes, edges: [{ source: 'start', target: 'set' }] };
      const body = { workspaceId, name, definition };
      return (await gateway.call('POST', '/api/workflows', { as, body })).body.id;
    };
    const dotted = await save('b', '{{ 2 * $vars.rate }}');
    const quoted = await save('a', '{{ $vars["rate"] }}');
    await save('another name', '{{ $vars.rates + $vars.my.rate }}');
    await save('text', 'rate');
    const path = `/api/variables/${variable.id}/workflows`;
    expect((await gateway.call('GET', path, { as: instance.key })).body).toEqual({
      data: [
        { workflowId: quoted, name: 'a' },
        { workflowId: dotted, name: 'b' },
      ],
    });
    // One with the same expression, in a workspace of their own.
    const stranger = await addPerson(instance);
    const { body: elsewhere } = await gateway.call('POST', '/api/workspaces', {
      as: stranger.session,
      body: { name: 'Elsewhere' },
    });
    await save('c', '{{ $vars.rate }}', { workspaceId: elsewhere.id, as: stranger.session });
    expect((await gateway.call('GET', path, { as: instance.key })).body).toMatchObject({
      data: [{ name: 'a' }, { name: 'b' }],
    });
    expect((await gateway.call('GET', path, { as: stranger.session })).status).toBe(404);
  });

  it('are read by viewers and changed by editors: 403 below, 404 for strangers by id', async () => {
    const viewer = await addPerson(instance, 'viewer');
    const editor = await addPerson(instance, 'editor');
    const stranger = await addPerson(instance);
    const { body } = await create({ name: 'guarded' }, editor.session);
    const path = `/api/variables/${body.id}`;
    expect((await list(viewer.session)).status).toBe(200);
    expect((await create({ name: 'x' }, viewer.session)).body.code).toBe('FORBIDDEN');
    for (const [as, expected] of [
      [viewer.session, 403],
      [stranger.session, 404],
    ] as const) {
      expect((await gateway.call('PATCH', path, { as, body: { value: '2' } })).status).toBe(expected);
      expect((await gateway.call('DELETE', path, { as })).status).toBe(expected);
    }
    expect((await list(stranger.session)).body.code).toBe('FORBIDDEN');
    expect((await create({ name: 'x' }, stranger.session)).body.code).toBe('FORBIDDEN');
    expect((await gateway.call('PATCH', '/api/variables/1', { as: editor.session, body: {} })).status).toBe(404);
    expect(await instance.db.variable.findUnique({ where: { id: body.id } })).toMatchObject({ value: '1' });
  });
});
