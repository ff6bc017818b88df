import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addKey, addPerson, type Instance, startInstance, stopAll } from '../../harness/index.ts';

let instance: Instance;
let ownerId: string;
let elsewhere: string;

beforeAll(async () => {
  instance = await startInstance();
  const { userId } = await instance.db.membership.findFirstOrThrow();
  ownerId = userId;
  const { gateway, session } = instance;
  elsewhere = (await gateway.call('POST', '/api/workspaces', { as: session, body: { name: 'Second' } })).body.id;
});
afterAll(stopAll);

/** Saves a workflow with a slug. @returns its id. */
async function create(slug: string, workspaceId = instance.workspaceId, as = instance.session): Promise<string> {
  const definition = { nodes: [{ id: 'start', type: 'trigger.manual' }], edges: [] };
  const { body, text, status } = await instance.gateway.call('POST', '/api/workflows/apply', {
    as,
    body: { workspaceId, slug, name: slug, definition },
  });
  if (status !== 201) throw new Error(text);
  return body.id;
}

/** Starts a run, and returns the id of its workflow, or the refusal. */
async function start(name: string, as: string, query = '') {
  const { status, body } = await instance.gateway.call('POST', `/api/workflows/${name}/execute${query}`, {
    as,
    body: {},
  });
  if (status !== 202) return { status, ...body };
  const { workflowId } = await instance.db.execution.findUniqueOrThrow({ where: { id: body.executionId } });
  return { status, workflowId };
}

describe('a slug in place of the id', () => {
  it('starts runs of its workflow, and batches', async () => {
    const workflowId = await create('refund');
    expect(await start('refund', instance.key)).toEqual({ status: 202, workflowId });
    expect(await start('refund', instance.session)).toEqual({ status: 202, workflowId });
    const { body } = await instance.gateway.call('POST', '/api/workflows/refund/execute/batch', {
      ...{ as: instance.key, body: [{}, {}] },
    });
    expect(body.accepted).toBe(2);
  });

  it('of several workspaces needs the workspace, or a key for one of them', async () => {
    const [here, there] = [await create('report'), await create('report', elsewhere)];
    expect(await start('report', instance.key)).toMatchObject({
      ...{ status: 400, code: 'VALIDATION_FAILED' },
      details: [{ path: 'workspaceId', message: 'is needed: 2 workspaces have a workflow with the slug "report"' }],
    });
    expect(await start('report', instance.key, `?workspaceId=${elsewhere}`)).toEqual({
      status: 202,
      workflowId: there,
    });
    const bound = await addKey(instance, ownerId, { workspaceId: instance.workspaceId });
    expect(await start('report', bound.key)).toEqual({ status: 202, workflowId: here });
    expect(await start('report', bound.key, `?workspaceId=${elsewhere}`)).toMatchObject({ status: 403 });
    // Of a key that may start one of them only, it is that one.
    const single = await addKey(instance, ownerId, { scopes: [`workflows:execute:${there}`] });
    expect(await start('report', single.key)).toEqual({ status: 202, workflowId: there });
    expect(await start('report', instance.key, '?workspaceId=nowhere')).toMatchObject({ status: 400 });
  });

  it('is of no use to others: what a caller may not see is a 404, and what a key may not do a 403', async () => {
    const workflowId = await create('private');
    const stranger = await addPerson(instance);
    const other = await create('other');
    const { gateway } = instance;
    const own = await gateway.call('POST', '/api/workspaces', { as: stranger.session, body: { name: 'Own' } });
    const ofStranger = await create('shared', own.body.id, stranger.session);
    await create('shared');
    expect(await start('shared', stranger.session)).toEqual({ status: 202, workflowId: ofStranger });
    for (const name of ['private', 'nowhere', workflowId, 'No-Slug']) {
      expect(await start(name, stranger.session)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    }
    for (const scopes of [[], ['executions:*'], [`workflows:execute:${other}`]]) {
      const { key } = await addKey(instance, ownerId, { scopes });
      for (const name of ['private', 'nowhere', workflowId]) {
        expect(await start(name, key)).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE' });
      }
    }
  });
});
