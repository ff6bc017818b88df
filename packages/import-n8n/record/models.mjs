// Records what nodes of n8n that ask language models send to a provider, and the items that they make of its response:
//   node packages/import-n8n/record/models.mjs <folder with n8n>
// The provider is a server in this process. Development only.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import Module from 'node:module';
import { join } from 'node:path';
import { nodeTypes, require, version, workflows as n8n } from './n8n.mjs';
import { QUESTIONS } from './questions.mjs';

const { WorkflowExecute, ExecutionLifecycleHooks } = require('n8n-core');
/** Agents load SQLite for a kind of theirs that is not tried here. */
const load = Module._load;
Module._load = (name, ...rest) => (name === 'sqlite3' ? {} : load(name, ...rest));
/** The URL of n8n by default. */
const BASE_URL = 'http://localhost:5678';
const PACKAGE = '@n8n/n8n-nodes-langchain';

let response = '';
let requests = [];
/** Sends the response as older agents ask for it, in parts. */
function stream(reply) {
  reply.setHeader('content-type', 'text/event-stream');
  const part = (delta, finish) => ({ index: 0, delta, finish_reason: finish });
  const parts = [part({ role: 'assistant', content: response }, null), part({}, 'stop')];
  for (const each of parts) {
    const chunk = { id: 'r', object: 'chat.completion.chunk', created: 0, model: 'small', choices: [each] };
    reply.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
  reply.end('data: [DONE]\n\n');
}

/** The instructions that n8n adds to a prompt, with the schema of the response at their end. */
const INSTRUCTIONS = /\n\t?You must format your output.*?```json\n(.*?)\n```\n/s;

/** Returns messages as roles and texts, without instructions on the format, and the schema that these have. */
function plain(messages) {
  let schema;
  const texts = messages.map(({ role, content }) => {
    const text = typeof content === 'string' ? content : content.map((part) => part.text).join('');
    const found = INSTRUCTIONS.exec(text);
    if (found) schema = JSON.parse(found[1]);
    return { role, text: text.replace(INSTRUCTIONS, '') };
  });
  return { messages: texts, ...(schema && { schema }) };
}

const server = createServer((request, reply) => {
  let body = '';
  request.on('data', (part) => (body += part));
  request.on('end', () => {
    const asked = JSON.parse(body);
    requests.push(asked);
    if (asked.stream === true) {
      stream(reply);
      return;
    }
    reply.setHeader('content-type', 'application/json');
    const isNew = request.url.endsWith('/responses');
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, input_tokens: 1, output_tokens: 1 };
    const message = { role: 'assistant', content: response, refusal: null };
    const content = [{ type: 'output_text', annotations: [], text: response }];
    const output = [{ id: 'm', type: 'message', status: 'completed', role: 'assistant', content }];
    const old = { object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }] };
    const made = isNew ? { object: 'response', status: 'completed', output } : old;
    reply.end(JSON.stringify({ id: 'r', created: 0, model: 'small', usage, ...made }));
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}/v1`;

/** Has all credentials: those of the server. */
const credentialsHelper = {
  getParentTypes: () => [],
  getDecrypted: () => Promise.resolve({ apiKey: 'key', url }),
  authenticate: (_credentials, _type, options) => Promise.resolve(options),
  preAuthentication: () => Promise.resolve(undefined),
  getCredentials: () => Promise.resolve({ name: 'Key' }),
  runPreAuthentication: () => Promise.resolve(undefined),
  isCredentialUsableByNode: () => true,
};

/** Returns the workflow of a question: items, the node, and what is connected to it. */
function workflowOf({ type, typeVersion, parameters, items, parts }) {
  const of = (name, of, its, each, rest = {}) => ({
    ...{ id: name, name, type: of, typeVersion: each, position: [0, 0], parameters: its, ...rest },
  });
  const credentials = { openAiApi: { id: '1', name: 'Key' } };
  const nodes = [
    of('Start', 'n8n-nodes-base.manualTrigger', {}, 1),
    of('Items', 'n8n-nodes-base.set', { mode: 'raw', jsonOutput: JSON.stringify({ items }) }, 3.4),
    of('Split', 'n8n-nodes-base.splitOut', { fieldToSplitOut: 'items' }, 1),
    of('Node', `${PACKAGE}.${type}`, parameters, typeVersion, { credentials }),
    ...parts.map((part) => of(part.name, `${PACKAGE}.${part.type}`, part.parameters, part.version, { credentials })),
  ];
  const link = (node, kind = 'main') => ({ [kind]: [[{ node, type: kind, index: 0 }]] });
  const isList = items.length !== 1;
  if (!isList)
    nodes.splice(1, 2, of('Split', 'n8n-nodes-base.set', { mode: 'raw', jsonOutput: JSON.stringify(items[0]) }, 3.4));
  const connections = {
    ...(isList ? { Start: link('Items'), Items: link('Split') } : { Start: link('Split') }),
    Split: link('Node'),
    ...Object.fromEntries(parts.map(({ name, kind, to = 'Node' }) => [name, link(to, kind)])),
  };
  return { id: 'w', name: 'Test', nodes, connections, settings: { executionOrder: 'v1' } };
}

async function run({ id, name, nodes, connections, settings }) {
  const workflow = new n8n.Workflow({ id, name, nodes, connections, settings, active: false, nodeTypes });
  const hooks = new ExecutionLifecycleHooks('cli', 'run', { id, name, nodes, connections, settings });
  const additionalData = {
    ...{ executionId: 'run', workflowId: id, currentNodeExecutionIndex: 0, variables: {}, workflowSettings: settings },
    ...{ webhookWaitingBaseUrl: `${BASE_URL}/webhook-waiting`, formWaitingBaseUrl: `${BASE_URL}/form-waiting` },
    ...{ setExecutionStatus: () => {}, logAiEvent: () => {}, hooks, credentialsHelper },
  };
  const { data } = await new WorkflowExecute(additionalData, 'cli').run({
    workflow,
    startNode: workflow.getNode('Start'),
  });
  return data.resultData;
}

const rows = [];
for (const question of QUESTIONS) {
  response = question.response;
  requests = [];
  const workflow = workflowOf(question);
  const { runData, error } = await run(structuredClone(workflow));
  const ran = runData.Node?.[0];
  const failed = error?.message ?? ran?.error?.message;
  if (failed !== undefined) console.log(question.type, question.typeVersion, failed);
  const outputs =
    failed === undefined ? (ran?.data?.main ?? []).map((each) => (each ?? []).map(({ json }) => json)) : 'fails';
  const sent = requests.map((request) => plain(request.messages ?? request.input));
  rows.push({ workflow, response, sent, outputs });
}
const shown = rows.map((each) => JSON.stringify(each)).join(',\n    ');
const text = `{\n  "n8n": ${JSON.stringify(version)},\n  "rows": [\n    ${shown}\n  ]\n}\n`;
writeFileSync(join(import.meta.dirname, '../matrices/models.json'), text);
console.log(rows.length, 'questions');
process.exit(0);
