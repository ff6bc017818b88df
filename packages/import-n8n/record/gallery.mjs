// Converts every workflow of n8n below a folder, and prints what became of their nodes. Development only.
// The causes are in an order in which each, without those before it, keeps most workflows from having no stub of a type
// that is supported.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importJson } from '../../../tests/harness/import-n8n.ts';
import { loadNodeTypes } from '../../nodes/src/index.ts';
import { n8nTables } from '../../connectors/src/index.ts';
import { converterOf, takesParts } from '../src/nodes/registry.ts';
import { shortType } from '../src/workflow.ts';

/** Number of causes and types that are printed. */
const REASONS = Number(process.env.REASONS ?? 40);
/** A part of a stub, such as the model of an agent: the stub itself is counted. */
const PART = /^is part of "/;
/** Tools of agents that are converted, apart from those that are nodes. */
const TOOLS = new Set(['toolCode', 'toolThink', 'toolWorkflow'].map((name) => `@n8n/n8n-nodes-langchain.${name}`));

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('name a folder of workflows');
const nodeTypes = await loadNodeTypes();

const services = new Set(n8nTables().map(({ type }) => type));

/** Returns whether a type has a converter, also as a tool of an agent. */
function isSupported(type) {
  if (TOOLS.has(type) || converterOf(type) !== undefined) return true;
  return type.endsWith('Tool') && converterOf(type.slice(0, -'Tool'.length)) !== undefined;
}

/** Counts what is named. */
function createCounts() {
  const counts = new Map();
  return {
    add: (name) => counts.set(name, (counts.get(name) ?? 0) + 1),
    most: (limit) => [...counts].sort(([, one], [, other]) => other - one).slice(0, limit),
    of: (name) => counts.get(name) ?? 0,
  };
}

/** Returns each workflow below the folder once. */
function* workflows() {
  const seen = new Set();
  for (const name of readdirSync(folder, { recursive: true }).sort()) {
    if (!name.endsWith('.json')) continue;
    let json;
    try {
      json = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    } catch {
      continue;
    }
    if (!Array.isArray(json?.nodes) || typeof json.connections !== 'object') continue;
    const key = JSON.stringify([json.nodes, json.connections]);
    if (!seen.has(key)) yield { name, json };
    seen.add(key);
  }
}

/** Returns the reason of a stub without the names in it. */
function causeOf(reason) {
  return reason
    .replace(/\{\{.*\}\}/s, '{{ … }}')
    .replace(/"[^"]*" leads/, '"…" leads')
    .replace(/((?:the (?:node|item of|file)|of) )"[^"]*"/g, '$1"…"');
}

/** Returns the causes in their order, and how many workflows have none left after each. */
function* orderCauses(left) {
  while (left.length > 0) {
    const single = createCounts();
    const any = createCounts();
    for (const each of left) for (const cause of each) (each.size === 1 ? single : any).add(cause);
    const [[cause]] = single.most(1).length > 0 ? single.most(1) : any.most(1);
    for (const each of left) each.delete(cause);
    const rest = left.filter(({ size }) => size > 0);
    yield [left.length - rest.length, cause];
    left = rest;
  }
}

const levels = createCounts();
const supported = createCounts();
/** The causes of stubs of supported types, for each workflow that has some. */
const causes = [];
const types = createCounts();
const whole = createCounts();
const invalid = createCounts();
let slowest = { name: '', ms: 0 };
for (const { name, json } of workflows()) {
  whole.add('workflows');
  const from = performance.now();
  let imported;
  try {
    imported = await importJson(json, nodeTypes);
  } catch (error) {
    whole.add(`refused: ${error.message}`);
    continue;
  }
  const ms = performance.now() - from;
  if (ms > slowest.ms) slowest = { name, ms };
  const { notes, remarks } = imported;
  const issues = remarks.filter((remark) => remark.startsWith('cannot be saved'));
  if (issues.length > 0) whole.add('invalid');
  for (const issue of new Set(issues.map((text) => text.replace(/\d+/g, '#')))) invalid.add(issue);
  const stubs = notes.filter(({ level }) => level === 'manual');
  const known = stubs.filter(({ type, messages }) => isSupported(type) && !PART.test(messages[0]));
  if (stubs.length === 0) whole.add('without a stub');
  if (known.length > 0) whole.add('with a stub of a type that is supported');
  if (known.some(({ type }) => !services.has(shortType(type).replace(/Tool$/, ''))))
    whole.add('with such a stub of a type without connector');
  if (known.some(({ type }) => !takesParts(type))) whole.add('with such a stub that asks no model');
  if (notes.every(({ level }) => level === 'converted')) whole.add('converted whole');
  for (const { type, level } of notes) {
    levels.add(level);
    if (isSupported(type)) supported.add(level);
  }
  for (const { type } of stubs) if (!isSupported(type)) types.add(shortType(type));
  if (known.length > 0) causes.push(new Set(known.map(({ messages }) => causeOf(messages[0]))));
}

const share = (counts, name, ofAll) => `${name} ${counts.of(name)} (${((100 * counts.of(name)) / ofAll).toFixed(1)} %)`;
const sum = (counts) => counts.most(Infinity).reduce((all, [, count]) => all + count, 0);
const LEVELS = ['converted', 'review', 'manual'];
console.log('Nodes:', LEVELS.map((level) => share(levels, level, sum(levels))).join(', '));
console.log('Of supported types:', LEVELS.map((level) => share(supported, level, sum(supported))).join(', '));
for (const [name] of whole.most(20)) console.log(share(whole, name, whole.of('workflows')));
console.log(`Slowest: ${slowest.name}, ${slowest.ms.toFixed(0)} ms`);
console.log('Issues of invalid definitions:');
for (const [issue, count] of invalid.most(REASONS)) console.log(`  ${count} ${issue.slice(0, 160)}`);
console.log('Causes of stubs of supported types:');
for (const [count, cause] of orderCauses(causes).take(REASONS)) console.log(`  ${count} ${cause.slice(0, 160)}`);
console.log('Types without a converter:');
for (const [type, count] of types.most(REASONS)) console.log(`  ${count} ${type}`);
