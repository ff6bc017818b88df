import type { FileValue, JsonObject } from '@deckhand/contracts';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addKey,
  callWithKey,
  chain,
  type Instance,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';
import { callTool, connectMcp, type McpEra } from '../../harness/mcp.ts';

let instance: Instance;
let client: Client;

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance);
  client = await connectMcp(target());
});
afterAll(stopAll);

const target = () => ({ url: instance.gateway.url, key: instance.key });
const call = callWithKey(() => instance);
const runsOf = (workflowId: string) => instance.db.execution.count({ where: { workflowId } });

const AMOUNT = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] };

/** A definition that is a tool. */
function tool(mcp: object, nodes: Parameters<typeof chain>, inputSchema?: object): object {
  const { nodes: all, edges } = definitionOf(nodes);
  const [trigger, ...rest] = all;
  return { nodes: [{ ...trigger, parameters: inputSchema ? { inputSchema } : {} }, ...rest], edges, settings: { mcp } };
}

/** A chain, in which an approval is left by its first choice. */
function definitionOf(nodes: Parameters<typeof chain>) {
  const { nodes: all, edges } = chain(...nodes);
  return { nodes: all, edges: edges.map((edge) => (edge.source === 'ask' ? { ...edge, sourceHandle: 'yes' } : edge)) };
}

const DOUBLE: Parameters<typeof chain> = [
  { id: 'total', type: 'set', parameters: { fields: { total: '{{ $trigger.amount * 2 }}' } } },
  { id: 'end', type: 'terminal', parameters: { body: '{{ $input.total }}' } },
];
const ASK: Parameters<typeof chain> = [
  { id: 'ask', type: 'approval', parameters: { message: 'Refund {{ $trigger.order }}?', choices: ['yes', 'no'] } },
  { id: 'end', type: 'terminal', parameters: { body: 'refunded' } },
];

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error('is not text');
  return value;
}

async function save(name: string, definition: object): Promise<string> {
  const { body, status, text } = await call('POST', '/api/workflows', {
    workspaceId: instance.workspaceId,
    name,
    description: `About ${name}`,
    definition,
  });
  if (status !== 201) throw new Error(text);
  return body.id;
}

async function activate(name: string, definition: object): Promise<string> {
  const id = await save(name, definition);
  const { status, text } = await call('PATCH', `/api/workflows/${id}`, { status: 'active' });
  if (status !== 200) throw new Error(text);
  return id;
}

const toolsNamed = async (part: string) => (await client.listTools()).tools.filter(({ name }) => name.includes(part));

describe.each<McpEra>(['modern', 'legacy'])('a client of the %s revision', (era) => {
  it('lists active workflows that are tools, and runs them', async () => {
    const name = `double_${era}`;
    const mcp = { name, title: 'Double', description: 'Doubles it', readOnlyHint: true, openWorldHint: false };
    const id = await activate(`Doubling ${era}`, tool(mcp, DOUBLE, AMOUNT));
    const connected = await connectMcp(target(), era);
    const { tools } = await connected.listTools();
    expect(tools.find((each) => each.name === name)).toEqual({
      name,
      title: 'Double',
      description: 'Doubles it',
      inputSchema: AMOUNT,
      annotations: { readOnlyHint: true, openWorldHint: false },
    });
    expect(await connected.callTool({ name, arguments: { amount: 21 } })).toMatchObject({
      structuredContent: { status: 'success', result: 42 },
    });
    expect(await runsOf(id)).toBe(1);
  });
});

describe('a workflow', () => {
  it('is named after itself, and takes any object, without settings and a schema', async () => {
    await activate('Überprüfung der Bücher!', tool({}, DOUBLE));
    expect(await toolsNamed('uberprufung')).toEqual([
      {
        name: 'uberprufung_der_bucher',
        title: 'Überprüfung der Bücher!',
        description: 'About Überprüfung der Bücher!',
        inputSchema: { type: 'object' },
        annotations: {},
      },
    ]);
  });

  it('is not a tool while it is not active, and one as its active version says, which runs', async () => {
    const id = await save('Versions', tool({ name: 'versioned' }, DOUBLE));
    expect(await toolsNamed('versioned')).toEqual([]);
    await call('PATCH', `/api/workflows/${id}`, { status: 'active' });
    const { status } = await call('POST', `/api/workflows/${id}/versions`, {
      definition: tool({ name: 'versioned_later' }, [{ id: 'no', type: 'fail', parameters: { message: 'latest' } }]),
    });
    expect([status, (await toolsNamed('versioned')).map(({ name }) => name)]).toEqual([201, ['versioned']]);
    expect(await callTool(client, 'versioned', { amount: 1 })).toMatchObject({ value: { result: 2 } });
    await call('PATCH', `/api/workflows/${id}`, { status: 'inactive' });
    expect(await toolsNamed('versioned')).toEqual([]);
    await expect(client.callTool({ name: 'versioned', arguments: {} })).rejects.toThrow('not found');
  });

  it('with the name of another has the end of its id in its name, and so has the other', async () => {
    const first = await activate('Twin', tool({ name: 'twin' }, DOUBLE));
    const second = await activate('Twin', tool({ name: 'twin' }, DOUBLE));
    const names = (await toolsNamed('twin')).map(({ name }) => name);
    expect(names).toEqual([`twin_${first.slice(-8)}`, `twin_${second.slice(-8)}`]);
    expect(await callTool(client, `twin_${second.slice(-8)}`, { amount: 2 })).toMatchObject({ value: { result: 4 } });
    expect([await runsOf(first), await runsOf(second)]).toEqual([0, 1]);
    await expect(client.callTool({ name: 'twin', arguments: { amount: 1 } })).rejects.toThrow('not found');
    // An author cannot take the name that another workflow gets, nor one that all objects seem to have.
    const third = await activate('Third', tool({ name: `twin_${second.slice(-8)}` }, DOUBLE));
    const fourth = await activate('Fourth', tool({ name: 'constructor' }, DOUBLE));
    const taken = (await toolsNamed('twin')).map(({ name }) => name);
    expect(new Set(taken).size).toBe(3);
    expect(taken).toContain(`twin_${second.slice(-8)}_${third.slice(-8)}`);
    expect(await callTool(client, `constructor_${fourth.slice(-8)}`, { amount: 2 })).toMatchObject({
      value: { result: 4 },
    });
  });

  it('does not start with arguments that its schema refuses', async () => {
    const id = await activate('Strict', tool({ name: 'strict' }, DOUBLE, AMOUNT));
    expect(await callTool(client, 'strict', { amount: 'much' })).toMatchObject({
      isError: true,
      value: { code: 'VALIDATION_FAILED', details: [{ path: 'amount', message: expect.any(String) }] },
    });
    expect(await runsOf(id)).toBe(0);
  });

  it('whose run fails returns an error with the node', async () => {
    const failing = tool({ name: 'failing' }, [{ id: 'no', type: 'fail', parameters: { message: 'out of stock' } }]);
    await activate('Failing', failing);
    expect(await callTool(client, 'failing')).toMatchObject({
      isError: true,
      value: { status: 'failed', error: { nodeId: 'no', message: 'out of stock' } },
    });
  });

  it.each([
    ['settings.mcp.name', { name: 'deckhand_get_run' }, undefined],
    ['settings.mcp.name', { name: 'with space' }, undefined],
    ['settings.mcp.other', { other: 1 }, undefined],
    ['nodes[0].parameters.inputSchema', {}, { type: 'string' }],
    ['nodes[0].parameters.inputSchema', {}, { properties: { a: { pattern: '(a)\\1' } } }],
    ['nodes[0].parameters.inputSchema', {}, { description: 'x'.repeat(40_000) }],
  ])('is not saved with a bad %s', async (path, mcp, schema) => {
    const { status, body } = await call('POST', '/api/workflows', {
      workspaceId: instance.workspaceId,
      name: 'Bad',
      definition: tool(mcp, DOUBLE, schema),
    });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(`"path":"definition.${path}"`)]);
  });
});

describe('an approval that a run waits for', () => {
  const ANSWERS = { capabilities: { elicitation: { form: {} } } };
  const answering = async (answer: JsonObject & { action: 'accept' | 'decline' }) => {
    const connected = await connectMcp(target(), 'modern', ANSWERS);
    const questions: unknown[] = [];
    connected.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params);
      return { ...answer };
    });
    return { connected, questions };
  };

  it('is asked of the user of a client that can ask, whose decision continues the run', async () => {
    const id = await activate('Asked', tool({ name: 'asked' }, ASK));
    const { connected, questions } = await answering({
      action: 'accept',
      content: { decision: 'yes', comment: 'a regular' },
    });
    expect(await callTool(connected, 'asked', { order: 7 })).toMatchObject({
      isError: false,
      value: { status: 'success', result: 'refunded' },
    });
    expect(questions).toMatchObject([
      { message: 'Refund 7?', requestedSchema: { properties: { decision: { enum: ['yes', 'no'] } } } },
    ]);
    const run = await instance.db.execution.findFirstOrThrow({ where: { workflowId: id } });
    expect(await runsOf(id)).toBe(1);
    const { body } = await call('GET', `/api/audit-log?workspaceId=${instance.workspaceId}`);
    const audited = body.data.filter(({ resourceId }) => resourceId === run.id || resourceId === id);
    expect(audited.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['workflow.execute', 'execution.decide']),
    );
    expect(audited.every(({ apiKeyId }) => apiKeyId !== null)).toBe(true);
    const { data } = (await call('GET', `/api/executions/${run.id}`)).body;
    expect(data.approvals).toMatchObject([{ decision: 'yes', comment: 'a regular' }]);
  });

  it('stays open if the user declines, or decides what is not a choice', async () => {
    const id = await activate('Declined', tool({ name: 'declined' }, ASK));
    const { connected } = await answering({ action: 'decline' });
    expect(await callTool(connected, 'declined', { order: 8 })).toMatchObject({
      isError: false,
      value: { status: 'waiting_for_input', approvals: [{ message: 'Refund 8?', choices: ['yes', 'no'] }] },
    });
    const other = await answering({ action: 'accept', content: { decision: 'maybe' } });
    expect(await callTool(other.connected, 'declined', { order: 9 })).toMatchObject({
      isError: true,
      value: { code: 'VALIDATION_FAILED' },
    });
    expect(await instance.db.wait.count({ where: { answeredAt: null, kind: 'approval' } })).toBe(2);
    expect(await runsOf(id)).toBe(2);
  });

  it('is not asked of a user who may not answer it', async () => {
    const parameters = { message: 'Refund?', choices: ['yes', 'no'], approvers: { roles: ['approver'] } };
    const end = { id: 'end', type: 'terminal', parameters: { body: 'refunded' } };
    await activate('Of others', tool({ name: 'of_others' }, [{ id: 'ask', type: 'approval', parameters }, end]));
    const { connected, questions } = await answering({ action: 'accept', content: { decision: 'yes' } });
    expect(await callTool(connected, 'of_others', { order: 9 })).toMatchObject({
      isError: false,
      value: { status: 'waiting_for_input', approvals: [], next: 'Another person has to decide, in the console' },
    });
    expect(questions).toEqual([]);
  });

  it('is shown to other clients, which submit the decision and wait for the run', async () => {
    await activate('Shown', tool({ name: 'shown' }, ASK));
    for (const era of ['modern', 'legacy'] as const) {
      const connected = await connectMcp(target(), era);
      const { value } = await callTool(connected, 'shown', { order: 1 });
      expect(value).toMatchObject({ status: 'waiting_for_input', approvals: [{ currentNodeId: 'ask' }] });
      const { executionId } = value;
      const submitted = { executionId, nodeId: 'ask', decision: 'no' };
      expect(await callTool(connected, 'deckhand_submit_approval', submitted)).toMatchObject({ isError: false });
      expect(await callTool(connected, 'deckhand_submit_approval', { ...submitted, decision: 'yes' })).toMatchObject({
        isError: true,
        value: { code: 'ALREADY_DECIDED', recorded: { decision: 'no' } },
      });
      expect(await callTool(connected, 'deckhand_wait_for_run', { executionId })).toMatchObject({
        value: { status: 'success' },
      });
    }
  });
});

describe('the tools of every instance', () => {
  it('start a run once for each idempotency key, without waiting if asked to', async () => {
    const workflowId = await save('Keyed', definitionOf(ASK));
    const args = { workflowId, input: { order: 1 }, idempotencyKey: 'once', waitSeconds: 0 };
    const first = await callTool(client, 'deckhand_start_workflow', args);
    expect(first.value).toMatchObject({ executionId: expect.any(String), status: expect.any(String) });
    const again = await callTool(client, 'deckhand_start_workflow', args);
    expect(again.value.executionId).toBe(first.value.executionId);
    const other = await callTool(client, 'deckhand_start_workflow', { ...args, input: { order: 2 } });
    expect(other).toMatchObject({ isError: true, value: { code: 'CONFLICT' } });
    expect(await runsOf(workflowId)).toBe(1);
  });

  it('take half surrogate pairs in data of runs, and nowhere else', async () => {
    const echo = tool({ name: 'echo' }, [{ id: 'end', type: 'terminal', parameters: { body: '{{ $trigger.text }}' } }]);
    const workflowId = await activate('Echo', echo);
    const text = 'a\ud800';
    for (const [name, args] of [
      ['echo', { text }],
      ['deckhand_start_workflow', { workflowId, input: { text } }],
    ] as const) {
      expect(await callTool(client, name, args)).toMatchObject({ value: { status: 'success', result: text } });
    }
    await expect(callTool(client, 'deckhand_list_workflows', { search: text })).rejects.toThrow(
      'params.arguments.search: holds half a surrogate pair',
    );
    await expect(callTool(client, text)).rejects.toThrow('params.name: holds half a surrogate pair');
  });

  it('return a run that takes longer with its id, and stop it', async () => {
    const workflowId = await save('Long', chain({ id: 'wait', type: 'wait', parameters: { seconds: 600 } }));
    const { value } = await callTool(client, 'deckhand_start_workflow', { workflowId, waitSeconds: 0.1 });
    expect(value).toMatchObject({ next: expect.stringContaining('deckhand_wait_for_run') });
    const { executionId } = value;
    const waiting = callTool(client, 'deckhand_wait_for_run', { executionId });
    await until(() => instance.gateway.services.runs.follower.size() > 0);
    expect(await callTool(client, 'deckhand_stop_run', { executionId })).toMatchObject({
      value: { status: 'stopped' },
    });
    expect(await waiting).toMatchObject({ isError: true, value: { status: 'stopped' } });
  });

  it('find workspaces, workflows, runs and outputs', async () => {
    const workflowId = await save('Findable', chain(...DOUBLE));
    const started = await callTool(client, 'deckhand_start_workflow', {
      workflowId,
      input: { amount: 4 },
      tags: ['found'],
    });
    const { executionId } = started.value;
    expect(started.value.result).toBe(8);
    const read = async (name: string, args: Record<string, unknown>) => (await callTool(client, name, args)).value;
    expect(await read('deckhand_list_workspaces', {})).toMatchObject({ data: [{ id: instance.workspaceId }] });
    expect(await read('deckhand_list_workflows', { search: 'findable' })).toMatchObject({ data: [{ id: workflowId }] });
    expect(await read('deckhand_get_workflow', { workflowId })).toMatchObject({ definition: { nodes: [{}, {}, {}] } });
    expect(await read('deckhand_search_runs', { tag: ['found'], status: ['success'] })).toMatchObject({
      data: [{ executionId, status: 'success', workflowName: 'Findable' }],
      nextCursor: null,
    });
    expect(await read('deckhand_get_run', { executionId })).toMatchObject({ progress: { total: { attempts: 1 } } });
    expect(await read('deckhand_get_node_output', { executionId, nodeId: 'total' })).toMatchObject({
      output: { total: 8 },
    });
    const ofSteps = { executionId, nodeId: 'agent.steps', iteration: '0' };
    expect(await read('deckhand_get_node_output', ofSteps)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await read('deckhand_list_approvals', {})).toMatchObject({ limit: 50 });
    expect(await read('deckhand_get_run', { executionId: 'x' })).toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('return long outputs and results in parts', async () => {
    const source = "return 'x'.repeat(100_000)";
    const workflowId = await activate('Large', chain({ id: 'large', type: 'code', parameters: { source } }));
    const { value } = await callTool(client, 'deckhand_start_workflow', { workflowId });
    const { executionId } = value;
    let text = '';
    for (let offset: unknown = 0; offset !== undefined;) {
      const part = await callTool(client, 'deckhand_get_node_output', { executionId, nodeId: 'large', offset });
      text += textOf(part.value.part);
      offset = part.value.nextOffset;
    }
    expect(JSON.parse(text)).toEqual({
      nodeId: 'large',
      iteration: null,
      status: 'success',
      output: 'x'.repeat(100_000),
    });
  });

  it('let authors check and save drafts, which change nothing that is active', async () => {
    const types = await callTool(client, 'deckhand_list_node_types');
    expect(types.value.data).toContainEqual(expect.objectContaining({ type: 'http', title: expect.any(String) }));
    expect(await callTool(client, 'deckhand_list_node_types', { type: 'set' })).toMatchObject({
      value: { type: 'set', parameters: { properties: { fields: expect.anything() } } },
    });
    const bad = { nodes: [{ id: 'a', type: 'nothing' }], edges: [] };
    expect(await callTool(client, 'deckhand_validate_workflow', { definition: bad })).toMatchObject({
      isError: true,
      value: { details: [{ path: 'definition.nodes[0].type', nodeId: 'a' }, { path: 'definition.nodes' }] },
    });
    const definition = chain(...DOUBLE);
    const before = await instance.db.workflow.count();
    expect(await callTool(client, 'deckhand_validate_workflow', { definition })).toMatchObject({
      value: { valid: true, warnings: [] },
    });
    const doubtful = chain({ id: 'check', type: 'if', parameters: { condition: '1 > 2' } });
    expect(await callTool(client, 'deckhand_validate_workflow', { definition: doubtful })).toMatchObject({
      value: { valid: true, warnings: [{ code: 'CONDITION_IS_TEXT', nodeId: 'check', remedy: expect.any(String) }] },
    });
    expect(await instance.db.workflow.count()).toBe(before);
    const created = await callTool(client, 'deckhand_save_draft', { name: 'Drafted', slug: 'drafted', definition });
    expect(created.value).toMatchObject({ name: 'Drafted', slug: 'drafted', status: 'draft', activeVersionId: null });
    const workflowId = textOf(created.value.id);
    const baseVersionId = textOf(created.value.latestVersionId);
    await call('PATCH', `/api/workflows/${workflowId}`, { status: 'active' });
    const draft = { workflowId, definition, comment: 'by a model', baseVersionId };
    expect((await callTool(client, 'deckhand_save_draft', draft)).value).toMatchObject({ number: 2 });
    const stale = await callTool(client, 'deckhand_save_draft', draft);
    expect(stale).toMatchObject({ isError: true, value: { code: 'CONFLICT' } });
    const misplaced = await callTool(client, 'deckhand_save_draft', { ...draft, name: 'Other' });
    expect(misplaced).toMatchObject({ isError: true, value: { details: [{ path: 'name' }] } });
    const { body } = await call('GET', `/api/workflows/${workflowId}`);
    expect(body).toMatchObject({ activeVersionId: baseVersionId, name: 'Drafted' });
  });
});

describe('files', () => {
  const ECHO: Parameters<typeof chain> = [{ id: 'end', type: 'terminal', parameters: { body: '{{ $trigger }}' } }];

  it.each<McpEra>(['modern', 'legacy'])(
    'are uploaded, given to a run, linked in its result, and read: %s',
    async (era) => {
      const workflowId = await activate(`Scan ${era}`, tool({ name: `scan_${era}` }, ECHO));
      const connected = await connectMcp(target(), era);
      const upload = async (name: string, bytes: Buffer) => {
        const args = { workflowId, name, contentType: 'text/plain', base64: bytes.toString('base64') };
        return (await callTool(connected, 'deckhand_upload_file', args)).value as FileValue & JsonObject;
      };
      const [note, scan] = [await upload('note.txt', Buffer.from('ä')), await upload('', Buffer.from([0, 255]))];
      expect(note.file).toMatchObject({ name: 'note.txt', contentType: 'text/plain', bytes: 2 });
      const { content, structuredContent } = await connected.callTool({
        name: `scan_${era}`,
        arguments: { note, list: [scan] },
      });
      const { executionId, result } = structuredContent as { executionId: string; result: unknown };
      expect(result).toEqual({ note, list: [scan] });
      const uriOf = ({ file }: FileValue) => `deckhand://executions/${executionId}/files/${file.id}`;
      const link = { type: 'resource_link', mimeType: 'text/plain', size: 2 };
      expect(content.slice(1)).toEqual([
        { ...link, uri: uriOf(note), name: 'note.txt' },
        { ...link, uri: uriOf(scan), name: scan.file.id },
      ]);
      const read = async (file: FileValue) => (await connected.readResource({ uri: uriOf(file) })).contents;
      expect(await read(note)).toEqual([{ uri: uriOf(note), text: 'ä' }]);
      expect(await read(scan)).toEqual([{ uri: uriOf(scan), blob: 'AP8=' }]);
    },
  );

  it('that are too large, of no run, or invalid base64 are refused, and those of runs that the key may not read', async () => {
    const workflowId = await activate('Large', tool({ name: 'large' }, ECHO));
    const headers = { 'x-api-key': instance.key };
    const upload = await fetch(`${instance.gateway.url}/api/workflows/${workflowId}/files`, {
      ...{ method: 'POST', headers, body: Buffer.alloc(4_194_305) },
    });
    const large = (await upload.json()) as FileValue;
    const { value } = await callTool(client, 'large', { large });
    const uri = `deckhand://executions/${textOf(value.executionId)}/files/${large.file.id}`;
    await expect(client.readResource({ uri })).rejects.toThrow('has more than 4194304 bytes');
    await expect(
      client.readResource({ uri: uri.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')) }),
    ).rejects.toThrow(/not found/i);
    await expect(client.readResource({ uri: 'deckhand://executions/x/files/y' })).rejects.toThrow(/not found/i);
    for (const base64 of ['####', 'AAAA=BBBB', `${'='.repeat(1_000_000)}A`]) {
      const args = { workflowId, name: 'a', base64 };
      expect(await callTool(client, 'deckhand_upload_file', args)).toMatchObject({
        isError: true,
        value: { code: 'VALIDATION_FAILED' },
      });
    }
    const { userId } = await instance.db.membership.findFirstOrThrow({ where: { role: 'owner' } });
    const { key } = await addKey(instance, userId, { scopes: ['workflows:read'] });
    const blind = await connectMcp({ ...target(), key });
    await expect(blind.readResource({ uri })).rejects.toMatchObject({
      message: expect.stringContaining('not scoped'),
      data: { code: 'INSUFFICIENT_SCOPE', required: 'executions:read' },
    });
  });
});
