import { oneAtATime } from '@deckhand/api';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addPerson,
  type Call,
  digestTables,
  type Instance,
  OWNER,
  startInstance,
  stopAll,
} from '../../harness/index.ts';
import { connect, node } from '../../harness/import-n8n.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
});
afterAll(stopAll);

const call: Call<[body?: object, as?: string]> = (method, path, body, as = instance.session) =>
  instance.gateway.call(method, path, { as, ...(body === undefined ? {} : { body }) });
const body = (workflow: object) => ({ workspaceId: instance.workspaceId, workflow });
const importWorkflow = (workflow: object, as?: string) => call('POST', '/api/workflows/import/n8n', body(workflow), as);
const preview = (workflow: object, as?: string) =>
  call('POST', '/api/workflows/import/n8n?dryRun=true', body(workflow), as);

const ORDERS = {
  name: 'Orders',
  nodes: [
    node('Start', 'manualTrigger'),
    node('Total', 'set', {
      assignments: { assignments: [{ name: 'total', type: 'number', value: '={{ $json.n * 2 }}' }] },
    }),
    node('Tell us', 'telegram', { text: 'Done' }, { credentials: { slackApi: { id: '1', name: 'Our Slack' } } }),
  ],
  connections: connect('Start > Total', 'Total > Tell us'),
  settings: { executionOrder: 'v1' },
};

describe('an import', () => {
  it('creates a draft, and reports what became of each node', async () => {
    const { status, body: made } = await importWorkflow(ORDERS);
    expect({ status, made }).toMatchObject({
      status: 201,
      made: {
        name: 'Orders',
        status: 'draft',
        remarks: [],
        notes: [
          { node: 'Start', level: 'converted', nodeIds: ['start'], messages: [] },
          { node: 'Total', level: 'converted', nodeIds: ['total'] },
          { node: 'Tell us', type: 'n8n-nodes-base.telegram', level: 'manual', nodeIds: ['tell_us'] },
        ],
      },
    });
    const { body: read } = await call('GET', `/api/workflows/${made.id}`);
    expect(read.definition?.nodes.map(({ id, type }) => [id, type])).toEqual([
      ['start', 'trigger.manual'],
      ['total', 'set'],
      ['tell_us', 'code'],
    ]);
    expect(JSON.stringify(read.definition)).toContain('Our Slack');
  });

  it('creates nothing with dryRun, and returns the same definition', async () => {
    const { body: made } = await importWorkflow(ORDERS);
    const { body: read } = await call('GET', `/api/workflows/${made.id}`);
    const digest = await digestTables(instance.db);
    const { status, body: seen } = await preview(ORDERS);
    expect({ status, notes: seen.notes }).toEqual({ status: 200, notes: made.notes });
    expect(seen.definition).toEqual(read.definition);
    expect(await digestTables(instance.db)).toEqual(digest);
  });

  it('makes stubs of all nodes with issues, however many there are', async () => {
    const tooLong = Array.from({ length: 300 }, (_, n) => node(`Wait ${n}`, 'wait', { amount: 400, unit: 'days' }));
    const { status, body: made } = await importWorkflow({
      name: 'Waits',
      nodes: [node('Start', 'manualTrigger'), ...tooLong],
      connections: connect(...tooLong.map(({ name }) => `Start > ${name}`)),
      settings: { executionOrder: 'v1' },
    });
    expect([status, made.remarks]).toEqual([201, []]);
    expect(made.notes.filter(({ level }) => level === 'manual')).toHaveLength(300);
  });

  it('has the longest time limits that there are in place of longer ones', async () => {
    const retried = { retryOnFail: true, waitBetweenTries: 1e9 };
    const { status, body: made } = await importWorkflow({
      nodes: [node('Start', 'manualTrigger', {}, retried)],
      settings: { executionOrder: 'v1', executionTimeout: 1e9 },
    });
    expect([status, made.definition]).toEqual([
      201,
      expect.objectContaining({
        nodes: [expect.objectContaining({ retry: { maxAttempts: 3, delayMs: 86_400_000, factor: 1 } })],
        settings: { timeoutSeconds: 31_536_000 },
      }),
    ]);
  });

  it('waits for other work of the same person with definitions, and for nobody else', async () => {
    const { id: ownerId } = await instance.db.user.findUniqueOrThrow({ where: { email: OWNER.email.toLowerCase() } });
    const editor = await addPerson(instance, 'editor');
    // What the first request loads is there: from now on only the other work keeps it waiting.
    await preview(ORDERS);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const other = oneAtATime(ownerId, () => promise);
    const done: string[] = [];
    const waiting = preview(ORDERS).then(() => done.push('owner'));
    for (let count = 0; count < 5; count += 1) {
      await preview(ORDERS, editor.session);
      done.push('editor');
    }
    resolve(undefined);
    await Promise.all([waiting, other]);
    expect(done).toEqual([...Array<string>(5).fill('editor'), 'owner']);
  });

  it('is one for a repeated idempotency key', async () => {
    const ask = () =>
      instance.gateway.call('POST', '/api/workflows/import/n8n', {
        as: instance.session,
        body: body(ORDERS),
        headers: { 'idempotency-key': 'import-1' },
      });
    const [first, second] = [await ask(), await ask()];
    expect([second.status, second.body.id]).toEqual([201, first.body.id]);
  });
});

describe('the report of an import', () => {
  it('stays with the workflow, says what was done since, and is gone once it is dismissed', async () => {
    const { body: made } = await importWorkflow(ORDERS);
    const path = `/api/workflows/${made.id}` as const;
    const report = async () => (await call('GET', `${path}/import-report`)).body;
    const stub = { level: 'manual', message: 'there is no such node here: telegram' };
    const nodes = [{ name: 'Tell us', nodeIds: ['tell_us'] }];
    expect(await report()).toEqual({
      importedAt: expect.any(String),
      counts: { converted: 2, review: 0, manual: 1 },
      tasks: [{ ...stub, nodes: nodes.map((each) => ({ ...each, done: false })), done: false }],
      omittedTasks: 0,
      remarks: [],
    });
    expect([made.hasImportReport, (await call('GET', path)).body.hasImportReport]).toEqual([true, true]);
    const definition = {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'tell_us', type: 'set', parameters: { fields: { told: true } } },
      ],
      edges: [{ source: 'start', target: 'tell_us' }],
    };
    await call('POST', `${path}/versions`, { definition });
    expect((await report()).tasks).toEqual([
      { ...stub, nodes: nodes.map((each) => ({ ...each, done: true })), done: true },
    ]);
    expect((await call('DELETE', `${path}/import-report`)).status).toBe(204);
    for (const method of ['GET', 'DELETE'] as const) {
      expect((await call(method, `${path}/import-report`)).body.code).toBe('NOT_FOUND');
    }
    expect((await call('GET', path)).body.hasImportReport).toBe(false);
  });

  it('is kept neither for a workflow that needs nothing, nor after its deletion', async () => {
    const sound = { ...ORDERS, nodes: ORDERS.nodes.slice(0, 2), connections: connect('Start > Total') };
    const { body: made } = await importWorkflow(sound);
    expect((await call('GET', `/api/workflows/${made.id}/import-report`)).status).toBe(404);
    const { body: deleted } = await importWorkflow(ORDERS);
    const count = () => instance.db.importReport.count({ where: { workflowId: deleted.id } });
    expect(await count()).toBe(1);
    await call('DELETE', `/api/workflows/${deleted.id}`);
    expect(await count()).toBe(0);
  });
});

describe('is refused', () => {
  const deep = (levels: number): object => parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
  const parse = (text: string) => JSON.parse(text) as object;

  it.each([
    ['what is not a workflow', { nodes: {} }, 'workflow', 'no list of nodes'],
    ['a node without a type', { nodes: [{ name: 'A' }] }, 'workflow', 'without name or type'],
    ['two nodes of one name', { nodes: [ORDERS.nodes[0], ORDERS.nodes[0]] }, 'workflow', 'same name'],
    ['too many nodes', { nodes: Array.from({ length: 1_001 }, (_, n) => node(`N${n}`, 'noOp')) }, 'workflow', '1000'],
    ['deep nesting', { nodes: [], a: deep(250) }, '', 'nested deeper'],
  ])('as a bad request: %s', async (_what, workflow, path, message) => {
    const { status, body: answer } = await preview(workflow);
    expect({ status, details: answer.details }).toEqual({
      status: 400,
      details: [{ path: expect.stringContaining(path), message: expect.stringContaining(message) }],
    });
  });

  it('beyond 2 MiB', async () => {
    const { status, body: answer } = await preview({ nodes: [], a: 'x'.repeat(2 * 1024 * 1024) });
    expect([status, answer.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('to viewers and to strangers, also as a dry run', async () => {
    const viewer = await addPerson(instance, 'viewer');
    const stranger = await addPerson(instance);
    for (const ask of [importWorkflow, preview]) {
      expect((await ask(ORDERS, viewer.session)).status).toBe(403);
      expect((await ask(ORDERS, stranger.session)).body.code).toBe('FORBIDDEN');
    }
  });
});
