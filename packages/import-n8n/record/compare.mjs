// Runs converted workflows, and compares the data of every node with what n8n returned. Development only.
// node record/compare.mjs <folder of workflows> <folder that `n8n executeBatch --snapshot` wrote for them>
import { isDeepStrictEqual } from 'node:util';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInMemory } from '../../../tests/harness/engine.ts';
import { convertN8n, importJson, withCheck } from '../../../tests/harness/import-n8n.ts';
import { createScriptRunner, loadNodeTypes } from '../../nodes/src/index.ts';

const [workflows, snapshots] = process.argv.slice(2);
if (snapshots === undefined) throw new Error('name a folder of workflows and one of snapshots');
const nodeTypes = await loadNodeTypes();
const code = createScriptRunner();
const counts = new Map();
const count = (name) => counts.set(name, (counts.get(name) ?? 0) + 1);

/** Returns the items of each output of the nodes that n8n ran once, by `name:output`; and whether it failed. */
function readSnapshot(path) {
  const { data } = JSON.parse(readFileSync(path, 'utf8'));
  const { runData, error } = data.resultData;
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
  return { items, hasFailed: error !== undefined, ran: new Set(Object.keys(runData)) };
}

/** Returns the names of the nodes that lead to a node, and its own. */
function nodesBefore(name, { connections }) {
  const seen = new Set([name]);
  for (const each of seen) {
    for (const [source, { main }] of Object.entries(connections)) {
      if (main.flat().some(({ node }) => node === each)) seen.add(source);
    }
  }
  return seen;
}

for (const file of readdirSync(workflows).sort()) {
  const snapshot = join(snapshots, file.replace('.json', '-snapshot.json'));
  if (!existsSync(snapshot)) continue;
  count('workflows');
  const workflow = JSON.parse(readFileSync(join(workflows, file), 'utf8'));
  const { notes, remarks } = await importJson(workflow, nodeTypes);
  if (notes.some(({ level }) => level === 'manual') || remarks.some((each) => each.startsWith('cannot be saved'))) {
    count('with a stub');
    continue;
  }
  const levelOf = new Map(notes.map(({ node, level }) => [node, level]));
  const theirs = readSnapshot(snapshot);
  // The node that collects the data cannot be behind the body of a loop.
  if (notes.some(({ type }) => type.endsWith('.splitInBatches'))) {
    count('with a loop, not compared');
    continue;
  }
  const { ending, last } = await runInMemory(withCheck(convertN8n(workflow)), { trigger: {}, services: { code } });
  const hasFailed = ending.kind !== 'success';
  if (hasFailed !== theirs.hasFailed) {
    const isNamed = notes.some(({ level }) => level === 'review');
    count(isNamed ? 'ends otherwise, with a note' : 'ends otherwise, without a note');
    console.log(file, hasFailed ? `fails here: ${JSON.stringify(ending.error)}` : 'fails in n8n', isNamed ? '' : '!');
    continue;
  }
  count(hasFailed ? 'fails in both' : 'succeeds in both');
  if (hasFailed) continue;
  const seen = [...last.values()].find(({ nodeId }) => nodeId === 'check')?.output ?? {};
  for (const [key, ours] of Object.entries(seen)) {
    const name = key.slice(0, key.lastIndexOf(':'));
    if (theirs.ran.has(name) && !theirs.items.has(key)) continue;
    count('outputs');
    if (isDeepStrictEqual(ours, theirs.items.get(key) ?? [])) continue;
    const isNamed = [...nodesBefore(name, workflow)].some((each) => levelOf.get(each) === 'review');
    count(isNamed ? 'outputs that differ, with a note' : 'outputs that differ, without a note');
    console.log(file, key, isNamed ? '' : '!');
    console.log('  here', JSON.stringify(ours).slice(0, 300));
    console.log('  n8n ', JSON.stringify(theirs.items.get(key) ?? []).slice(0, 300));
  }
}
await code.close();
for (const [name, number] of counts) console.log(number, name);
