import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addPerson,
  type Call,
  chain,
  createWorkflow,
  type Gateway,
  type Instance,
  startInstance,
  stopAll,
} from '../../harness/index.ts';

let instance: Instance;
let gateway: Gateway;
let executionId: string;
/** Another workspace of the same person, with a run. */
let other: { workspaceId: string; executionId: string };

const definition = chain({ id: 'a', type: 'set', parameters: { fields: { n: 1 } } });
const call: Call<[body?: object]> = (method, path, body) =>
  gateway.call(method, path, { as: instance.session, ...(body === undefined ? {} : { body }) });

async function start(workspaceId: string): Promise<string> {
  const workflowId = await createWorkflow({ ...instance, workspaceId }, definition);
  return (await call('POST', `/api/workflows/${workflowId}/execute`)).body.executionId;
}

beforeAll(async () => {
  instance = await startInstance();
  ({ gateway } = instance);
  executionId = await start(instance.workspaceId);
  const { workspaceId } = (await call('POST', '/api/workspaces', { name: 'Other' })).body;
  other = { workspaceId, executionId: await start(workspaceId) };
});
afterAll(stopAll);

describe('what a workspace has at once', () => {
  const list = (workspaceId: string) => `/api/executions?workspaceId=${workspaceId}`;
  const kinds = [
    { kind: 'searches', size: 8, path: (workspaceId: string) => `${list(workspaceId)}&search=x` },
    { kind: 'insights', size: 2, path: (id: string) => `/api/insights?workspaceId=${id}` },
    { kind: 'histograms', size: 2, path: (id: string) => `/api/executions/histogram?workspaceId=${id}` },
    { kind: 'exports', size: 3, path: (id: string) => `/api/executions/export?workspaceId=${id}&format=json` },
    { kind: 'waits for runs', size: 1_000, path: (_: string, run: string) => `/api/executions/${run}?wait=1` },
    { kind: 'event streams', size: 1_000, path: (_: string, run: string) => `/api/executions/${run}/events` },
  ] as const;

  it.each(kinds)('429: is not more than its share of $kind, and others have theirs', async ({ kind, size, path }) => {
    const { shares } = gateway.services.runs;
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const held = Array.from({ length: size }, () => shares.within(instance.workspaceId, kind, () => ended));
    const refused = await call('GET', path(instance.workspaceId, executionId));
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '1']);
    expect((await call('GET', list(instance.workspaceId))).status).toBe(200);
    const headers = { authorization: `Bearer ${instance.session}` };
    const visit = async (address: string) => {
      const answer = await fetch(gateway.url + address, { headers });
      await answer.body?.cancel();
      return answer.status;
    };
    expect(await visit(path(other.workspaceId, other.executionId))).toBe(200);
    end();
    await Promise.all(held);
    expect(await visit(path(instance.workspaceId, executionId))).toBe(200);
  });

  it('is not used up by strangers, who are refused', async () => {
    const { session } = await addPerson(instance);
    const path = `/api/executions?workspaceId=${instance.workspaceId}&search=x`;
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await gateway.call('GET', path, { as: session })).status),
    );
    expect(new Set(statuses)).toEqual(new Set([403]));
  });
});

describe('their number', () => {
  it('409: a person owns 100 workspaces at most, also when two are created at once', async () => {
    const { userId, session } = await addPerson(instance);
    const ids = Array.from({ length: 99 }, () => uuidv7());
    await instance.db.workspace.createMany({ data: ids.map((id) => ({ id, name: 'W' })) });
    await instance.db.membership.createMany({
      data: ids.map((workspaceId) => ({ workspaceId, userId, role: 'owner' as const })),
    });
    const create = () => gateway.call('POST', '/api/workspaces', { as: session, body: { name: 'W' } });
    const answers = await Promise.all([create(), create()]);
    expect(answers.map(({ status, body }) => [status, body.code]).sort()).toEqual([
      [201, undefined],
      [409, 'LIMIT_REACHED'],
    ]);
    await gateway.call('DELETE', `/api/workspaces/${ids[0]}`, { as: session });
    expect((await create()).status).toBe(201);
  });

  it('409: a workflow has 5,000 versions at most', async () => {
    const workflowId = await createWorkflow(instance, definition);
    await instance.db.workflowVersion.updateMany({ where: { workflowId }, data: { number: 4_999 } });
    const save = () => call('POST', `/api/workflows/${workflowId}/versions`, { definition });
    expect((await save()).body.number).toBe(5_000);
    const { status, body } = await save();
    expect([status, body.code]).toEqual([409, 'LIMIT_REACHED']);
  });
});
