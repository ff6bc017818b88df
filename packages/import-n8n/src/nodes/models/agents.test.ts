import { type Definition, isJsonObject, type JsonObject, type JsonValue, parseOwnJson } from '@deckhand/contracts';
import { compileWorkflow, type NodeType, output } from '@deckhand/engine';
import { createScriptRunner, loadNodeTypes } from '@deckhand/nodes';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stopAll } from '../../../../../tests/harness/cleanup.ts';
import { runInMemory } from '../../../../../tests/harness/engine.ts';
import { convertN8n } from '../../../../../tests/harness/import-n8n.ts';
import { type ModelReply, serveModels } from '../../../../../tests/harness/model-provider.ts';
import { createHttpClient } from '../../../../nodes/src/http/client.ts';
import { createResultChecker } from '../../../../nodes/src/schemas/result-checker.ts';
import { createSchemaChecker } from '../../../../nodes/src/schemas/schema-checker.ts';
import { isList, list, object, show } from '../../workflow.ts';

/** A message to a provider. */
interface Message {
  readonly role: string;
  readonly text: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: JsonObject }[];
}

/** What an agent of n8n did with its tools, as `record/agents.mjs` writes it. */
interface Recorded {
  readonly workflow: { readonly nodes: readonly JsonObject[] };
  /** The calls that the model asks for, in each of its answers. */
  readonly calls: readonly (readonly { readonly tool: string; readonly arguments: JsonObject }[] | null)[];
  readonly response: string;
  readonly http: JsonValue;
  readonly returned: JsonValue;
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: JsonObject }[];
  readonly asked: readonly (readonly Message[])[];
  /** Requests that tools sent, and workflows that they started. */
  readonly called: readonly JsonObject[];
  readonly outputs: JsonValue;
}

const PATH = join(import.meta.dirname, '../../../matrices/agents.json');
const { rows } = parseOwnJson<{ readonly rows: readonly Recorded[] }>(readFileSync(PATH, 'utf8'));
const code = createScriptRunner();
const http = createHttpClient({ allowPrivate: true });
const schemas = createSchemaChecker();

beforeAll(async () => {
  // The first script of a thread waits for its start, which may take longer than a node has on a busy machine.
  const names = { $trigger: {}, $now: '2026-11-20T08:15:00.000Z' };
  const limits = { timeoutMs: 60_000, memoryBytes: 67_108_864, keepsConsole: false };
  const { signal } = new AbortController();
  await code.run({ source: '', names, workspaceId: 'w', executionId: 'e', ...limits, signal });
});
afterAll(async () => {
  await Promise.all([code.close(), http.close(), schemas.close()]);
  await stopAll();
});

/** Returns the tool with the same arguments; n8n may name tools in another order. */
function offeredAs(
  offered: readonly JsonObject[],
  tool: Recorded['tools'][number] | undefined,
): JsonObject | undefined {
  const text = (schema: JsonValue | undefined): string => JSON.stringify(plainSchema(schema ?? null));
  return offered.find(({ inputSchema }) => text(inputSchema) === text(tool?.parameters));
}

/** Lets agents use the provider of the test, and call tools at once, as those of n8n do. */
function runnable({ nodes, ...rest }: Definition): Definition {
  return {
    ...rest,
    nodes: nodes.map((node) => {
      if (node.type !== 'agent') return node;
      const tools = list(object(node.parameters).tools).map((tool) => ({ ...object(tool), permission: 'free' }));
      return {
        ...node,
        credentialId: '01890a5d-ac96-774b-bcce-b302099a8057',
        parameters: { ...node.parameters, tools },
      };
    }),
  };
}

/** Runs what a workflow became, with a provider that gives the recorded answers. */
async function run(row: Recorded) {
  const converted = convertN8n(parseOwnJson(JSON.stringify(row.workflow)));
  const { definition } = converted;
  // The model knows tools by the ids of their nodes.
  const offered = list(object(definition.nodes.find(({ type }) => type === 'agent')?.parameters).tools).map(object);
  const idOf = (name: string) =>
    show(
      offeredAs(
        offered,
        row.tools.find((tool) => tool.name === name),
      )?.node,
    );
  const isFormed = offered.length > 0 && definition.nodes.some(({ parameters }) => object(parameters).outputSchema);
  const last: ModelReply = isFormed
    ? { text: '', calls: [{ id: 'last', tool: 'final_answer', arguments: { a: 1 } }] }
    : { text: row.response };
  const replies = row.asked.map((_asked, index): ModelReply => {
    const calls = row.calls[index];
    if (!calls) return last;
    return {
      text: '',
      calls: calls.map(({ tool, arguments: given }, at) => ({
        id: `${index}_${at}`,
        tool: idOf(tool),
        arguments: given,
      })),
    };
  });
  const { url, requests } = await serveModels(...replies);
  const called: JsonObject[] = [];
  const replace = (type: NodeType): NodeType => {
    if (type.type === 'http')
      return {
        ...type,
        run: (given) => Promise.resolve(answer(called, requestOf(object(given)), row.http ?? { ok: true })),
      };
    if (type.type === 'workflow')
      return { ...type, run: (given) => Promise.resolve(answer(called, startOf(object(given)), row.returned)) };
    return type;
  };
  const modelCalls = {
    begin: () => Promise.resolve('call'),
    settle: () => Promise.resolve(null),
    withdraw: () => Promise.resolve(),
  };
  const { ending, journal } = await runInMemory(runnable(definition), {
    trigger: {},
    services: { code, http, results: createResultChecker(schemas), modelCalls },
    openCredential: () =>
      Promise.resolve({ type: 'model', secret: { provider: 'openaiCompatible', baseUrl: url, apiKey: 'key' } }),
    vars: { workflow_other: 'w2', workflow_w2: 'w2' },
    replace,
  });
  return { ...converted, ending, journal, requests, called, offered };
}

function answer(called: JsonObject[], call: JsonObject, body: JsonValue) {
  called.push(call);
  return output({ status: 200, headers: { 'content-type': 'application/json' }, body });
}

function requestOf({ method = 'GET', url, query, body }: JsonObject): JsonObject {
  const at = new URL(show(url));
  for (const [name, value] of Object.entries(object(query))) at.searchParams.append(name, show(value));
  const sent = typeof body === 'string' ? parseOwnJson<JsonValue>(body) : body;
  return { method, url: `${at.pathname}${at.search}`, ...(sent !== undefined && { body: sent }) };
}

function startOf({ workflowId, input }: JsonObject): JsonObject {
  return { workflow: workflowId ?? null, items: [input ?? null] };
}

/** Members of schemas that say nothing about the arguments. */
const FORM = new Set(['additionalProperties', '$schema', 'anyOf']);

function plainSchema(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(plainSchema);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => !FORM.has(name));
  return Object.fromEntries(members.map(([name, each]) => [name, plainSchema(each)]));
}

/** Returns the messages of a request without ids of calls and names of tools, which differ. */
function messagesOf(request: JsonObject): JsonValue[] {
  return list(request.messages)
    .map(object)
    .map(({ role, content, tool_calls: calls }) => ({
      ...{ role: role ?? null, text: textOf(content ?? '') },
      ...(isList(calls) && {
        calls: calls.map((call) => parseOwnJson<JsonValue>(show(object(object(call).function).arguments))),
      }),
    }));
}

function textOf(content: JsonValue): string {
  return isList(content) ? content.map((part) => show(object(part).text)).join('') : show(content);
}

function plainMessage({ role, text, calls }: Message): JsonValue {
  return { role, text, ...(calls && { calls: calls.map((call) => withoutId(call.arguments)) }) };
}

function withoutId({ id: _, ...given }: JsonObject): JsonObject {
  return given;
}

const nameOf = ({ workflow, tools }: Recorded, index: number): string => {
  const { typeVersion } = workflow.nodes.find(({ name }) => name === 'Node') ?? {};
  return `${index + 1}: ${show(typeVersion)} with ${tools.map(({ name }) => name).join(', ')}`;
};

it.each(rows.map((row, index) => [nameOf(row, index), row] as const))(
  'an agent asks and calls as in n8n: %s',
  async (_name, row) => {
    const { definition, notes, outputs, ending, journal, requests, called, offered } = await run(row);
    expect(notes.filter(({ level }) => level === 'manual')).toEqual([]);
    expect(compileWorkflow(definition, await loadNodeTypes())).not.toHaveProperty('issues');
    expect(ending.kind).toBe('success');
    const isFormed = requests.some(({ body }) => body.includes('final_answer'));
    const described = row.tools.filter(({ name }) => name !== 'format_final_json_response');
    expect(offered).toHaveLength(described.length);
    for (const tool of described) {
      const same = offeredAs(offered, tool);
      expect(same).toBeDefined();
      // A description that n8n makes of the resource and the operation is another one here, as its note says.
      if (!tool.description.startsWith('Makes an HTTP request')) expect(same?.description).toBe(tool.description);
    }
    expect(called).toEqual(row.called.map(withoutCallIds));
    if (!isFormed)
      expect(requests.map(({ json }) => messagesOf(json))).toEqual(row.asked.map((each) => each.map(plainMessage)));
    const [first] = outputs.get('Node') ?? [];
    const data = journal.findLast(({ nodeId }) => nodeId === first?.nodeId)?.output;
    expect(first?.source.shape === 'list' ? data : [data]).toEqual(list(row.outputs)[0]);
  },
);

/** n8n adds the id of the call to the data of another workflow, as its note says. */
function withoutCallIds(call: JsonObject): JsonObject {
  if (!isList(call.items)) return call;
  return {
    ...call,
    items: call.items.map((item) => {
      const { toolCallId: _, ...rest } = object(item);
      return rest;
    }),
  };
}

/** Converts an agent with a model, and a tool that is an agent with a model of its own. */
function convertWithAgentTool(isDisabled = false) {
  const type = (name: string): string => `@n8n/n8n-nodes-langchain.${name}`;
  const given = (name: string, of: string): JsonObject => ({
    ...{ name, type: type(of), typeVersion: 2, position: [0, 0], parameters: {} },
  });
  const to = (name: string, kind: string): JsonObject => ({ [kind]: [[{ node: name, type: kind, index: 0 }]] });
  const nodes = [
    { ...given('Start', ''), type: 'n8n-nodes-base.manualTrigger', typeVersion: 1 },
    { ...given('Agent', 'agent'), ...(isDisabled && { disabled: true }) },
    given('Model', 'lmChatOpenAi'),
    given('Helper {{ 1 }}', 'agentTool'),
    given('Its model', 'lmChatOpenAi'),
  ];
  const connections = {
    Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
    Model: to('Agent', 'ai_languageModel'),
    'Helper {{ 1 }}': to('Agent', 'ai_tool'),
    'Its model': to('Helper {{ 1 }}', 'ai_languageModel'),
  };
  return convertN8n(parseOwnJson(JSON.stringify({ nodes, connections })));
}

it('makes a stub of a tool that is an agent with a model of its own', () => {
  const { notes, definition } = convertWithAgentTool();
  const levels = Object.fromEntries(notes.map(({ node, level }) => [node, level]));
  expect(levels).toMatchObject({ Agent: 'review', 'Helper {{ 1 }}': 'manual', 'Its model': 'manual' });
  const agent = definition.nodes.find((node) => node.type === 'agent');
  expect(list(object(agent?.parameters).tools).map((tool) => object(tool).description)).toEqual(['Helper \\{{ 1 }}']);
});

it('names no nodes that are left out with a disabled agent', () => {
  const { notes, definition } = convertWithAgentTool(true);
  const ids = new Set(definition.nodes.map(({ id }) => id));
  expect(notes.flatMap(({ nodeIds }) => nodeIds).filter((id) => !ids.has(id))).toEqual([]);
  expect(notes.find(({ node }) => node === 'Helper {{ 1 }}')?.level).toBe('converted');
});
