import { isJsonObject, type JsonObject, parseJson, parseOwnJson } from '@deckhand/contracts';
import { request } from 'node:http';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addKey,
  addPerson,
  callWithKey,
  chain,
  digestTables,
  type Instance,
  type KeyLimits,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';
import { callTool, connectMcp } from '../../harness/mcp.ts';

const APP = 'https://app.example';
let instance: Instance;
let ownerId: string;
/** Two workflows that are tools, and a run that waits for an approval. */
let ids: { readonly echo: string; readonly other: string; readonly run: string };

beforeAll(async () => {
  instance = await startInstance(undefined, { env: { API_ALLOWED_ORIGINS: APP } });
  await startTestWorker(instance);
  ownerId = (await instance.db.membership.findFirstOrThrow({ where: { role: 'owner' } })).userId;
  const [echo, other] = [await activate('echo'), await activate('other')];
  const client = await connectMcp({ url: instance.gateway.url, key: instance.key });
  const { value } = await callTool(client, 'echo', {});
  ids = { echo, other, run: textOf(value.executionId) };
});
afterAll(stopAll);

const call = callWithKey(() => instance);
/** What calls could change. The worker writes to other tables by itself. */
async function digest(): Promise<object> {
  const { executions, waits, workflows, workflow_versions, audit_log } = await digestTables(instance.db);
  return { executions, waits, workflows, workflow_versions, audit_log };
}
const connect = (key: string, query = '') => connectMcp({ url: instance.gateway.url, key, query });
const withKey = async (limits: KeyLimits, query?: string) =>
  connect((await addKey(instance, ownerId, limits)).key, query);

async function activate(name: string): Promise<string> {
  const definition = {
    ...chain({ id: 'ask', type: 'approval', parameters: { message: 'Go on?' } }),
    settings: { mcp: { name } },
  };
  const { body } = await call('POST', '/api/workflows', { workspaceId: instance.workspaceId, name, definition });
  await call('PATCH', `/api/workflows/${body.id}`, { status: 'active' });
  return body.id;
}

const PING = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const post = (headers: Record<string, string>, body: unknown = PING, query = '') =>
  fetch(`${instance.gateway.url}/mcp${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('a message', () => {
  it('needs an API key in x-api-key', async () => {
    const { id, key } = await addKey(instance, ownerId);
    const key401s: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${key}` },
      { authorization: `Bearer ${instance.session}` },
      { 'x-api-key': instance.session },
      { 'x-api-key': `${key}x` },
    ];
    for (const headers of key401s) {
      const answer = await post(headers);
      expect([answer.status, await answer.json()]).toEqual([401, expect.objectContaining({ code: 'UNAUTHORIZED' })]);
    }
    expect((await post({ 'x-api-key': key })).status).toBe(200);
    await instance.gateway.call('POST', `/api/api-keys/${id}/revoke`, { as: instance.session });
    expect((await post({ 'x-api-key': key })).status).toBe(401);
  });

  it('of a page is refused unless its origin is that of the service, or allowed', async () => {
    const of = (origin: string) => post({ 'x-api-key': instance.key, origin });
    for (const origin of ['https://evil.example', 'null', instance.gateway.url, `${APP}.evil.example`]) {
      const answer = await of(origin);
      expect([origin, answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([origin, 403, null]);
    }
    expect((await of('https://deckhand.example')).status).toBe(200);
    expect((await of(APP)).headers.get('access-control-allow-origin')).toBe(APP);
    const preflight = await fetch(`${instance.gateway.url}/mcp`, {
      method: 'OPTIONS',
      headers: { origin: APP, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'x-api-key']);
  });

  it('is a single JSON-RPC message of bounded size, sent by POST', async () => {
    const key = { 'x-api-key': instance.key };
    const codeOf = async (answer: Response) => [answer.status, jsonOf(await answer.text()).code];
    expect(await codeOf(await post(key, [PING, PING]))).toEqual([400, 'VALIDATION_FAILED']);
    expect(await codeOf(await post(key, '{'))).toEqual([400, 'INVALID_JSON']);
    expect(await codeOf(await post(key, '{"a":"\\u0000"}'))).toEqual([400, 'VALIDATION_FAILED']);
    expect(await codeOf(await post(key, PING, '?workspace=1'))).toEqual([400, 'VALIDATION_FAILED']);
    expect(await codeOf(await post(key, `"${'x'.repeat(10_485_761)}"`))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const got = await fetch(`${instance.gateway.url}/mcp`, { headers: key });
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await post(key, { ...PING, method: 'subscriptions/listen' })).status).toBe(200);
  });

  it('whose client disconnects waits no longer', async () => {
    const { size } = instance.gateway.services.runs.follower;
    const body = JSON.stringify({
      ...PING,
      method: 'tools/call',
      params: { name: 'deckhand_start_workflow', arguments: { workflowId: await slow() } },
    });
    const sent = request(`${instance.gateway.url}/mcp`, {
      method: 'POST',
      headers: {
        'x-api-key': instance.key,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
    });
    sent.on('error', () => undefined);
    sent.end(body);
    await until(() => size() > 0);
    sent.destroy();
    await until(() => size() === 0);
  });
});

async function slow(): Promise<string> {
  const definition = chain({ id: 'wait', type: 'wait', parameters: { seconds: 600 } });
  return (await call('POST', '/api/workflows', { workspaceId: instance.workspaceId, name: 'slow', definition })).body
    .id;
}

describe('scopes', () => {
  const namesFor = async (scopes: string[]) =>
    (await (await withKey({ scopes })).listTools()).tools.map(({ name }) => name);

  it('choose the tools that a key sees', async () => {
    expect(await namesFor([])).toEqual([]);
    const reads = await namesFor(['executions:read']);
    expect(reads).toEqual([
      'deckhand_search_runs',
      'deckhand_get_run',
      'deckhand_wait_for_run',
      'deckhand_get_node_output',
    ]);
    expect(await namesFor(['workflows:execute'])).toEqual(['deckhand_start_workflow', 'echo', 'other']);
    expect(await namesFor([`workflows:execute:${ids.echo}`])).toEqual(['deckhand_start_workflow', 'echo']);
  });

  it('are required of calls, too', async () => {
    const before = await digest();
    const client = await withKey({ scopes: ['executions:read', `workflows:execute:${ids.echo}`] });
    const calls: [string, object, string][] = [
      ['deckhand_start_workflow', { workflowId: ids.other }, 'workflows:write'],
      ['other', {}, 'workflows:write'],
      ['deckhand_stop_run', { executionId: ids.run }, 'executions:write'],
      ['deckhand_submit_approval', { executionId: ids.run, nodeId: 'ask', approved: true }, 'approvals:write'],
      ['deckhand_save_draft', { name: 'Mine', definition: chain() }, 'workflows:write'],
      ['deckhand_upload_file', { workflowId: ids.echo, name: 'a', base64: 'YQ==' }, 'workflows:write'],
      ['deckhand_validate_workflow', { definition: chain() }, 'workflows:write'],
      ['deckhand_list_node_types', {}, 'node-types:read'],
      ['deckhand_get_workflow', { workflowId: ids.echo }, 'workflows:read'],
    ];
    for (const [name, args, required] of calls) {
      expect([name, await callTool(client, name, { ...args })]).toEqual([
        name,
        { isError: true, value: expect.objectContaining({ code: 'INSUFFICIENT_SCOPE', required }) },
      ]);
    }
    expect(await digest()).toEqual(before);
    expect(await callTool(client, 'echo', {})).toMatchObject({
      isError: false,
      value: { status: 'waiting_for_input' },
    });
  });

  it('hide results from a key that may only start runs', async () => {
    const client = await withKey({ scopes: ['workflows:execute'] });
    const { value } = await callTool(client, 'echo', {});
    expect(value).toEqual({ executionId: expect.any(String), status: 'pending', next: expect.any(String) });
  });

  it('without approvals:write leave a question to others', async () => {
    const { key } = await addKey(instance, ownerId, {
      scopes: ['workflows:execute', 'executions:read', 'approvals:read'],
    });
    const options = { capabilities: { elicitation: {} } };
    const client = await connectMcp({ url: instance.gateway.url, key }, 'modern', options);
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { decision: 'approved' } }));
    expect(await callTool(client, 'echo', {})).toMatchObject({
      value: { status: 'waiting_for_input', approvals: [{ currentNodeId: 'ask' }] },
    });
  });
});

/** The response to a call. */
interface Reply {
  readonly result?: {
    readonly resultType?: string;
    readonly requestState: string;
    readonly inputRequests: object;
    readonly structuredContent?: object;
  };
  readonly error?: object;
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error('is not text');
  return value;
}

function jsonOf(text: string): JsonObject {
  const value = parseJson(text);
  if (!isJsonObject(value)) throw new Error(text);
  return value;
}

describe('a run that a client continues', () => {
  const params = (extra: object) => ({
    name: 'echo',
    arguments: {},
    ...extra,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    },
  });
  const send = async (key: string, extra: object) => {
    const headers = {
      'x-api-key': key,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
    };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: params(extra) };
    return parseOwnJson<Reply>(await (await post(headers, message)).text());
  };

  it('is the one that its state names, which another key or a forger cannot use', async () => {
    const { result } = await send(instance.key, {});
    if (!result) throw new Error('the call was refused');
    expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
    const { requestState, inputRequests } = result;
    const [waitId = ''] = Object.keys(inputRequests);
    const inputResponses = { [waitId]: { action: 'accept', content: { decision: 'approved' } } };
    const { key: another } = await addKey(instance, ownerId);
    const before = await digest();
    const attempts: [string, string][] = [
      [another, requestState],
      [instance.key, `${requestState.slice(0, -4)}AAAA`],
      [instance.key, JSON.stringify({ executionId: ids.run })],
    ];
    for (const [key, state] of attempts) {
      expect((await send(key, { requestState: state, inputResponses })).error).toMatchObject({ code: -32602 });
    }
    expect(await digest()).toEqual(before);
    const done = await send(instance.key, { requestState, inputResponses });
    expect(done.result?.structuredContent).toMatchObject({ status: 'success' });
  });
});

describe('workspaces', () => {
  it('of others are closed: their resources do not exist, and nothing changes', async () => {
    const stranger = await addPerson(instance);
    const own = uuidv7();
    await instance.db.workspace.create({ data: { id: own, name: 'Own' } });
    await instance.db.membership.create({ data: { workspaceId: own, userId: stranger.userId, role: 'owner' } });
    const client = await connect((await addKey(instance, stranger.userId)).key);
    expect((await client.listTools()).tools.every(({ name }) => name.startsWith('deckhand_'))).toBe(true);
    const before = await digest();
    const { workspaceId } = instance;
    const node = { executionId: ids.run, nodeId: 'ask' };
    const calls: [string, object, string][] = [
      ['deckhand_start_workflow', { workflowId: ids.echo }, 'NOT_FOUND'],
      ['deckhand_get_run', { executionId: ids.run }, 'NOT_FOUND'],
      ['deckhand_wait_for_run', { executionId: ids.run }, 'NOT_FOUND'],
      ['deckhand_get_node_output', { executionId: ids.run, nodeId: 'start' }, 'NOT_FOUND'],
      ['deckhand_stop_run', { executionId: ids.run }, 'NOT_FOUND'],
      ['deckhand_submit_approval', { ...node, approved: true }, 'NOT_FOUND'],
      ['deckhand_get_workflow', { workflowId: ids.echo }, 'NOT_FOUND'],
      ['deckhand_upload_file', { workflowId: ids.echo, name: 'a', base64: 'YQ==' }, 'NOT_FOUND'],
      ['deckhand_save_draft', { workflowId: ids.echo, definition: chain() }, 'NOT_FOUND'],
      ['deckhand_validate_workflow', { workflowId: ids.echo, definition: chain() }, 'NOT_FOUND'],
      ['deckhand_list_workflows', { workspaceId }, 'FORBIDDEN'],
      ['deckhand_search_runs', { workspaceId }, 'FORBIDDEN'],
      ['deckhand_list_approvals', { workspaceId }, 'FORBIDDEN'],
      ['deckhand_save_draft', { workspaceId, name: 'Mine', definition: chain() }, 'FORBIDDEN'],
    ];
    for (const [name, args, code] of calls) {
      const { isError, value } = await callTool(client, name, { ...args });
      expect([name, isError, value.code]).toEqual([name, true, code]);
    }
    await expect(client.callTool({ name: 'echo', arguments: {} })).rejects.toThrow('not found');
    expect(await digest()).toEqual(before);
    const { key } = await addKey(instance, stranger.userId);
    expect((await post({ 'x-api-key': key }, PING, `?workspaceId=${workspaceId}`)).status).toBe(403);
  });

  it('are chosen by the key or the URL where there are several, and named by calls otherwise', async () => {
    const second = uuidv7();
    await instance.db.workspace.create({ data: { id: second, name: 'Second' } });
    await instance.db.membership.create({ data: { workspaceId: second, userId: ownerId, role: 'owner' } });
    const hasEcho = async (client: Awaited<ReturnType<typeof connect>>) =>
      (await client.listTools()).tools.some(({ name }) => name === 'echo');
    const { workspaceId } = instance;
    const free = await connect(instance.key);
    expect(await hasEcho(free)).toBe(false);
    expect(await callTool(free, 'deckhand_list_workflows')).toMatchObject({
      isError: true,
      value: { code: 'VALIDATION_FAILED', details: [{ path: 'workspaceId' }] },
    });
    expect((await callTool(free, 'deckhand_list_workflows', { workspaceId })).value.data).not.toHaveLength(0);
    expect(await hasEcho(await connect(instance.key, `?workspaceId=${workspaceId}`))).toBe(true);
    expect(await hasEcho(await withKey({ workspaceId }))).toBe(true);
    const elsewhere = await withKey({ workspaceId: second });
    expect(await hasEcho(elsewhere)).toBe(false);
    const value = expect.objectContaining({ code: 'WORKSPACE_MISMATCH' });
    expect(await callTool(elsewhere, 'deckhand_list_workflows', { workspaceId })).toEqual({ isError: true, value });
    const { key } = await addKey(instance, ownerId, { workspaceId: second });
    expect((await post({ 'x-api-key': key }, PING, `?workspaceId=${workspaceId}`)).status).toBe(403);
    for (const query of ['?workspaceId=nope', '?workspaceId=', `?workspaceId=${workspaceId}&workspaceId=${second}`])
      expect((await post({ 'x-api-key': instance.key }, PING, query)).status).toBe(400);
    expect((await post({ 'x-api-key': instance.key }, PING, `?workspaceId=${uuidv7()}`)).status).toBe(403);
    await instance.db.workspace.delete({ where: { id: second } });
  });

  it('are left by people, and their keys then see them no more', async () => {
    const member = await addPerson(instance, 'editor');
    const client = await connect((await addKey(instance, member.userId)).key);
    expect((await client.listTools()).tools.some(({ name }) => name === 'echo')).toBe(true);
    await instance.db.membership.deleteMany({ where: { userId: member.userId } });
    expect((await client.listTools()).tools.some(({ name }) => name === 'echo')).toBe(false);
    await expect(client.callTool({ name: 'echo', arguments: {} })).rejects.toThrow('not found');
  });

  it('let a viewer see tools, and start nothing', async () => {
    const viewer = await addPerson(instance, 'viewer');
    const client = await connect((await addKey(instance, viewer.userId)).key);
    const value = expect.objectContaining({ code: 'FORBIDDEN' });
    expect(await callTool(client, 'echo', {})).toEqual({ isError: true, value });
    expect(await callTool(client, 'deckhand_stop_run', { executionId: ids.run })).toEqual({ isError: true, value });
  });
});
