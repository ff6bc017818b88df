// Converts every workflow of n8n below a folder, and prints what became of their nodes. Development only.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importJson } from '../../../tests/harness/import-n8n.ts';
import { loadNodeTypes } from '../../nodes/src/index.ts';
import { converterOf, shortType } from '../src/nodes/registry.ts';

/** Number of reasons for stubs that are printed. */
const REASONS = 40;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('name a folder of workflows');
const nodeTypes = await loadNodeTypes();

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

const levels = createCounts();
const supported = createCounts();
const reasons = createCounts();
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
  const known = stubs.filter(({ type }) => converterOf(type));
  if (stubs.length === 0) whole.add('without a stub');
  if (known.length > 0) whole.add('with a stub of a type that is supported');
  if (notes.every(({ level }) => level === 'converted')) whole.add('converted whole');
  for (const { type, level } of notes) {
    levels.add(level);
    if (converterOf(type)) supported.add(level);
  }
  for (const { type } of stubs) if (!converterOf(type)) types.add(shortType(type));
  for (const { type, messages } of known) reasons.add(`${shortType(type)}: ${messages.at(-1)}`);
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
console.log('Stubs of supported types:');
for (const [reason, count] of reasons.most(REASONS)) console.log(`  ${count} ${reason.slice(0, 160)}`);
console.log('Types without a converter:');
for (const [type, count] of types.most(REASONS)) console.log(`  ${count} ${type}`);
