import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addPerson,
  type ApiResponse,
  type Call,
  chain,
  countLockWaits,
  createWorkflow,
  type ErrorMembers,
  type Instance,
  OWNER,
  startInstance,
  stopAll,
  until,
} from '../../harness/index.ts';

/** Cannot be saved as a version: an edge to nowhere, an expression that ends early, and too many attempts. */
const INVALID = {
  nodes: [
    { id: 'start', type: 'trigger.manual', position: { x: 0, y: 0 } },
    { id: 'check', type: 'if', parameters: { condition: '{{ 1 + }}' }, retry: { maxAttempts: 99 } },
  ],
  edges: [{ source: 'start', target: 'nobody' }],
  settings: { timeoutSeconds: 'soon' },
};

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
});
afterAll(stopAll);

const call: Call<[body?: object, headers?: Record<string, string>]> = (method, path, body, headers = {}) =>
  instance.gateway.call(method, path, {
    as: instance.session,
    ...(body === undefined ? {} : { body }),
    headers,
  });
const tagOf = ({ headers }: ApiResponse) => headers.get('etag') ?? '';
const outcome = ({ status, body }: ApiResponse<ErrorMembers>) => [status, body.code];

async function newWorkflow(definition?: object) {
  const { workspaceId } = instance;
  const made = await call('POST', '/api/workflows', {
    workspaceId,
    name: 'Drafted',
    ...(definition && { definition }),
  });
  return `/api/workflows/${made.body.id}` as const;
}

describe('a draft', () => {
  it('may be invalid, and is not a version: without one, execute is refused as before', async () => {
    const path = await newWorkflow();
    const saved = await call('PUT', `${path}/draft`, { definition: INVALID });
    expect(saved.body).toMatchObject({ baseVersionId: null, updatedByUser: { name: OWNER.name } });
    expect(saved.body).not.toHaveProperty('definition');
    const { body, ...read } = await call('GET', `${path}/draft`);
    expect([read.status, body.definition]).toEqual([200, INVALID]);
    expect(read.headers.get('etag')).toBe(tagOf(saved));
    expect(outcome(await call('POST', `${path}/execute`))).toEqual([409, 'NO_ACTIVE_VERSION']);
    expect(outcome(await call('PATCH', path, { status: 'active' }))).toEqual([409, 'NO_ACTIVE_VERSION']);
    const workflow = (await call('GET', path)).body;
    expect(workflow).toMatchObject({ latestVersionId: null, definition: null, draftUpdatedAt: body.updatedAt });
    expect((await call('GET', `${path}/versions`)).body.data).toEqual([]);
  });

  it('has the warnings that a version of it would have, when it is saved and when it is read; none while invalid', async () => {
    const credential = await call('POST', '/api/credentials', {
      ...{ workspaceId: instance.workspaceId, name: 'Shop', type: 'bearer', secret: { token: 't' } },
      rateLimit: { requests: 1, per: 'second' },
    });
    const definition = {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'check', type: 'if', parameters: { condition: ' {{ false }}' } },
        { id: 'each', type: 'loop', parameters: { items: '{{ [1, 2] }}', concurrency: 5 } },
        {
          ...{ id: 'call', type: 'http', parameters: { url: 'https://shop.example' } },
          credentialId: credential.body.id,
        },
      ],
      edges: [
        { source: 'start', target: 'check' },
        { source: 'check', sourceHandle: 'true', target: 'each' },
        { source: 'each', sourceHandle: 'body', target: 'call' },
      ],
    };
    const path = await newWorkflow();
    const version = await call('POST', `${path}/versions?dryRun=true`, { definition });
    const codes = version.body.warnings.map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(['CONDITION_IS_TEXT', 'LOOP_EXCEEDS_RATE_LIMIT']));
    const saved = await call('PUT', `${path}/draft`, { definition });
    expect(saved.body.warnings).toEqual(version.body.warnings);
    expect((await call('GET', `${path}/draft`)).body.warnings).toEqual(version.body.warnings);
    const invalid = { ...definition, edges: [...definition.edges, { source: 'check', target: 'nobody' }] };
    expect((await call('PUT', `${path}/draft`, { definition: invalid })).body.warnings).toEqual([]);
    expect((await call('GET', `${path}/draft`)).body.warnings).toEqual([]);
  });

  it('is replaced only by an editor who has read it: 412 for the other of two', async () => {
    const path = await newWorkflow(chain());
    const draft = { definition: chain() };
    const first = await call('PUT', `${path}/draft`, draft, { 'if-none-match': '*' });
    expect(first.status).toBe(200);
    expect(outcome(await call('PUT', `${path}/draft`, draft, { 'if-none-match': '*' }))).toEqual([
      412,
      'PRECONDITION_FAILED',
    ]);
    const second = await call('PUT', `${path}/draft`, draft, { 'if-match': tagOf(first) });
    expect([second.status, tagOf(second) === tagOf(first)]).toEqual([200, false]);
    expect((await call('PUT', `${path}/draft`, draft, { 'if-match': tagOf(first) })).status).toBe(412);
    expect((await call('DELETE', `${path}/draft`, undefined, { 'if-match': tagOf(first) })).status).toBe(412);
    expect((await call('DELETE', `${path}/draft`, undefined, { 'if-match': tagOf(second) })).status).toBe(204);
    expect(outcome(await call('GET', `${path}/draft`))).toEqual([404, 'NOT_FOUND']);
    expect(outcome(await call('DELETE', `${path}/draft`))).toEqual([404, 'NOT_FOUND']);
    expect((await call('PUT', `${path}/draft`, draft, { 'if-match': tagOf(second) })).status).toBe(412);
  });

  it('is not created by If-Match, of whatever', async () => {
    const path = await newWorkflow(chain());
    const draft = { definition: chain() };
    expect((await call('PUT', `${path}/draft`, draft, { 'if-match': '*' })).status).toBe(412);
    expect((await call('GET', `${path}/draft`)).status).toBe(404);
    await call('PUT', `${path}/draft`, draft);
    expect((await call('PUT', `${path}/draft`, draft, { 'if-match': '*' })).status).toBe(200);
  });

  it('is not written for a workflow that is deleted meanwhile: 404', async () => {
    const id = await createWorkflow(instance, chain());
    const path = `/api/workflows/${id}` as const;
    const tag = tagOf(await call('PUT', `${path}/draft`, { definition: chain() }));
    const writes = await instance.db.$transaction(async (tx) => {
      await tx.workflow.delete({ where: { id } });
      const waiting = [
        ['if-match', tag],
        ['if-match', '*'],
        ['if-none-match', '*'],
      ].map(([name = '', value = '']) => call('PUT', `${path}/draft`, { definition: chain() }, { [name]: value }));
      await until(async () => (await countLockWaits(instance.db)) === waiting.length);
      return { waiting };
    });
    expect((await Promise.all(writes.waiting)).map(outcome)).toEqual(Array(3).fill([404, 'NOT_FOUND']));
    expect(await instance.db.workflowDraft.count({ where: { workflowId: id } })).toBe(0);
  });

  it('of many who write at once has one winner, whether it is new or not', async () => {
    const path = await newWorkflow(chain());
    const race = (headers: Record<string, string>) =>
      Promise.all(Array.from({ length: 10 }, () => call('PUT', `${path}/draft`, { definition: chain() }, headers)));
    const one = [200, ...Array.from({ length: 9 }, () => 412)];
    const created = await race({ 'if-none-match': '*' });
    expect(created.map(({ status }) => status).sort()).toEqual(one);
    const tag = tagOf(created.find(({ status }) => status === 200)!);
    expect((await race({ 'if-match': tag })).map(({ status }) => status).sort()).toEqual(one);
  });

  it('keeps no secret, and a version is not saved from it without entering the secret again', async () => {
    const hook = (secret: string) => ({
      nodes: [{ id: 'hook', type: 'trigger.webhook', parameters: { secret } }],
      edges: [],
    });
    const path = await newWorkflow(hook('of the first version'));
    const save = async (secret: string) => {
      await call('PUT', `${path}/draft`, { definition: hook(secret) });
      return (await call('GET', `${path}/draft`)).body.definition;
    };
    const entered = await save('a new secret');
    expect(JSON.stringify(entered)).not.toContain('a new secret');
    const rows = await instance.db.workflowDraft.findMany();
    expect(JSON.stringify(rows)).not.toContain('a new secret');
    expect((await call('POST', `${path}/versions`, { definition: entered })).body.details).toEqual([
      {
        path: 'definition.nodes[0].parameters.secret',
        nodeId: 'hook',
        message: expect.stringContaining('enter it again'),
      },
    ]);
    // An empty text is not a secret: it stays empty.
    expect(await save('')).toEqual(hook(''));
    // The placeholder of a saved secret stays: the version keeps that one.
    expect((await call('POST', `${path}/versions`, { definition: await save('********') })).status).toBe(201);
  });

  it('is refused for unknown types of nodes, versions of other workflows, and above the size of a definition', async () => {
    const path = await newWorkflow(chain());
    const other = (await call('GET', await newWorkflow(chain()))).body.latestVersionId;
    const typo = { nodes: [{ id: 'hook', type: 'trigger.webhok', parameters: { secret: 'shown?' } }], edges: [] };
    const put = async (body: object) => (await call('PUT', `${path}/draft`, body)).body;
    expect((await put({ definition: typo })).details).toEqual([
      { path: 'definition.nodes[0].type', nodeId: 'hook', message: 'is not a type of nodes' },
    ]);
    expect((await put({ definition: chain(), baseVersionId: other })).details).toEqual([
      { path: 'baseVersionId', message: 'is not a version of this workflow' },
    ]);
    const large = { nodes: [{ id: 'a', type: 'code', parameters: { source: 'x'.repeat(11_000_000) } }], edges: [] };
    expect((await put({ definition: large })).code).toBe('PAYLOAD_TOO_LARGE');
    expect((await call('GET', path)).body.draftUpdatedAt).toBeNull();
  });

  it('is deleted with its workflow, and a duplicate has none', async () => {
    const id = await createWorkflow(instance);
    const path = `/api/workflows/${id}` as const;
    await call('PUT', `${path}/draft`, { definition: INVALID });
    const copy = await call('POST', `${path}/duplicate`);
    expect([copy.status, copy.body.draftUpdatedAt]).toEqual([201, null]);
    await call('DELETE', path);
    expect(await instance.db.workflowDraft.count({ where: { workflowId: id } })).toBe(0);
  });

  it('can be read by viewers, and is written by editors only', async () => {
    const path = await newWorkflow(chain());
    await call('PUT', `${path}/draft`, { definition: chain() });
    const { session } = await addPerson(instance, 'viewer');
    const as = { as: session };
    expect((await instance.gateway.call('GET', `${path}/draft`, as)).status).toBe(200);
    const body = { definition: chain() };
    expect((await instance.gateway.call('PUT', `${path}/draft`, { ...as, body })).body.code).toBe('FORBIDDEN');
    expect((await instance.gateway.call('DELETE', `${path}/draft`, as)).body.code).toBe('FORBIDDEN');
  });
});

it('a secret of a node with the id __proto__ is the secret of that node only', async () => {
  const nodes = [{ id: '__proto__', type: 'trigger.webhook', parameters: { secret: 'mine' } }];
  const path = await newWorkflow({ nodes, edges: [] });
  expect(Object.hasOwn(Object.prototype, 'secret')).toBe(false);
  expect((await call('GET', path)).body.definition).toMatchObject({ nodes: [{ parameters: { secret: '********' } }] });
});
