// Runs workflows of a folder with the engine of an installed n8n (npm install n8n@2.41.1) in this process, without its
// server and database, and writes what each node returned. Development only.
// node record/run.mjs <folder that n8n is installed in> <folder of workflows> <folder for what they returned>
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeTypes, require, workflows as n8n } from './n8n.mjs';

const [, from, to] = process.argv.slice(2);
if (to === undefined) throw new Error('name the folders of n8n, of workflows, and for what they returned');

/** How long a workflow may run, in ms. */
const MAX_RUN_MS = 10_000;
/** How long a script may run, in s. */
const MAX_SCRIPT_SECONDS = 5;
/** The id that runs in memory have here, too. */
const RUN_ID = 'run';
/** The URL of n8n by default. */
const BASE_URL = 'http://localhost:5678';

const { WorkflowExecute, ExecutionLifecycleHooks } = require('n8n-core');
const inModules = (path) => require(join(process.argv[2], 'node_modules', path));
const { JsTaskRunner } = inModules('@n8n/task-runner/dist/js-task-runner/js-task-runner.js');
const { createRequireResolver } = inModules('@n8n/task-runner/dist/js-task-runner/require-resolver.js');

/** The runner of scripts, without the connection to a server through which it gets its tasks. */
const runner = Object.assign(Object.create(JsTaskRunner.prototype), {
  mode: 'secure',
  taskTimeout: MAX_SCRIPT_SECONDS,
  requireResolver: createRequireResolver({
    allowedBuiltInModules: new Set(),
    allowedExternalModules: new Set(),
    secureModules: true,
  }),
  makeRpcCall: () => Promise.resolve(),
});

/** Returns data as it arrives at the other end of the connection. */
const sent = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/** Returns what n8n would store of data. */
const text = (data) => n8n.jsonStringify(data ?? null, { replaceCircularRefs: true });

/** Runs a script as n8n's server has it run. */
async function startRunnerTask(additionalData, _type, settings, _functions, inputData, node, workflow, ...rest) {
  const [runExecutionData, runIndex, itemIndex, activeNodeName, , siblingParameters, mode, envProviderState, task] =
    rest;
  const {
    resultData,
    startData,
    executionData: { contextData },
  } = runExecutionData;
  const input = sent(inputData);
  const data = {
    ...{ node: sent(node), runIndex, itemIndex, activeNodeName, contextNodeName: activeNodeName, mode },
    ...{ siblingParameters, envProviderState, selfData: {}, defaultReturnRunIndex: -1 },
    additionalData: { variables: {}, executionId: additionalData.executionId },
    runExecutionData: sent({ version: 1, startData, resultData, executionData: { contextData } }),
    connectionInputData: input.main[0],
    executeData: { data: input, node: sent(node), source: sent(task.source) },
  };
  const { id, name, nodes, connectionsBySourceNode: connections, settings: its } = workflow;
  const copied = sent({ id, name, nodes: Object.values(nodes), connections, settings: its, active: false });
  const copy = new n8n.Workflow({ ...copied, nodeTypes });
  const isForAll = settings.nodeMode === 'runOnceForAllItems';
  const given = ['task', settings, data, copy, new AbortController().signal];
  try {
    runner.validateTaskSettings(settings);
    const result = await (isForAll ? runner.runForAllItems(...given) : runner.runForEachItem(...given));
    return { ok: true, result: sent(result) };
  } catch (error) {
    return { ok: false, error: sent({ message: error.message, description: error.description, ...error }) };
  }
}

/** Runs a workflow from its trigger. @returns what n8n itself would store of the run. */
async function runWorkflow({ id, name, nodes, connections, settings }) {
  const workflow = new n8n.Workflow({ id, name, nodes, connections, settings, active: false, nodeTypes });
  const hooks = new ExecutionLifecycleHooks('cli', RUN_ID, { id, name, nodes, connections, settings });
  // Some nodes change the data of the node before them, such as HTML: what it had returned is kept.
  const returned = new Map();
  hooks.addHandler('nodeExecuteAfter', (_name, ran) => void returned.set(ran, text(ran.data)));
  const additionalData = {
    ...{ executionId: RUN_ID, workflowId: id, currentNodeExecutionIndex: 0, variables: {}, workflowSettings: settings },
    ...{ webhookWaitingBaseUrl: `${BASE_URL}/webhook-waiting`, formWaitingBaseUrl: `${BASE_URL}/form-waiting` },
    ...{ setExecutionStatus: () => {}, startRunnerTask, logAiEvent: () => {} },
    hooks,
    executionTimeoutTimestamp: Date.now() + MAX_RUN_MS,
  };
  const start = nodes.find(({ type }) => type === 'n8n-nodes-base.manualTrigger');
  const running = new WorkflowExecute(additionalData, 'cli').run({ workflow, startNode: workflow.getNode(start.name) });
  const timer = setTimeout(() => running.cancel(), MAX_RUN_MS);
  try {
    const run = await running;
    for (const [ran, data] of returned) ran.data = JSON.parse(data);
    return run;
  } finally {
    clearTimeout(timer);
  }
}

await n8n.Expression.initExpressionEngine({ engine: 'vm', poolSize: 1, bridgeTimeout: 5_000, bridgeMemoryLimit: 128 });
mkdirSync(to, { recursive: true });
const failed = new Map();
let number = 0;
for (const file of readdirSync(from).sort()) {
  const path = join(to, file.replace('.json', '-snapshot.json'));
  if (!file.endsWith('.json') || existsSync(path)) continue;
  try {
    const run = await runWorkflow(JSON.parse(readFileSync(join(from, file), 'utf8')));
    writeFileSync(path, text(run));
    number += 1;
  } catch (error) {
    failed.set(error.message, (failed.get(error.message) ?? 0) + 1);
  }
}
console.log(number, 'workflows were run');
for (const [message, count] of failed) console.log(count, 'were not:', message);
process.exit(0);
