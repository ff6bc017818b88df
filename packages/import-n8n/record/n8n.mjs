// Runs single nodes of an installed n8n (npm install n8n@2.41.1) in this process, without its server. Development only.
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

process.env.N8N_DIAGNOSTICS_ENABLED = 'false';
process.env.N8N_USER_FOLDER = mkdtempSync(join(tmpdir(), 'n8n-'));
process.env.TZ = 'UTC';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('name the folder that n8n is installed in');
/** Loads modules of the installed n8n. */
export const require = createRequire(join(folder, 'node_modules/n8n-core/package.json'));
require('reflect-metadata');
/** The module of workflows and expressions. */
export const workflows = require('n8n-workflow');
const contexts = require('./dist/execution-engine/node-execution-context/execute-context.js');

/** Sets the time zone of workflows that have none of their own. */
export function setTimezone(defaultTimezone) {
  workflows.setGlobalState({ defaultTimezone });
}
setTimezone('UTC');

/** The version of n8n. */
export const { version } = require(join(folder, 'node_modules/n8n/package.json'));

const BASE = 'n8n-nodes-base';
const loaded = new Map();

/** Returns a node of n8n by its type, in a version. A type without package is of n8n's own. */
export function nodeOf(type, typeVersion) {
  if (!loaded.has(type)) {
    const [name, ...before] = type.split('.').toReversed();
    const nodes = join(folder, 'node_modules', before[0] ?? BASE);
    const paths = require(join(nodes, 'package.json')).n8n.nodes;
    const path = paths.find((each) => each.toLowerCase().endsWith(`/${name.toLowerCase()}.node.js`));
    const { [basename(path, '.node.js')]: Node } = require(join(nodes, path));
    loaded.set(type, new Node());
  }
  return workflows.NodeHelpers.getVersionedNodeType(loaded.get(type), typeVersion);
}

const short = (type) => (type.startsWith(`${BASE}.`) ? type.slice(BASE.length + 1) : type);
/** The types of nodes, as the engine asks for them. */
export const nodeTypes = {
  getByName: (type) => nodeOf(short(type)),
  getByNameAndVersion: (type, typeVersion) => nodeOf(short(type), typeVersion),
  getKnownTypes: () => ({}),
};

/** Returns what a node's code gets when it runs for items that triggers returned, by input, and the node itself. */
export function prepare(type, typeVersion, parameters, ...inputs) {
  const of = (name, short, each, its) => ({
    ...{ id: name, name, type: `n8n-nodes-base.${short}`, typeVersion: each, position: [0, 0], parameters: its },
  });
  const starts = inputs.map((_items, index) => (index === 0 ? 'Start' : `Start ${index + 1}`));
  const nodes = [
    ...starts.map((name) => of(name, 'manualTrigger', 1, {})),
    of('Node', type, typeVersion, structuredClone(parameters)),
  ];
  const connections = Object.fromEntries(
    starts.map((name, index) => [name, { main: [[{ node: 'Node', type: 'main', index }]] }]),
  );
  const workflow = new workflows.Workflow({ id: 'w', name: 'Test', nodes, connections, active: false, nodeTypes });
  const main = inputs.map((items) => items.map((json) => ({ json, pairedItem: { item: 0 } })));
  const ran = (data) => ({ startTime: 0, executionTime: 0, executionIndex: 0, source: [], data: { main: [data] } });
  const runData = Object.fromEntries(starts.map((name, index) => [name, [ran(main[index])]]));
  const run = { resultData: { runData }, executionData: { contextData: {} } };
  const input = { main };
  const { Node: node } = workflow.nodes;
  const task = { data: input, node, source: { main: starts.map((previousNode) => ({ previousNode })) } };
  const rest = [{ variables: {} }, 'cli', run, 0, main[0], input, task, []];
  return { context: new contexts.ExecuteContext(workflow, node, ...rest), node: nodeOf(type, typeVersion) };
}

/** Runs a node for the items of its inputs. @returns the items of its outputs, or the message of its error. */
export async function execute(type, typeVersion, parameters, ...inputs) {
  const { context, node } = prepare(type, typeVersion, parameters, ...inputs);
  try {
    const outputs = await node.execute.call(context);
    return { outputs: outputs.map((each) => each.map(({ json }) => json)) };
  } catch (error) {
    return { error: error.message };
  }
}

/** Returns the parameters of a node as n8n completes them before it runs. */
export function complete(type, typeVersion, parameters) {
  const { description } = nodeOf(type, typeVersion);
  const node = { name: 'Node', type: `n8n-nodes-base.${type}`, typeVersion, position: [0, 0], parameters };
  const { getNodeParameters } = workflows.NodeHelpers;
  return getNodeParameters(description.properties, structuredClone(parameters), true, false, node, description);
}

/** Returns the versions of a node, in their order. */
export function versionsOf(type) {
  nodeOf(type, 1);
  const { description, nodeVersions } = loaded.get(type);
  return nodeVersions
    ? Object.keys(nodeVersions)
        .map(Number)
        .toSorted((a, b) => a - b)
    : [description.version].flat();
}
