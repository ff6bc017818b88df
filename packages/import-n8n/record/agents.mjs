// Records how agents of n8n work with tools: what a provider is told about the tools, the messages, what a tool does
// with the arguments of a call, and the items of the agent:
//   node packages/import-n8n/record/agents.mjs <folder with n8n>
// The provider, the server of requests and the other workflow are in this process. Development only.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import Module from 'node:module';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { nodeOf, nodeTypes, require, version, workflows as n8n } from './n8n.mjs';
import { AGENTS } from './agent-shapes.mjs';

const { WorkflowExecute, ExecutionLifecycleHooks } = require('n8n-core');
const [folder] = process.argv.slice(2);
const { convertNodeToAiTool } = require(join(folder, 'node_modules/n8n/dist/tool-generation/ai-tools.js'));
/** Agents load SQLite for a kind of theirs that is not tried here. */
const load = Module._load;
Module._load = (name, ...rest) => (name === 'sqlite3' ? {} : load(name, ...rest));
const PACKAGE = '@n8n/n8n-nodes-langchain';
const BASE_URL = 'http://localhost:5678';

let turn = 0;
let agent;
let requests = [];
let called = [];

/** Responds with the calls of tools first, and then with a text. */
function reply(asked, response) {
  const calls = agent.calls[turn];
  turn += 1;
  const tool_calls = calls?.map(({ tool, arguments: given }, index) => ({
    ...{ index, id: `call_${turn}_${index}`, type: 'function' },
    function: { name: tool, arguments: JSON.stringify(given) },
  }));
  const message = { role: 'assistant', content: calls ? null : agent.response, ...(calls && { tool_calls }) };
  const finish_reason = calls ? 'tool_calls' : 'stop';
  const head = { id: 'r', created: 0, model: 'small' };
  if (asked.stream === true) {
    response.setHeader('content-type', 'text/event-stream');
    for (const choice of [
      { index: 0, delta: message, finish_reason: null },
      { index: 0, delta: {}, finish_reason },
    ]) {
      response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [choice] })}\n\n`);
    }
    response.end('data: [DONE]\n\n');
    return;
  }
  response.setHeader('content-type', 'application/json');
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const choices = [{ index: 0, message, finish_reason }];
  response.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }));
}

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (part) => (body += part));
  request.on('end', () => {
    if (request.url.startsWith('/v1/')) {
      const asked = JSON.parse(body);
      requests.push(asked);
      reply(asked, response);
      return;
    }
    called.push({ method: request.method, url: request.url, ...(body !== '' && { body: JSON.parse(body) }) });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(agent.http ?? { ok: true }));
  });
});
// The port is part of what is recorded.
await new Promise((resolve) => server.listen(47_113, '127.0.0.1', resolve));
const url = 'http://127.0.0.1:47113/v1';

const credentialsHelper = {
  getParentTypes: () => [],
  getDecrypted: () => Promise.resolve({ apiKey: 'key', url }),
  authenticate: (_credentials, _type, options) => Promise.resolve(options),
  preAuthentication: () => Promise.resolve(undefined),
  getCredentials: () => Promise.resolve({ name: 'Key' }),
  runPreAuthentication: () => Promise.resolve(undefined),
  isCredentialUsableByNode: () => true,
};

/** Node types with those that are nodes as tools. */
const tools = new Map();
const withTools = {
  ...nodeTypes,
  getByNameAndVersion(type, typeVersion) {
    if (!type.startsWith('n8n-nodes-base.') || !type.endsWith('Tool'))
      return nodeTypes.getByNameAndVersion(type, typeVersion);
    const key = `${type} ${typeVersion}`;
    if (!tools.has(key)) {
      const node = nodeOf(type.slice('n8n-nodes-base.'.length, -'Tool'.length), typeVersion);
      const { usableAsTool } = node.description;
      const description = structuredClone(JSON.parse(JSON.stringify(node.description)));
      const merged = typeof usableAsTool === 'object' ? { ...description, ...usableAsTool.replacements } : description;
      const clone = Object.create(node, { description: { value: merged, writable: true } });
      tools.set(key, convertNodeToAiTool(clone));
    }
    return tools.get(key);
  },
};

function workflowOf({
  typeVersion,
  parameters = {},
  items = [{ chatInput: 'Hi', city: 'Bern' }],
  tools: given,
  parts = [],
}) {
  const of = (name, type, version, its) => ({
    ...{ id: name, name, type, typeVersion: version, position: [0, 0], parameters: its },
    credentials: { openAiApi: { id: '1', name: 'Key' } },
  });
  const link = (node, kind = 'main') => ({ [kind]: [[{ node, type: kind, index: 0 }]] });
  const isOne = items.length === 1;
  const starts = isOne
    ? [of('Split', 'n8n-nodes-base.set', 3.4, { mode: 'raw', jsonOutput: JSON.stringify(items[0]) })]
    : [
        of('Items', 'n8n-nodes-base.set', 3.4, { mode: 'raw', jsonOutput: JSON.stringify({ items }) }),
        of('Split', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'items' }),
      ];
  const all = [
    ...given.map((each) => ({ ...each, kind: 'ai_tool' })),
    ...parts,
    {
      name: 'Model',
      type: 'lmChatOpenAi',
      version: 1.2,
      kind: 'ai_languageModel',
      parameters: { model: { mode: 'list', value: 'small' } },
    },
  ];
  const typeOf = (type) => (/^(?:tool|lm|outputParser)/.test(type) ? `${PACKAGE}.${type}` : `n8n-nodes-base.${type}`);
  const nodes = [
    of('Start', 'n8n-nodes-base.manualTrigger', 1, {}),
    ...starts,
    of('Node', `${PACKAGE}.agent`, typeVersion, parameters),
    ...all.map((each) => of(each.name, typeOf(each.type), each.version, each.parameters)),
  ];
  const connections = {
    ...(isOne ? { Start: link('Split') } : { Start: link('Items'), Items: link('Split') }),
    Split: link('Node'),
    ...Object.fromEntries(all.map(({ name, kind }) => [name, link('Node', kind)])),
  };
  return { id: 'w', name: 'Test', nodes, connections, settings: { executionOrder: 'v1' } };
}

async function run({ id, name, nodes, connections, settings }) {
  const workflow = new n8n.Workflow({ id, name, nodes, connections, settings, active: false, nodeTypes: withTools });
  const hooks = new ExecutionLifecycleHooks('cli', 'run', { id, name, nodes, connections, settings });
  const additionalData = {
    ...{ executionId: 'run', workflowId: id, currentNodeExecutionIndex: 0, variables: {}, workflowSettings: settings },
    ...{ webhookWaitingBaseUrl: `${BASE_URL}/webhook-waiting`, formWaitingBaseUrl: `${BASE_URL}/form-waiting` },
    ...{ setExecutionStatus: () => {}, logAiEvent: () => {}, hooks, credentialsHelper },
    executeWorkflow: async (info, _data, { inputData }) => {
      called.push({ workflow: info.id, items: (inputData ?? []).map(({ json }) => json) });
      return { executionId: 'other', data: [agent.returned.map((json) => ({ json }))] };
    },
    startRunnerTask: async (_data, _type, { code, additionalProperties }) => {
      const result = await runInThisContext(`(async (query) => {${code}\n})`)(additionalProperties.query);
      return { ok: true, result };
    },
  };
  const { data } = await new WorkflowExecute(additionalData, 'cli').run({
    workflow,
    startNode: workflow.getNode('Start'),
  });
  return data.resultData;
}

const textOf = (content) =>
  typeof content === 'string' || content == null ? content : content.map(({ text }) => text).join('');

const rows = [];
for (const each of AGENTS) {
  agent = each;
  turn = 0;
  requests = [];
  called = [];
  const workflow = workflowOf(each);
  const { runData, error } = await run(structuredClone(workflow));
  const ran = runData.Node?.at(-1);
  const failed = error?.message ?? ran?.error?.message;
  if (failed !== undefined || process.env.SHOW)
    console.log(each.typeVersion, JSON.stringify(each.tools), failed, runData[each.tools[0].name]?.[0]?.error);
  const outputs =
    failed === undefined ? (ran?.data?.main ?? []).map((list) => (list ?? []).map(({ json }) => json)) : 'fails';
  rows.push({
    workflow,
    ...{ calls: each.calls, response: each.response, http: each.http ?? null, returned: each.returned ?? null },
    tools: (requests[0]?.tools ?? []).map(({ function: { name, description, parameters } }) => ({
      name,
      description,
      parameters,
    })),
    asked: requests.map(({ messages }) =>
      messages.map(({ role, content, tool_calls }) => ({
        ...{ role, text: textOf(content) || '' },
        ...(tool_calls && {
          calls: tool_calls.map(({ function: { name, arguments: given } }) => ({ name, arguments: JSON.parse(given) })),
        }),
      })),
    ),
    called,
    outputs,
  });
}
const shown = rows.map((each) => JSON.stringify(each)).join(',\n    ');
writeFileSync(
  join(import.meta.dirname, '../matrices/agents.json'),
  `{\n  "n8n": ${JSON.stringify(version)},\n  "rows": [\n    ${shown}\n  ]\n}\n`,
);
console.log(rows.length, 'agents');
if (process.env.SHOW)
  for (const { tools: told, asked, called: did, outputs } of rows)
    console.log(JSON.stringify({ told, asked, did, outputs }, null, 1));
process.exit(0);
