import { type JsonObject, type JsonValue, parseOwnJson } from '@deckhand/contracts';
import { compileParameters, type ExpressionScope } from '@deckhand/engine/expressions';
import { createScriptRunner } from '@deckhand/nodes';
import { afterAll, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInMemory } from '../../../../tests/harness/engine.ts';
import { connect, convertN8n, node, START } from '../../../../tests/harness/import-n8n.ts';
import type { ConvertedWorkflow } from '../import-workflow.ts';

/** Parameters of Set, and the index of the output for each item. */
interface Shape {
  readonly version: number;
  readonly parameters: JsonObject;
  readonly results: readonly number[];
}

/** What n8n's Set returned, as `record/set.mjs` writes it. */
interface Matrix {
  readonly items: readonly JsonObject[];
  readonly shapes: readonly Shape[];
  /** Items, or "fails". */
  readonly outputs: readonly JsonValue[];
}

const FILE = join(import.meta.dirname, '../../matrices/set.json');
const matrix = parseOwnJson<Matrix>(readFileSync(FILE, 'utf8'));

/** Converts a Set after a trigger, or after a node that returns a list. */
function convert({ version, parameters }: Shape, isList = false): ConvertedWorkflow {
  const items = node('Items', 'code', { jsCode: 'return $input.first().json.list.map((json) => ({ json }));' });
  const nodes = [START, ...(isList ? [items] : []), { ...node('Set', 'set', parameters), typeVersion: version }];
  const connections = isList ? connect('Start > Items', 'Items > Set') : connect('Start > Set');
  return convertN8n(parseOwnJson(JSON.stringify({ nodes, connections })));
}

/** Returns what a converted Set returns for an item. */
function runner({ definition, outputs }: ConvertedWorkflow): (item: JsonObject) => JsonValue {
  const set = definition.nodes.find(({ id }) => id === 'set');
  const compiled = compileParameters(set?.parameters?.fields ?? null);
  if ('issues' in compiled) throw new Error(compiled.issues.map(({ message }) => message).join());
  const path = outputs.get('Set')?.[0]?.source.text.split('.output.')[1];
  const scope = {
    trigger: {},
    input: {},
    vars: {},
    execution: { id: 'e', mode: 'live' },
    now: () => '2026-11-20T08:15:00.000Z',
  } satisfies Partial<ExpressionScope>;
  return (item) => {
    try {
      const output = compiled.parameters.evaluate({ ...scope, node: () => item });
      return path === undefined ? output : ((output as JsonObject)[path] ?? null);
    } catch {
      return 'fails';
    }
  };
}

/** What the notes say, as a function: whether a result differs as the note says. */
const NOTES: Readonly<Record<string, (item: JsonObject, here: JsonValue, there: JsonValue) => boolean>> = {
  'null and missing values are null here, in n8n they fail': ({ value = null }, _here, there) =>
    value === null && there === 'fails',
  'text fails here if it is an object of JavaScript, but not JSON': (_item, here) => here === 'fails',
  'JSON that is not valid once its expressions are evaluated fails here, n8n tries to repair it': (_item, here) =>
    here === 'fails',
  'null and the text null are an item that is null here, in n8n they fail': ({ value = null }) =>
    value === null || value === 'null',
};

const named = matrix.shapes.map((shape) => [`${shape.version} ${JSON.stringify(shape.parameters)}`, shape] as const);

it.each(named)('sets what n8n sets: %s', (_name, shape) => {
  const workflow = convert(shape);
  const note = workflow.notes.find(({ node: name }) => name === 'Set');
  if (note?.level === 'manual') {
    // A value that can never be of its type.
    expect(shape.results.map((result) => matrix.outputs[result])).toEqual(['fails']);
    return;
  }
  const run = runner(workflow);
  const differences = shape.results.flatMap((result, index) => {
    const item = matrix.items[index] ?? {};
    const [here, there = null] = [run(item), matrix.outputs[result]];
    const isSame = JSON.stringify(here) === JSON.stringify(there);
    const isNoted = note?.messages.some((message) => NOTES[message]?.(item, here, there) === true);
    return isSame || isNoted === true
      ? []
      : [`${JSON.stringify(item)}: ${JSON.stringify(here)}, in n8n ${JSON.stringify(there)}`];
  });
  expect({ notes: note?.messages, differences }).toEqual({ notes: note?.messages, differences: [] });
});

const code = createScriptRunner();
afterAll(() => code.close());

/** A version of each kind, with values that are one expression. */
const lists = named.filter(
  ([name, { version }]) => [2, 3, 3.4].includes(version) && /"={{ \$json.value }}"[^=]*$/.test(name),
);

it.each(lists)('sets what it sets for one item in each item of a list: %s', async (_name, shape) => {
  const run = runner(convert(shape));
  const each = matrix.items.map((item) => ({ item, output: run(item) })).filter(({ output }) => output !== 'fails');
  const { definition } = convert(shape, true);
  const trigger = { list: each.map(({ item }) => item) };
  const { last } = await runInMemory(definition, { trigger, services: { code } });
  const result = [...last.values()].find(({ nodeId }) => nodeId === 'set')?.output;
  const isInField = definition.nodes.find(({ id }) => id === 'set')?.type === 'set';
  expect(isInField ? (result as JsonObject).items : result).toEqual(each.map(({ output }) => output));
});
