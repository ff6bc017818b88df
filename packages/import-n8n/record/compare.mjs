// Runs converted workflows, and compares what every node returned with what it returned in n8n. Development only.
// node record/compare.mjs <folder of workflows> <folder that run.mjs wrote for them> [<another that it wrote later>]
// A difference is named if its node has a note, or the node that differs first.
// Outputs that n8n itself returned otherwise the second time have the time or chance in them, and are not compared.
import { isDeepStrictEqual } from 'node:util';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd } from '../../../tests/harness/engine.ts';
import { convertN8n, importJson, withCheck } from '../../../tests/harness/import-n8n.ts';
import { createVirtualWorld } from '../../testing/src/virtual-world.ts';
import { createScriptRunner, loadNodeTypes } from '../../nodes/src/index.ts';

/** How long a workflow may run, in ms. */
const MAX_RUN_MS = 10_000;

const [workflows, snapshots, later] = process.argv.slice(2);
if (snapshots === undefined) throw new Error('name a folder of workflows, and one that run.mjs wrote');
const nodeTypes = await loadNodeTypes();
const code = createScriptRunner();
const counts = new Map();
const count = (name, number = 1) => counts.set(name, (counts.get(name) ?? 0) + number);

/** Returns the items of each output of the nodes that n8n ran once, by `name:output`; and how the run ended. */
function readSnapshot(path) {
  const { data, status, startedAt } = JSON.parse(readFileSync(path, 'utf8'));
  const { runData, error, lastNodeExecuted } = data.resultData;
  const items = new Map();
  for (const [name, runs] of Object.entries(runData)) {
    if (runs.length !== 1) continue;
    for (const [index, output] of (runs[0].data?.main ?? []).entries()) {
      items.set(
        `${name}:${index}`,
        (output ?? []).map(({ json }) => json),
      );
    }
  }
  const failed = error === undefined ? undefined : lastNodeExecuted;
  return {
    items,
    failed,
    error,
    isCut: status === 'canceled',
    ran: new Set(Object.keys(runData)),
    startedAt: Date.parse(startedAt),
  };
}

/** Returns nodes and all that they lead to. */
function withNodesAfter(names, { connections }) {
  const seen = new Set(names);
  for (const each of seen) for (const { node } of connections[each]?.main.flat() ?? []) seen.add(node);
  return seen;
}

/**
 * Returns whether a note names the difference of a node: its own one, or that of a node before it that differs, too, or
 * that could not be compared and leads to it by such nodes alone.
 * @param results whether the outputs of each node that was compared are equal.
 */
function isNamed(name, { reviewed, results, before }) {
  const seen = new Set([name]);
  for (const each of seen) {
    if (reviewed.has(each)) return true;
    for (const previous of before.get(each) ?? []) if (results.get(previous) !== true) seen.add(previous);
  }
  const all = new Set([name]);
  for (const each of all) for (const previous of before.get(each) ?? []) all.add(previous);
  return [...all].some((each) => results.get(each) === false && reviewed.has(each));
}

/** Returns the nodes that lead to each node. */
function nodesBefore({ connections }) {
  const before = new Map();
  for (const [source, { main }] of Object.entries(connections)) {
    for (const { node } of main.flat()) before.set(node, [...(before.get(node) ?? []), source]);
  }
  return before;
}

/** Returns a conversion without some nodes of n8n. */
function without(left, { definition, notes, outputs }) {
  const kept = notes.filter(({ node }) => !left.has(node));
  const removed = new Set(notes.filter(({ node }) => left.has(node)).flatMap(({ nodeIds }) => nodeIds));
  const isKept = (id) => !removed.has(id);
  return {
    definition: {
      ...definition,
      nodes: definition.nodes.filter(({ id }) => isKept(id)),
      edges: definition.edges.filter(({ source, target }) => isKept(source) && isKept(target)),
    },
    notes: kept,
    outputs: new Map([...outputs].filter(([name]) => !left.has(name))),
  };
}

/** Compares a workflow. @param print prints a difference that a note names, or none. */
async function compare(workflow, { theirs, again }, print) {
  if (theirs.isCut) return 'workflows that take too long in n8n';
  const { notes } = await importJson(workflow, nodeTypes);
  const stubs = notes.filter(({ level }) => level === 'manual').map(({ node }) => node);
  const left = withNodesAfter(stubs, workflow);
  const converted = without(left, convertN8n(workflow));
  // A node is compared if it is neither a stub nor after one.
  if (converted.notes.length < 2) return 'workflows with stubs only';
  const reviewed = new Set(notes.filter(({ level }) => level === 'review').map(({ node }) => node));
  const results = new Map();
  const differences = [];
  const printAll = () => {
    const known = { reviewed, results, before: nodesBefore(workflow) };
    for (const [name, text] of differences) print(isNamed(name, known), text);
  };
  const isFailedLater = theirs.failed !== undefined && left.has(theirs.failed);
  const world = createVirtualWorld(theirs.startedAt);
  const services = { code: { run: (script) => world.during(code.run(script)) } };
  const end = performance.now() + MAX_RUN_MS;
  const onRecord = (_record, abort) => void (performance.now() > end && abort());
  const options = { trigger: {}, services, onRecord };
  const { ending, journal, last } = await runToEnd(withCheck(converted), options, world);
  if (ending.kind === 'halted') return 'workflows that take too long here';
  const nodeOf = new Map(converted.notes.flatMap(({ node, nodeIds }) => nodeIds.map((id) => [id, node])));
  const failedHere = nodeOf.get(journal.findLast(({ status }) => status === 'failed')?.nodeId);
  if (ending.kind !== 'success' || (theirs.failed !== undefined && !isFailedLater)) {
    if (failedHere === theirs.failed) return 'workflows that fail at the same node';
    // n8n runs one branch after the other, and ends with the first that fails.
    if (theirs.failed !== undefined && failedHere !== undefined && !theirs.ran.has(failedHere)) {
      return 'workflows that fail, here at a branch that n8n did not come to';
    }
    const where = failedHere ?? theirs.failed;
    const what = failedHere === undefined ? theirs.error : ending.error;
    differences.push([where, `${where} fails ${failedHere === undefined ? 'in n8n' : 'here'}: ${what?.message}`]);
    printAll();
    return 'workflows that fail otherwise';
  }
  const seen = [...last.values()].find(({ nodeId }) => nodeId === 'check')?.output ?? {};
  const ran = new Set(journal.filter(({ status }) => status === 'success').map(({ nodeId }) => nodeOf.get(nodeId)));
  for (const [key, collected] of Object.entries(seen)) {
    const name = key.slice(0, key.lastIndexOf(':'));
    // A node that always outputs data has an empty item wherever its data is read, also if it did not run.
    const ours = ran.has(name) ? collected : [];
    const isUnknown = theirs.ran.has(name) ? !theirs.items.has(key) : isFailedLater;
    const expected = theirs.items.get(key) ?? [];
    if (isUnknown) continue;
    if (again && !isDeepStrictEqual(again.items.get(key) ?? [], expected)) {
      count('outputs with the time or chance, not compared');
      continue;
    }
    count('outputs');
    const isEqual = isDeepStrictEqual(ours, expected);
    results.set(name, isEqual && results.get(name) !== false);
    if (isEqual) continue;
    const shown = [ours, expected].map((items) => JSON.stringify(items).slice(0, 1_000));
    differences.push([name, [key, `  here ${shown[0]}`, `  n8n  ${shown[1]}`].join('\n')]);
  }
  printAll();
  return stubs.length === 0 ? 'workflows compared whole' : 'workflows compared up to their stubs';
}

for (const file of readdirSync(workflows).sort()) {
  const [first, second] = [snapshots, later].map((folder) =>
    folder === undefined ? '' : join(folder, file.replace('.json', '-snapshot.json')),
  );
  if (!existsSync(first)) continue;
  const read = { theirs: readSnapshot(first), again: existsSync(second) ? readSnapshot(second) : undefined };
  count('workflows');
  const result = await compare(JSON.parse(readFileSync(join(workflows, file), 'utf8')), read, (isNamed, text) => {
    count(isNamed ? 'differences with a note' : 'differences without a note');
    console.log(isNamed ? 'noted' : 'UNNOTED', file, text);
  });
  count(result);
}
await code.close();
for (const [name, number] of counts) console.log(number, name);
