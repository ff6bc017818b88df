import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addPerson,
  type ApiResponse,
  type Call,
  chain,
  createWorkflow,
  digestTables,
  type ErrorMembers,
  type Gateway,
  type Instance,
  startInstance,
  startTestWorker,
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

const simple = chain({ id: 'a', type: 'set', parameters: { fields: { n: 1 } } });
const save = (id: string, body: object) =>
  gateway.call('POST', `/api/workflows/${id}/versions`, { as: instance.session, body });

describe('a definition', () => {
  it('400: with five issues has all five reported, and nothing is written', async () => {
    const definition = {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'start', type: 'set', parameters: { fields: {} } },
        { id: 'odd', type: 'teleport', parameters: {} },
        { id: 'call', type: 'http', parameters: { url: 'https://example.com', methd: 'GET' } },
        { id: 'sum', type: 'set', parameters: { fields: { total: '{{ $trigger.a + }}' } } },
      ],
      edges: [{ source: 'start', target: 'nowhere' }],
      settings: {},
    };
    const before = await instance.db.workflow.count();
    const { status, body } = await gateway.call('POST', '/api/workflows', {
      as: instance.session,
      body: { workspaceId: instance.workspaceId, name: 'Faulty', definition },
    });
    expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(body.details?.map(({ path }) => path).sort()).toEqual([
      'definition.edges[0].target',
      'definition.nodes[1].id',
      'definition.nodes[2].type',
      'definition.nodes[3].parameters.methd',
      'definition.nodes[4].parameters.fields.total',
    ]);
    expect(await instance.db.workflow.count()).toBe(before);
  });

  it.each([
    [
      'a cycle',
      {
        nodes: [{ id: 's', type: 'trigger.manual' }, ...['a', 'b'].map((id) => ({ id, type: 'merge' }))],
        edges: [
          { source: 's', target: 'a' },
          { source: 'a', target: 'b' },
          { source: 'b', target: 'a' },
        ],
      },
      'definition.edges',
    ],
    ['no trigger', { nodes: [{ id: 'a', type: 'merge' }], edges: [] }, 'definition.nodes'],
    [
      'an edge without its handle',
      {
        nodes: [
          { id: 's', type: 'trigger.manual' },
          { id: 'i', type: 'if', parameters: { condition: true } },
          { id: 'a', type: 'merge' },
        ],
        edges: [
          { source: 's', target: 'i' },
          { source: 'i', target: 'a' },
        ],
      },
      'definition.edges[1].sourceHandle',
    ],
    [
      'a way into a loop that is not its body',
      {
        nodes: [
          { id: 's', type: 'trigger.manual' },
          { id: 'l', type: 'loop', parameters: { items: [] } },
          { id: 'a', type: 'merge' },
        ],
        edges: [
          { source: 's', target: 'l' },
          { source: 'l', sourceHandle: 'body', target: 'a' },
          { source: 's', target: 'a' },
        ],
      },
      'definition.edges[2]',
    ],
    [
      'a reference to no node',
      chain({ id: 'a', type: 'set', parameters: { fields: { x: '{{ $nodes.ghost.output }}' } } }),
      'definition.nodes[1].parameters',
    ],
    [
      '$loop outside of a loop',
      chain({ id: 'a', type: 'set', parameters: { fields: { x: '{{ $loop.item }}' } } }),
      'definition.nodes[1].parameters',
    ],
    ['no object', 'text', 'definition'],
    [
      'half a surrogate pair',
      chain({ id: 'reply', type: 'set', parameters: { fields: { a: ['x', '\ud800'] } } }),
      'definition.nodes[1].parameters.fields.a[1]',
    ],
  ])('400: with %s is refused where the issue is', async (_what, definition, path) => {
    const id = await createWorkflow(instance);
    const { status, body } = await save(id, { definition });
    expect(status).toBe(400);
    expect(body.details?.map((issue) => issue.path)).toEqual([path]);
  });
});

describe('versions', () => {
  it('never change, and the latest one is read with its workflow', async () => {
    const id = await createWorkflow(instance, simple);
    const second = chain({ id: 'b', type: 'set', parameters: { fields: { n: 2 } } });
    const saved = await save(id, { definition: second, comment: 'better' });
    expect(saved).toMatchObject({ status: 201, body: { number: 2 } });
    const { body } = await gateway.call('GET', `/api/workflows/${id}`, { as: instance.session });
    expect(body).toMatchObject({ status: 'draft', latestVersionId: saved.body.workflowVersionId, definition: second });
    const list = await gateway.call('GET', `/api/workflows/${id}/versions`, { as: instance.session });
    expect(list.body.data.map(({ number, comment }) => [number, comment])).toEqual([
      [2, 'better'],
      [1, ''],
    ]);
    const first = list.body.data[1]!.workflowVersionId;
    const read = await gateway.call('GET', `/api/workflows/${id}/versions/${first}`, { as: instance.session });
    expect(read.body.definition).toEqual(simple);
  });

  it('name their authors, also after these left the workspace; not once they are gone', async () => {
    const id = await createWorkflow(instance);
    const editor = await addPerson(instance, 'editor');
    const path = `/api/workflows/${id}/versions` as const;
    await gateway.call('POST', path, { as: editor.session, body: { definition: simple } });
    await instance.db.membership.deleteMany({ where: { userId: editor.userId } });
    const author = { id: editor.userId, name: 'Grace', email: editor.email };
    const list = async () => (await gateway.call('GET', path, { as: instance.session })).body.data;
    const [version] = await list();
    expect(version).toMatchObject({ createdBy: editor.userId, createdByUser: author });
    const read = await gateway.call('GET', `${path}/${version!.workflowVersionId}`, { as: instance.session });
    expect(read.body.createdByUser).toEqual(author);
    await instance.db.user.delete({ where: { id: editor.userId } });
    expect(await list()).toMatchObject([{ createdBy: editor.userId, createdByUser: null }]);
  });

  it('409: are refused when somebody saved in between', async () => {
    const id = await createWorkflow(instance, simple);
    const { body } = await gateway.call('GET', `/api/workflows/${id}`, { as: instance.session });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => save(id, { definition: simple, baseVersionId: body.latestVersionId })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  });

  it('saved at the same time are numbered without holes', async () => {
    const id = await createWorkflow(instance);
    const answers = await Promise.all(Array.from({ length: 8 }, () => save(id, { definition: simple })));
    expect(answers.map(({ body }) => body.number).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

describe('a workflow', () => {
  it('409: cannot be activated before it is saved; then its latest version is the active one', async () => {
    const id = await createWorkflow(instance);
    const activate = () =>
      gateway.call('PATCH', `/api/workflows/${id}`, { as: instance.session, body: { status: 'active' } });
    expect(await activate()).toMatchObject({ status: 409, body: { code: 'NO_ACTIVE_VERSION' } });
    const saved = await save(id, { definition: simple });
    expect(await activate()).toMatchObject({
      status: 200,
      body: { status: 'active', activeVersionId: saved.body.workflowVersionId },
    });
  });

  it('has a URL for each webhook trigger that stays the same across versions', async () => {
    const hook = { nodes: [{ id: 'hook', type: 'trigger.webhook', parameters: {} }], edges: [] };
    const id = await createWorkflow(instance, hook);
    const url = async () => (await gateway.call('GET', `/api/workflows/${id}`, { as: instance.session })).body.webhooks;
    const before = await url();
    expect(before).toEqual([
      {
        nodeId: 'hook',
        method: 'POST',
        url: expect.stringMatching(/^https:\/\/deckhand\.example\/webhook\/[\w-]{22,}$/),
      },
    ]);
    await save(id, { definition: hook });
    expect(await url()).toEqual(before);
  });

  it('is listed with filters and paging, without its definition', async () => {
    const workspace = await gateway.call('POST', '/api/workspaces', { as: instance.session, body: { name: 'Lists' } });
    const own = { ...instance, workspaceId: workspace.body.id };
    for (let i = 0; i < 3; i += 1) await createWorkflow(own, simple);
    const list = (query: string) =>
      gateway.call('GET', `/api/workflows?workspaceId=${own.workspaceId}${query}`, { as: instance.session });
    expect((await list('')).body).toMatchObject({ limit: 100, offset: 0, hasMore: false });
    expect((await list('&limit=2&includeTotal=true')).body).toMatchObject({ hasMore: true, total: 3 });
    expect((await list('&status=active')).body.data).toEqual([]);
    expect((await list('')).body.data[0]).not.toHaveProperty('definition');
    const changed = (await list('')).body.data.map(({ id }) => id);
    for (const [index, name] of ['Zeta', 'Alpha', 'Mu'].entries()) {
      await gateway.call('PATCH', `/api/workflows/${changed[index]}`, { as: instance.session, body: { name } });
    }
    const names = async (query: string) => (await list(query)).body.data.map(({ name }) => name);
    expect(await names('')).toEqual(['Mu', 'Alpha', 'Zeta']);
    expect(await names('&sortBy=name&sortOrder=asc')).toEqual(['Alpha', 'Mu', 'Zeta']);
    expect(await names('&sortBy=createdAt')).toEqual(['Zeta', 'Alpha', 'Mu']);
    for (const bad of ['&limit=0', '&limit=1.5', '&limit=x', '&offset=-1', '&status=gone', '&sortBy=slug']) {
      expect((await list(bad)).status).toBe(400);
    }
    expect((await list('&unknown=1')).body.details?.[0]?.path).toBe('unknown');
  });

  it('403 where the caller is not a member, whether the workspace exists or not; 404 by id', async () => {
    const nowhere = '01a1fb35-e8df-7352-8660-75a19a555603';
    const list = await gateway.call('GET', `/api/workflows?workspaceId=${nowhere}`, { as: instance.session });
    expect(list).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    for (const id of [nowhere, 'no-uuid', '%00']) {
      expect((await gateway.call('GET', `/api/workflows/${id}`, { as: instance.session })).status).toBe(404);
    }
  });
});

const LATIN_1 = { 'content-type': 'application/json; charset=latin1' };

describe('an issue of a definition', () => {
  it('names the node that it is in', async () => {
    const definition = {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'ask', type: 'http', parameters: { url: 5 } },
        { id: 'ask 2', type: 'no such type' },
      ],
      edges: [{ source: 'start', target: 'nowhere' }],
    };
    const { status, body } = await gateway.call('POST', '/api/workflows', {
      as: instance.session,
      body: { workspaceId: instance.workspaceId, name: 'Bad', definition },
    });
    expect(status).toBe(400);
    const found = body.details ?? [];
    expect(found.length).toBeGreaterThan(2);
    for (const { path, nodeId } of found) {
      const index = /^definition\.nodes\[(\d)\]/.exec(path)?.[1];
      expect([path, nodeId]).toEqual([path, index === undefined ? undefined : definition.nodes[Number(index)]?.id]);
    }
    expect(new Set(found.map(({ nodeId }) => nodeId)).size).toBeGreaterThan(1);
  });
});

describe('a version that a workflow node names', () => {
  const calling = (workflowId: string, version: string) =>
    chain({ id: 'call', type: 'workflow', parameters: { workflowId, version } });

  it('400: is refused where it is of another workflow or of none; expressions and labels are not looked up', async () => {
    const [id, other] = [await createWorkflow(instance, simple), await createWorkflow(instance, simple)];
    const read = await gateway.call('GET', `/api/workflows/${other}`, { as: instance.session });
    const version = read.body.latestVersionId!;
    for (const named of [version, version.toUpperCase(), 'latest', 'active', '{{ $vars.version }}']) {
      expect([named, (await save(id, { definition: calling(other, named) })).status]).toEqual([named, 201]);
    }
    for (const [workflowId, named] of [
      [id, version],
      [other, '01a1fb35-e8df-7352-8660-75a19a555603'],
      [other, 'newest'],
    ] as const) {
      const { status, body } = await save(id, { definition: calling(workflowId, named) });
      expect([status, body.details]).toMatchObject([
        400,
        [{ path: 'definition.nodes[1].parameters.version', nodeId: 'call' }],
      ]);
    }
  });
});

describe('a bad request', () => {
  it.each([
    ['malformed JSON', '{"name":', {}, 400, 'INVALID_JSON'],
    ['no JSON at all', 'name=x', { 'content-type': 'text/plain' }, 400, 'INVALID_JSON'],
    ['compression', '{"name":"x"}', { 'content-encoding': 'gzip' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a wrong type', '{"name":5}', {}, 400, 'VALIDATION_FAILED'],
    ['an unknown field', '{"name":"x","nmae":"y"}', {}, 400, 'VALIDATION_FAILED'],
    ['a NUL character', '{"name":"a\\u0000b"}', {}, 400, 'VALIDATION_FAILED'],
    ['nesting without end', `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, {}, 400, 'VALIDATION_FAILED'],
    ['bytes that are not UTF-8 charset', '{"name":"x"}', LATIN_1, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a body that is too large', JSON.stringify({ name: 'x'.repeat(11 * 1024 * 1024) }), {}, 413, 'PAYLOAD_TOO_LARGE'],
  ])('with %s is refused and changes nothing', async (_what, body, headers, status, code) => {
    const before = await instance.db.workspace.count();
    const answer = await gateway.call('POST', '/api/workspaces', { as: instance.session, body, headers });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.body.requestId).toBe(answer.headers.get('x-request-id'));
    expect(await instance.db.workspace.count()).toBe(before);
  });

  it.each([
    ['application/x-www-form-urlencoded'],
    ['text/plain; charset=UTF-8'],
    ['application/vnd.api+json'],
    ['nonsense'],
    [undefined],
  ])('is none where the JSON of a body is said to be %s', async (contentType) => {
    const answer = await fetch(`${gateway.url}/api/folders`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${instance.session}`,
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
      },
      body: Buffer.from(JSON.stringify({ workspaceId: instance.workspaceId, name: `As ${contentType}` })),
    });
    expect(answer.status).toBe(201);
  });

  it('with more issues than anybody reads is answered with the first twenty', async () => {
    const body = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`typo${index}`, 1]));
    const answer = await gateway.call('POST', '/api/workspaces', { as: instance.session, body });
    expect([answer.status, answer.body.details?.length, answer.body.truncated]).toEqual([400, 20, true]);
  });

  it('whose query holds a NUL character is a 400, one that only looks like it is not', async () => {
    const search = (text: string) =>
      gateway.call('GET', `/api/workflows?workspaceId=${instance.workspaceId}&search=${text}`, { as: instance.key });
    expect((await search('a%00b')).status).toBe(400);
    expect((await search('%5Cu0000')).status).toBe(200);
  });

  it('404 for an unknown path, 405 with Allow for an unknown method', async () => {
    expect(await gateway.call('GET', '/api/nothing', { as: instance.key })).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
    const answer = await gateway.call('DELETE', '/api/node-types', { as: instance.key });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it("keeps a sane caller's request id and replaces another", async () => {
    const id = async (given: string) =>
      (await gateway.call('GET', '/healthz', { headers: { 'x-request-id': given } })).headers.get('x-request-id');
    expect(await id('order-42.a_b')).toBe('order-42.a_b');
    expect(await id('a b;c')).not.toBe('a b;c');
  });
});

it('a condition that is a text, and so always true, is saved with a warning', async () => {
  const check = (id: string, condition: string) => ({ id, type: 'if', parameters: { condition } });
  const nodes = [
    { id: 'start', type: 'trigger.manual' },
    check('forgot', '$input.status == 200'),
    check('fine', '{{ $input.status == 200 }}'),
    { ...check('off', 'always'), disabled: true },
  ];
  const edges = nodes.slice(1).map(({ id }) => ({ source: 'start', target: id }));
  const body = { workspaceId: instance.workspaceId, name: 'Always', definition: { nodes, edges } };
  const created = await gateway.call('POST', '/api/workflows', { as: instance.session, body });
  expect([created.status, created.body.warnings]).toEqual([
    201,
    [
      {
        code: 'CONDITION_IS_TEXT',
        path: 'definition.nodes[1].parameters.condition',
        nodeId: 'forgot',
        message: 'The condition is a text, which is always true: an expression is in {{ }}.',
        remedy: 'Put the whole condition into one {{ }}, with nothing before and after it.',
        page: '/docs/warnings#condition_is_text',
      },
    ],
  ]);
});

describe("a node whose own time limit is longer than the run's", () => {
  const nodes = [
    { id: 'call', type: 'set', parameters: { fields: {} }, timeoutSeconds: 7_200 },
    { id: 'ask', type: 'approval', parameters: { message: 'Pay?', timeoutSeconds: 86_400 } },
    { id: 'form', type: 'human', parameters: { title: 'Fill in', schema: {}, timeoutSeconds: 86_400 } },
    { id: 'rest', type: 'wait', parameters: { seconds: 86_400 } },
    {
      id: 'again',
      type: 'http',
      parameters: { url: 'https://example.com' },
      retry: { maxAttempts: 4, delayMs: 1_000_000, factor: 10, maxDelayMs: 3_000_000 },
    },
    { id: 'off', type: 'wait', parameters: { seconds: 86_400 }, disabled: true },
    { id: 'later', type: 'wait', parameters: { seconds: '{{ $trigger.seconds }}' } },
  ];
  const definition = (settings?: object) => ({
    nodes: [{ id: 'start', type: 'trigger.manual' }, ...nodes],
    edges: nodes.map(({ id }) => ({ source: 'start', target: id })),
    ...(settings && { settings }),
  });
  const path = (index: number, rest: string) => `definition.nodes[${index}].${rest}`;

  it('is saved with a warning that names the node and both limits', async () => {
    const given = {
      workspaceId: instance.workspaceId,
      name: 'Long',
      definition: definition({ timeoutSeconds: 3_600 }),
    };
    const created = await gateway.call('POST', '/api/workflows', { as: instance.session, body: given });
    expect(created.status).toBe(201);
    const own = 'longer than the limit of its run, 3600 s (settings.timeoutSeconds).';
    expect(created.body.warnings).toMatchObject([
      { path: path(1, 'timeoutSeconds'), nodeId: 'call', message: `Its time limit, 7200 s, is ${own}` },
      { path: path(2, 'parameters.timeoutSeconds'), nodeId: 'ask', message: `Its wait, up to 86400 s, is ${own}` },
      { path: path(3, 'parameters.timeoutSeconds'), nodeId: 'form', message: `Its wait, up to 86400 s, is ${own}` },
      { path: path(4, 'parameters.seconds'), nodeId: 'rest', message: `Its wait, up to 86400 s, is ${own}` },
      { path: path(5, 'retry'), nodeId: 'again', message: `Its retry delays, up to 7000 s in all, are ${own}` },
    ]);
    expect(new Set(created.body.warnings.map(({ code }: { code: string }) => code))).toEqual(
      new Set(['LIMIT_EXCEEDS_RUN']),
    );
    const saved = await save(created.body.id, { definition: definition({ timeoutSeconds: 86_400 }) });
    expect([saved.status, saved.body.warnings]).toEqual([201, []]);
  });

  it('has a warning under the default limit only for what a worker spends: it rests for as long as it likes', async () => {
    const saved = await save(await createWorkflow(instance), { definition: definition() });
    const message = 'Its time limit, 7200 s, is longer than the limit of its run, 3600 s (the default).';
    expect(saved.body.warnings).toMatchObject([{ path: path(1, 'timeoutSeconds'), nodeId: 'call', message }]);
  });

  it('is one of at most a hundred that are named', async () => {
    const many = Array.from({ length: 130 }, (_, n) => ({ id: `n${n}`, type: 'merge', timeoutSeconds: 7_200 }));
    const { body } = await save(await createWorkflow(instance), { definition: chain(...many) });
    expect(body.warnings).toHaveLength(101);
    expect(body.warnings[100]).toMatchObject({ code: 'MORE_WARNINGS', path: 'definition' });
  });
});

it('a loop with more iterations at a time than the credential in it sends requests is saved with a warning', async () => {
  const { workspaceId, session: as } = instance;
  const secret = { token: 'secret' };
  const limited = { workspaceId, name: 'Slow', type: 'bearer', secret, rateLimit: { requests: 2, per: 'second' } };
  const { body: credential } = await gateway.call('POST', '/api/credentials', { as, body: limited });
  const definition = (concurrency: number) => ({
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'each', type: 'loop', parameters: { items: [], concurrency } },
      { id: 'call', type: 'http', parameters: { url: 'https://example.com' }, credentialId: credential.id },
    ],
    edges: [
      { source: 'start', target: 'each' },
      { source: 'each', sourceHandle: 'body', target: 'call' },
    ],
  });
  const { body } = await save(await createWorkflow(instance, definition(2)), { definition: definition(10) });
  expect(body.warnings).toMatchObject([
    {
      code: 'LOOP_EXCEEDS_RATE_LIMIT',
      path: 'definition.nodes[1].parameters.concurrency',
      nodeId: 'each',
      message: expect.stringContaining('the credential of "call" sends 2 requests per second'),
    },
  ]);
  expect((await save(await createWorkflow(instance), { definition: definition(2) })).body.warnings).toEqual([]);
});

describe('deleting a workflow', () => {
  it('stops its runs first, with those that they started and the nodes that wait', async () => {
    const child = await createWorkflow(instance, chain({ id: 'rest', type: 'wait', parameters: { seconds: 3_600 } }));
    const parent = await createWorkflow(
      instance,
      chain({ id: 'call', type: 'workflow', parameters: { workflowId: child } }),
    );
    const worker = await startTestWorker(instance);
    const started = await gateway.call('POST', `/api/workflows/${parent}/execute`, { as: instance.key });
    const { executionId } = started.body;
    const childRun = await until(async () => {
      const found = await instance.db.execution.findFirst({ where: { parentExecutionId: executionId } });
      return found !== null && found.wakeAt !== null ? found.id : undefined;
    });
    const removed = await gateway.call('DELETE', `/api/workflows/${parent}`, { as: instance.session });
    expect(removed.status).toBe(204);
    for (const [id, nodeId] of [
      [executionId, 'call'],
      [childRun, 'rest'],
    ] as const) {
      const { body } = await gateway.call('GET', `/api/executions/${id}`, { as: instance.key });
      expect([body.status, body.currentNodeId, body.progress[nodeId]!.status]).toEqual(['stopped', null, 'stopped']);
    }
    await worker.stop();
  });
});

describe('dryRun=true', () => {
  const headers = { 'idempotency-key': 'try-first' };
  const ask: Call<[body: object, as?: string]> = (method, path, body, as = instance.session) =>
    gateway.call(method, path, { as, body, headers });

  it('checks all that creating and saving check, says warnings, and saves nothing', async () => {
    const { workspaceId } = instance;
    const id = await createWorkflow(instance, simple);
    const { body: owner } = await gateway.call('GET', `/api/workflows/${id}`, { as: instance.session });
    const slow = chain({ id: 'a', type: 'wait', parameters: { seconds: 1 }, timeoutSeconds: 100 });
    const limited = { ...slow, settings: { timeoutSeconds: 10 } };
    const before = await digestTables(instance.db);
    const create = '/api/workflows?dryRun=true';
    expect(await ask('POST', create, { workspaceId, name: 'W', definition: limited })).toMatchObject({
      status: 200,
      body: { valid: true, warnings: [{ nodeId: 'a' }] },
    });
    const version = `/api/workflows/${id}/versions?dryRun=yes` as const;
    expect((await ask('POST', version, { definition: simple, baseVersionId: owner.latestVersionId })).body).toEqual({
      valid: true,
      warnings: [],
    });
    expect(await digestTables(instance.db)).toEqual(before);
    // The key is free for the request itself.
    const saved = await ask('POST', `/api/workflows/${id}/versions`, { definition: simple });
    expect([saved.status, saved.body.number]).toEqual([201, 2]);
  });

  it('is refused as creating and saving are', async () => {
    const { workspaceId } = instance;
    const id = await createWorkflow(instance, simple);
    const path = `hook-${id}`;
    const hook = { nodes: [{ id: 'hook', type: 'trigger.webhook', parameters: { path } }], edges: [] };
    await createWorkflow(instance, hook);
    const viewer = await addPerson(instance, 'viewer');
    const nowhere = '01a1fb35-e8df-7352-8660-75a19a555603';
    const unknown = chain({ id: 'call', type: 'http', parameters: { url: 'https://a.test' }, credentialId: nowhere });
    const hidden = { nodes: [{ id: 'hook', type: 'trigger.webhook', parameters: { secret: '********' } }], edges: [] };
    const before = await digestTables(instance.db);
    for (const [url, body, as] of [
      ['/api/workflows', { workspaceId, name: 'W', definition: unknown }],
      ['/api/workflows', { workspaceId, name: 'W', definition: hidden }],
      ['/api/workflows', { workspaceId, name: 'W', definition: hook }],
      ['/api/workflows', { workspaceId, name: 'W', definition: {} }],
      ['/api/workflows', { workspaceId, name: 'W', folderId: nowhere }],
      ['/api/workflows', { workspaceId, name: 'W' }, viewer.session],
      [`/api/workflows/${id}/versions`, { definition: unknown }],
      [`/api/workflows/${id}/versions`, { definition: hook }],
      [`/api/workflows/${id}/versions`, { definition: simple, baseVersionId: nowhere }],
      [`/api/workflows/${id}/versions`, { definition: simple }, viewer.session],
      [`/api/workflows/${nowhere}/versions`, { definition: simple }],
    ] as const) {
      const [tried, done] = [await ask('POST', `${url}?dryRun=true`, body, as), await ask('POST', url, body, as)];
      expect(tried.status).toBeGreaterThanOrEqual(400);
      const refusal = ({ status, body: { error, code, details } }: ApiResponse<ErrorMembers>) => ({
        status,
        error,
        code,
        details,
      });
      expect(refusal(tried)).toEqual(refusal(done));
    }
    expect(await digestTables(instance.db)).toEqual(before);
    const { body } = await ask('POST', '/api/workflows?dryRun=true', { workspaceId, name: 'W', definition: hidden });
    expect(body.details).toMatchObject([{ nodeId: 'hook' }]);
  });
});
