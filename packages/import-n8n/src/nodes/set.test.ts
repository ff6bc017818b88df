import { type JsonObject, type JsonValue, parseOwnJson } from '@deckhand/contracts';
import { compileParameters, type ExpressionScope } from '@deckhand/engine/expressions';
import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { convertInSteps, type ConvertedWorkflow } from '../import-workflow.ts';
import { readWorkflow } from '../workflow.ts';

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

function convert({ version, parameters }: Shape): ConvertedWorkflow {
  const nodes = [
    { name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} },
    { name: 'Set', type: 'n8n-nodes-base.set', typeVersion: version, parameters },
  ];
  const connections = { Start: { main: [[{ node: 'Set', type: 'main', index: 0 }]] } };
  const steps = convertInSteps(readWorkflow({ nodes, connections }), new Map());
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Returns what a converted Set returns for an item. */
function runner({ definition, outputs }: ConvertedWorkflow): (item: JsonObject) => JsonValue {
  const node = definition.nodes.find(({ id }) => id === 'set');
  const compiled = compileParameters(node?.parameters?.fields ?? null);
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
  const note = workflow.notes.find(({ node }) => node === 'Set');
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
