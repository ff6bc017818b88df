// Makes workflows of n8n that run without other services: nodes without an effect stay, all others return sample items.
// Development only.
// node record/prepare.mjs <folder of workflows> <folder for the prepared ones>
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [from, to] = process.argv.slice(2);
if (to === undefined) throw new Error('name a folder of workflows, and one for the prepared ones');

/** Types that run as they are. */
const LOGIC = new Set([
  ...['set', 'if', 'filter', 'switch', 'merge', 'splitOut', 'aggregate', 'limit', 'itemLists', 'code', 'function'],
  ...['functionItem', 'noOp', 'stopAndError', 'sort', 'summarize', 'removeDuplicates', 'renameKeys', 'dateTime'],
  ...['crypto', 'splitInBatches', 'compareDatasets', 'markdown', 'html', 'xml'],
]);
/** Nodes of these types alone are not worth a comparison. */
const TRIVIAL = new Set(['noOp', 'stopAndError']);
const MIN_LOGIC = 2;
const MAX_NODES = 40;

/** What all other nodes return. */
const SAMPLE = [
  {
    ...{ id: 1, name: 'Ada', email: 'ada@example.com', status: 'active', amount: 12.5, count: '3', tags: ['a', 'b'] },
    ...{ created: '2026-01-05T09:00:00.000Z', ok: true, note: null, text: 'one, two' },
    ...{ data: { title: 'One', items: [{ x: 1 }, { x: 2 }] }, message: { content: 'Hello', role: 'user' } },
  },
  {
    ...{ id: 2, name: 'Bob', email: '', status: 'inactive', amount: 0, count: 'x', tags: [], created: '2026-02-01' },
    ...{ ok: false, data: { title: '', items: [] }, message: { content: '' }, text: '' },
  },
];
const SAMPLE_SCRIPT = `return ${JSON.stringify(SAMPLE.map((json) => ({ json })))};`;

const shortType = ({ type }) => String(type).replace('n8n-nodes-base.', '');
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the connections between nodes that exist, without those of models and tools. */
function readConnections(given, names) {
  const isWay = (each) => isObject(each) && names.has(each.node) && (each.type ?? 'main') === 'main';
  const entries = Object.entries(given).flatMap(([source, kinds]) => {
    if (!names.has(source) || !isObject(kinds)) return [];
    const main = (kinds.main ?? []).map((ways) =>
      (ways ?? []).filter(isWay).map(({ node, index }) => ({ node, type: 'main', index: Number(index ?? 0) })),
    );
    return main.some((ways) => ways.length > 0) ? [[source, { main }]] : [];
  });
  return Object.fromEntries(entries);
}

/** Returns a node and all that it leads to. */
function reach(start, connections) {
  const seen = new Set([start]);
  for (const each of seen) for (const { node } of connections[each]?.main.flat() ?? []) seen.add(node);
  return seen;
}

/** Returns what a workflow does after the trigger from which most is reached; undefined if it is not worth a run. */
function prepare(json) {
  if (!isObject(json) || !Array.isArray(json.nodes) || !isObject(json.connections)) return undefined;
  const nodes = json.nodes.filter((node) => isObject(node) && shortType(node) !== 'stickyNote');
  const names = new Set(nodes.map(({ name }) => name));
  if (names.size !== nodes.length || nodes.length > MAX_NODES) return undefined;
  const all = readConnections(json.connections, names);
  const targets = new Set(Object.values(all).flatMap(({ main }) => main.flat().map(({ node }) => node)));
  const starts = Object.keys(all).filter((name) => !targets.has(name));
  const reached = starts.map((name) => ({ name, nodes: reach(name, all) }));
  const [best] = reached.toSorted((one, other) => other.nodes.size - one.nodes.size);
  if (!best) return undefined;
  const kept = nodes.filter(({ name }) => best.nodes.has(name));
  const logic = kept.map(shortType).filter((type) => LOGIC.has(type) && !TRIVIAL.has(type));
  const isPython = ({ parameters }) => (parameters?.language ?? 'javaScript') !== 'javaScript';
  if (logic.length < MIN_LOGIC || kept.some((node) => shortType(node) === 'code' && isPython(node))) return undefined;
  return {
    nodes: kept.map(({ credentials: _, webhookId: __, ...node }) => {
      const { id, name, position } = node;
      if (name === best.name)
        return { id, name, position, type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
      if (LOGIC.has(shortType(node))) return { ...node, parameters: node.parameters ?? {} };
      return { id, name, position, type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode: SAMPLE_SCRIPT } };
    }),
    connections: Object.fromEntries(Object.entries(all).filter(([name]) => best.nodes.has(name))),
    settings: { executionOrder: 'v1', timezone: 'UTC' },
  };
}

/** Returns the JSON in a file; undefined if it has none. */
function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

mkdirSync(to, { recursive: true });
const seen = new Set();
for (const file of readdirSync(from, { recursive: true }).sort()) {
  const prepared = file.endsWith('.json') ? prepare(readJson(join(from, file))) : undefined;
  if (!prepared) continue;
  const key = JSON.stringify([prepared.nodes.map(({ type, parameters }) => [type, parameters]), prepared.connections]);
  if (seen.has(key)) continue;
  const id = `w${String(seen.size).padStart(4, '0')}`;
  seen.add(key);
  writeFileSync(join(to, `${id}.json`), JSON.stringify({ id, name: id, ...prepared }));
}
console.log(seen.size, 'workflows');
