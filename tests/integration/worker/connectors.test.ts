import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@deckhand/contracts';
import { createConnector } from '@deckhand/db';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { TRACKER, trackerAt } from '../../harness/connectors.ts';
import {
  addPerson,
  callWithKey,
  createWorkflow,
  type Instance,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';
import { type Echo, echoOf, serve } from '../../harness/serve.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance(undefined, { env: { HTTP_NODE_ALLOW_PRIVATE: 'true' } });
  await startTestWorker(instance);
});
afterAll(stopAll);

const call = callWithKey(() => instance);

let names = 0;

/** Creates a tracker of a name of its own, whose service responds as a listener does. */
async function createTracker(listener: RequestListener, workspaceId = instance.workspaceId) {
  const { url } = await serve(listener);
  const name = `tracker-${(names += 1)}`;
  const files = trackerAt(url);
  const body = { workspaceId, document: files.document, pack: files.pack.replace('name: tracker', `name: ${name}`) };
  const created = await call('POST', '/api/connectors', body);
  expect([created.status, created.body]).toEqual([201, expect.objectContaining({ name, version: '1.0.0' })]);
  return name;
}

/** Returns a definition with one node that calls an operation. */
function definitionOf(connector: string, parameters: object, node: object = {}) {
  const called = { id: 'call', type: 'connector', parameters: { connector, version: '1.0.0', ...parameters }, ...node };
  return { nodes: [{ id: 'start', type: 'trigger.manual' }, called], edges: [{ source: 'start', target: 'call' }] };
}

async function run(workflowId: string, input: JsonObject = {}) {
  const started = await call('POST', `/api/workflows/${workflowId}/execute`, { executionMode: 'debug', input });
  return until(async () => {
    const { body: found, text } = await call('GET', `/api/executions/${started.body.executionId}`);
    return ['success', 'failed'].includes(found.status) ? { ...found, text } : undefined;
  });
}

async function outputOf(workflowId: string, input: JsonObject = {}) {
  const ended = await run(workflowId, input);
  expect(ended).toMatchObject({ status: 'success' });
  return (await call('GET', `/api/executions/${ended.id}/nodes/call/output`)).body.output;
}

const save = (definition: object) =>
  call('POST', '/api/workflows', { workspaceId: instance.workspaceId, name: 'Connected', definition });

const JSON_TYPE = { 'content-type': 'application/json' };

describe('a connector of a workspace', () => {
  it('sends what a node says, with its credential and its idempotency header', async () => {
    const echoes: Echo[] = [];
    const connector = await createTracker((request, response) => {
      void echoOf(request).then((echo) => {
        echoes.push(echo);
        response.writeHead(201, JSON_TYPE).end('{"id":4}');
      });
    });
    const secret = { value: 'key-of-the-tracker' };
    const { workspaceId } = instance;
    const credential = await call('POST', '/api/credentials', { workspaceId, name: 'Key', type: 'apiKey', secret });
    const parameters = { operation: 'issue.create', values: { body: { title: 'Order {{ $trigger.order }}' } } };
    const definition = definitionOf(connector, parameters, { credentialId: credential.body.id });
    const workflowId = await createWorkflow(instance, definition);
    expect(await outputOf(workflowId, { order: 17 })).toMatchObject({ status: 201, body: { id: 4 } });
    expect(echoes).toEqual([
      expect.objectContaining({
        method: 'POST',
        path: '/issues',
        body: '{"priority":"normal","title":"Order 17","source":"deckhand"}',
      }),
    ]);
    expect(echoes[0]?.headers).toMatchObject({
      'x-tracker-key': 'key-of-the-tracker',
      'x-api-version': '2',
      'x-request-key': expect.stringMatching(/:call$/),
    });
  });

  it('reads all pages', async () => {
    const connector = await createTracker((request, response) => {
      const cursor = new URL(request.url ?? '', 'http://tracker').searchParams.get('cursor') ?? '0';
      const next = cursor === '2' ? null : String(Number(cursor) + 1);
      response.writeHead(200, JSON_TYPE).end(JSON.stringify({ issues: [cursor], page: { next } }));
    });
    const workflowId = await createWorkflow(
      instance,
      definitionOf(connector, { operation: 'issue.list', allPages: true }),
    );
    expect(await outputOf(workflowId)).toEqual(['0', '1', '2']);
  });

  it('fails with what its service says', async () => {
    const connector = await createTracker((_request, response) => {
      response.writeHead(422, JSON_TYPE).end('{"error":{"message":"The tracker is closed"}}');
    });
    const workflowId = await createWorkflow(instance, definitionOf(connector, { operation: 'issue.list' }));
    const { error } = await run(workflowId);
    expect(error).toMatchObject({
      code: 'HTTP_STATUS',
      message: expect.stringMatching(/answered 422: The tracker is closed$/),
    });
  });

  it('that was deleted fails the runs that call it, and one that is created again has a service of its own', async () => {
    const connector = await createTracker((_request, response) => response.writeHead(200, JSON_TYPE).end('"first"'));
    const workflowId = await createWorkflow(instance, definitionOf(connector, { operation: 'issue.list' }));
    expect(await outputOf(workflowId)).toMatchObject({ body: 'first' });
    const path = `/api/connectors/${connector}/versions/1.0.0?workspaceId=${instance.workspaceId}`;
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await call('DELETE', path)).status).toBe(404);
    expect((await run(workflowId)).error).toMatchObject({ code: 'CONNECTOR_NOT_FOUND' });
    const { url } = await serve((_request, response) => response.writeHead(200, JSON_TYPE).end('"second"'));
    const files = trackerAt(url);
    const pack = files.pack.replace('name: tracker', `name: ${connector}`);
    await call('POST', '/api/connectors', { workspaceId: instance.workspaceId, ...files, pack });
    expect(await outputOf(workflowId)).toMatchObject({ body: 'second' });
  });

  it('of another workspace is not found: neither by a version, nor by a run', async () => {
    const other = await call('POST', '/api/workspaces', { name: 'Elsewhere' });
    const connector = await createTracker((_request, response) => response.end(), other.body.id);
    const refused = await save(definitionOf(connector, { operation: 'issue.list' }));
    expect([refused.status, refused.body.details?.[0]?.path]).toEqual([
      400,
      'definition.nodes[1].parameters.operation',
    ]);
    // What is an expression is looked up by the run.
    const later = definitionOf('{{ $trigger.connector }}', { operation: 'issue.list' });
    const ended = await run(await createWorkflow(instance, later), { connector });
    expect(ended.error).toMatchObject({ code: 'CONNECTOR_NOT_FOUND' });
  });
});

describe('a version of a workflow', () => {
  let connector: string;
  beforeAll(async () => {
    connector = await createTracker((_request, response) => response.end());
  });

  it.each<[string, object, object]>([
    [
      'an operation that its connector does not have',
      { operation: 'issue.close' },
      { path: 'definition.nodes[1].parameters.operation', nodeId: 'call' },
    ],
    [
      'values that do not fit',
      { operation: 'issue.create', values: { body: { title: '{{ $trigger.title }}', priority: 'urgent' } } },
      { path: 'definition.nodes[1].parameters.values.body.priority', nodeId: 'call' },
    ],
    [
      'a value that is missing',
      { operation: 'issue.create', values: { body: { text: '{{ $trigger.text }}' } } },
      { path: 'definition.nodes[1].parameters.values.body.title', message: 'is required' },
    ],
    [
      'a value that its operation does not take',
      { operation: 'issue.list', values: { query: { sate: '{{ $trigger.state }}' } } },
      { path: 'definition.nodes[1].parameters.values.query.sate', message: 'is not a known field' },
    ],
    [
      'pages that its operation does not have',
      { operation: 'issue.get', values: { path: { id: '1' } }, allPages: true },
      { path: 'definition.nodes[1].parameters.allPages' },
    ],
  ])('is not saved with %s', async (_what, parameters, issue) => {
    const { status, body } = await save(definitionOf(connector, parameters));
    expect([status, body.details]).toEqual([400, [expect.objectContaining(issue)]]);
  });

  it('is not saved with a credential of a type that its connector does not take', async () => {
    const { workspaceId } = instance;
    const secret = { token: 't' };
    const credential = await call('POST', '/api/credentials', { workspaceId, name: 'T', type: 'bearer', secret });
    const node = { credentialId: credential.body.id };
    const { status, body } = await save(definitionOf(connector, { operation: 'issue.list' }, node));
    expect([status, body.details]).toEqual([
      400,
      [
        expect.objectContaining({
          path: 'definition.nodes[1].credentialId',
          message: 'is a credential of type bearer; this connector takes apiKey, oauth2',
        }),
      ],
    ]);
  });
});

describe('docs/connectors.md', () => {
  it('leads from a document to a workflow that calls its operations', async () => {
    const page = readFileSync(new URL('../../../docs/connectors.md', import.meta.url), 'utf8');
    const [section = ''] = /## Write a pack\n.*?(?=\n## )/s.exec(page) ?? [];
    const blocks = Array.from(section.matchAll(/```(?:yaml|json)\n(.*?)```/gs), ([, text = '']) => text);
    const [document = '', pack, definition = ''] = blocks;
    const tickets: unknown[] = [];
    const { url } = await serve((request, response) => {
      void echoOf(request).then(({ method, body }) => {
        if (method === 'POST') tickets.push(JSON.parse(body));
        response.writeHead(200, JSON_TYPE).end(JSON.stringify({ tickets, next: null }));
      });
    });
    const { workspaceId } = instance;
    const served = document.replace('https://tracker.example.com', url);
    expect((await call('POST', '/api/connectors', { workspaceId, pack, document: served })).status).toBe(201);
    const workflowId = await createWorkflow(instance, JSON.parse(definition) as object);
    const ended = await run(workflowId, { order: 17 });
    expect(ended).toMatchObject({ status: 'success' });
    const listed = await call('GET', `/api/executions/${ended.id}/nodes/list/output`);
    expect(listed.body.output).toEqual([{ subject: 'Order 17 is late', source: 'deckhand' }]);
  });
});

describe('the API', () => {
  it('lists connectors, their versions and their operations, and returns the form of one', async () => {
    const name = await createTracker((_request, response) => response.end());
    const query = `workspaceId=${instance.workspaceId}`;
    const pack = TRACKER.pack.replace('name: tracker', `name: ${name}`).replace('version: 1.0.0', 'version: 1.1.0');
    await call('POST', '/api/connectors', { workspaceId: instance.workspaceId, ...TRACKER, pack });
    const versions = await call('GET', `/api/connectors/${name}/versions?${query}&includeTotal=true&limit=1`);
    expect(versions.body).toMatchObject({
      data: [{ name, version: '1.1.0', title: 'Tracker', isBuiltIn: false, operationCount: 4 }],
      hasMore: true,
      total: 2,
    });
    const listed = await call('GET', `/api/connectors?${query}`);
    expect(listed.body.data.filter((each: { name: string }) => each.name === name)).toHaveLength(2);
    const at = `/api/connectors/${name}/versions/1.1.0/operations` as const;
    const operations = await call('GET', `${at}?${query}`);
    expect(operations.body.data.map(({ id }: { id: string }) => id)).toEqual([
      ...['issue.list', 'issue.get', 'issue.create', 'comment.list'],
    ]);
    const operation = await call('GET', `${at}/issue.create?${query}`);
    expect(operation.body).toMatchObject({
      connector: name,
      version: '1.1.0',
      method: 'POST',
      hasPages: false,
      schema: { properties: { body: { properties: { title: {}, text: {}, priority: { default: 'normal' } } } } },
    });
    // The order of the document, not that of a database.
    expect(operation.text).toMatch(/"title":.*"text":.*"priority":/);
    for (const path of [`${at}/issue.x?${query}`, `${at}/%00?${query}`, `/api/connectors/x/versions?${query}`])
      expect([path, (await call('GET', path)).status]).toEqual([path, 404]);
  });

  it('pages lists: connectors of the workspace first, and then those that are built in', async () => {
    const { body: workspace } = await call('POST', '/api/workspaces', { name: 'Paged' });
    const workspaceId: string = workspace.id;
    const name = await createTracker((_request, response) => response.end(), workspaceId);
    for (const version of ['1.1.0', '1.2.0']) {
      const pack = TRACKER.pack
        .replace('name: tracker', `name: ${name}`)
        .replace('version: 1.0.0', `version: ${version}`);
      expect((await call('POST', '/api/connectors', { workspaceId, ...TRACKER, pack })).status).toBe(201);
    }
    const query = `workspaceId=${workspaceId}`;
    type Listed = Promise<{ body: { data: unknown[]; hasMore: boolean; total?: number } }>;
    const pagesOf = async (list: (page: string) => Listed) => {
      const { data, total, hasMore } = (await list(`${query}&limit=500&includeTotal=true`)).body;
      expect([data.length, hasMore]).toEqual([total, false]);
      for (let offset = 0; offset <= data.length; offset += 2) {
        const { body } = await list(`${query}&limit=2&offset=${offset}&includeTotal=true`);
        const page = { data: data.slice(offset, offset + 2), hasMore: offset + 2 < data.length };
        expect(body).toEqual({ ...page, limit: 2, offset, total });
      }
      return data;
    };
    const connectors = await pagesOf((page) => call('GET', `/api/connectors?${page}`));
    expect(connectors.slice(0, 4)).toMatchObject([
      ...['1.2.0', '1.1.0', '1.0.0'].map((version) => ({ name, version, isBuiltIn: false })),
      { isBuiltIn: true },
    ]);
    expect(await pagesOf((page) => call('GET', `/api/connectors/${name}/versions?${page}`))).toHaveLength(3);
    expect(await pagesOf((page) => call('GET', `/api/connectors/slack/versions?${page}`))).toHaveLength(1);
    const own = `/api/connectors/${name}/versions/1.1.0/operations` as const;
    expect(await pagesOf((page) => call('GET', `${own}?${page}`))).toHaveLength(4);
    const slackAt = '/api/connectors/slack/versions/1.0.0/operations';
    expect((await pagesOf((page) => call('GET', `${slackAt}?${page}`))).length).toBeGreaterThan(10);
  });

  it('makes a connector of a document alone', async () => {
    const { workspaceId } = instance;
    const body = { workspaceId, document: TRACKER.document, name: 'whole', version: '1.0.0' };
    const checked = await call('POST', '/api/connectors?dryRun=true', body);
    expect([checked.status, checked.body]).toMatchObject([
      200,
      {
        valid: true,
        connector: { name: 'whole', title: 'Tracker' },
        operations: [{ id: 'issues.listIssues' }, { id: 'issues.post' }, { id: 'issues.getIssue' }, {}],
      },
    ]);
    const listed = await call('GET', `/api/connectors/whole/versions?workspaceId=${workspaceId}`);
    expect(listed.status).toBe(404);
    expect((await call('POST', '/api/connectors', body)).status).toBe(201);
    const again = await call('POST', '/api/connectors', body);
    expect([again.status, again.body.code]).toEqual([409, 'CONFLICT']);
  });

  it.each<[string, object, string]>([
    ['without a name', { pack: undefined }, 'name'],
    ['with an issue of its pack', { pack: TRACKER.pack.replace('listIssues', 'list') }, 'pack.operations[0].operation'],
    ['with a pack that refers to itself', { pack: `${TRACKER.pack}x: &x [*x]\n` }, 'document'],
    ['with a document of many aliases', { document: `a: &a [1]\nb: [${'*a, '.repeat(1_500)}1]\n` }, 'document'],
    ['with a document without operations', { document: 'openapi: 3.1.0' }, 'document'],
  ])('400: refuses one %s', async (_what, change, path) => {
    const body = { workspaceId: instance.workspaceId, ...TRACKER, ...change };
    const { status, body: refused } = await call('POST', '/api/connectors', body);
    expect([status, refused.details?.[0]?.path]).toEqual([400, path]);
  });

  it('403: lets viewers read and editors change', async () => {
    const viewer = await addPerson(instance, 'viewer');
    const stranger = await addPerson(instance);
    const name = await createTracker((_request, response) => response.end());
    const query = `workspaceId=${instance.workspaceId}`;
    const one = `/api/connectors/${name}/versions/1.0.0`;
    const reads = [
      ...[`/api/connectors?${query}`, `/api/connectors/${name}/versions?${query}`],
      ...[`${one}/operations?${query}`, `${one}/operations/issue.list?${query}`],
    ];
    const statusOf = async (method: 'GET' | 'POST' | 'DELETE', path: string, as: string, body?: object) =>
      (await instance.gateway.call(method, path, { as, ...(body && { body }) })).status;
    for (const path of reads) {
      expect([path, await statusOf('GET', path, viewer.session)]).toEqual([path, 200]);
      expect([path, await statusOf('GET', path, stranger.session)]).toEqual([path, 403]);
    }
    // Nobody reads the document of a viewer.
    const body = { workspaceId: instance.workspaceId, ...TRACKER, document: 'not one' };
    expect(await statusOf('POST', '/api/connectors', viewer.session, body)).toBe(403);
    for (const { session } of [viewer, stranger])
      expect(await statusOf('DELETE', `${one}?${query}`, session)).toBe(403);
  });

  it('409: keeps as many as a workspace may have', async () => {
    const created = await call('POST', '/api/workspaces', { name: 'Full' });
    const workspaceId = created.body.id;
    await instance.db.$executeRaw`
      INSERT INTO connectors (id, workspace_id, name, version, head, summary, bytes)
      SELECT gen_random_uuid(), ${workspaceId}::uuid, 'full', number || '.0.0', '{}', '{}', 4
      FROM generate_series(1, 199) AS number`;
    const { userId } = await instance.db.membership.findFirstOrThrow({ where: { workspaceId } });
    const texts = { name: 'last', version: '1.0.0', head: '{}', summary: '{}', operations: [] };
    let outcome: unknown;
    // Another request creates the last one that the workspace has room for.
    await instance.db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`connectors ${workspaceId}`}, 0))::text`;
      void createConnector(instance.db, { userId, boundTo: null }, workspaceId, texts).then(
        () => (outcome = 'created'),
        (error: unknown) => (outcome = error),
      );
      await until(async () => {
        const waiting = await instance.db.$queryRaw<unknown[]>`
          SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
        return waiting.length > 0 || outcome !== undefined;
      });
      await tx.$executeRaw`
        INSERT INTO connectors (id, workspace_id, name, version, head, summary, bytes)
        VALUES (gen_random_uuid(), ${workspaceId}::uuid, 'full', '0.0.0', '{}', '{}', 4)`;
    });
    await until(() => outcome !== undefined);
    expect(outcome).toMatchObject({ code: 'LIMIT_REACHED' });
    const refused = await call('POST', '/api/connectors', {
      ...{ workspaceId, document: TRACKER.document, name: 'last', version: '1.0.0' },
    });
    expect([refused.status, refused.body.code]).toEqual([409, 'LIMIT_REACHED']);
  });
});
