import { isJsonObject, type JsonObject, type JsonValue, parseOwnJson } from '@deckhand/contracts';
import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, node, START } from '../../../../tests/harness/import-n8n.ts';
import { convertInSteps, type ConvertedWorkflow } from '../import-workflow.ts';
import { isList, readWorkflow } from '../workflow.ts';
import { isTrigger } from './registry.ts';

/** Parameters as an export has them, and what n8n adds to them in some versions of a node. */
interface Shape {
  readonly type: string;
  readonly versions: readonly number[];
  readonly given: JsonObject;
  readonly added: JsonObject;
}

const FILE = join(import.meta.dirname, '../../matrices/defaults.json');
const { nodes } = parseOwnJson<{ readonly nodes: readonly Shape[] }>(readFileSync(FILE, 'utf8'));

/** Returns a value with the members that were added to it. */
function complete(given: JsonValue, added: JsonValue): JsonValue {
  if (isList(given) && isJsonObject(added)) {
    return given.map((each, index) => complete(each, added[String(index)] ?? {}));
  }
  if (!isJsonObject(given) || !isJsonObject(added)) return added;
  const within = Object.entries(given).map(([name, value]) => {
    const more = added[name];
    return [name, more === undefined ? value : complete(value, more)];
  });
  return { ...added, ...Object.fromEntries(within) };
}

/** Converts a workflow with a node, with nodes before it and after its outputs. */
function convert(type: string, typeVersion: number, parameters: JsonValue): ConvertedWorkflow {
  const nodes = [
    START,
    node('Other', 'noOp'),
    { ...node('Node', type), typeVersion, parameters },
    ...['A', 'B', 'C', 'D'].map((name) => node(name, 'noOp')),
  ];
  const before = isTrigger(type) ? [] : ['Start > Node'];
  const merges = type === 'merge' || type === 'compareDatasets' ? ['Start > Other', 'Other > Node:1'] : [];
  const loops = type === 'splitInBatches' ? [`${typeVersion < 3 ? 'A' : 'B'} > Node`] : [];
  const outputs = ['if', 'switch', 'filter', 'splitInBatches'].includes(type) ? ['Node:1 > B'] : [];
  const more = type === 'switch' ? ['Node:2 > C', 'Node:3 > D'] : [];
  const connections = connect(...before, ...merges, 'Node > A', ...outputs, ...more, ...loops);
  const steps = convertInSteps(readWorkflow({ nodes, connections }), new Map());
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const shapes = nodes.flatMap(({ type, versions, given, added }) =>
  versions.map((version) => [`${type} ${version} ${JSON.stringify(given)}`, type, version, given, added] as const),
);

it.each(shapes)('means the same without what n8n adds: %s', (_name, type, version, given, added) => {
  const [bare, full] = [convert(type, version, given), convert(type, version, complete(given, added))];
  const isStub = bare.notes.some(({ node: name, level }) => name === 'Node' && level === 'manual');
  // Stubs have the original in their script.
  if (!isStub) expect(bare.definition).toEqual(full.definition);
  expect(bare.notes).toEqual(full.notes);
});
