import { type JsonObject, type JsonValue, parseOwnJson } from '@deckhand/contracts';
import { createScriptRunner } from '@deckhand/nodes';
import { afterAll, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInMemory } from '../../../../tests/harness/engine.ts';
import { connect, convertN8n, node, START } from '../../../../tests/harness/import-n8n.ts';

/** Parameters of Split Out or Item Lists, and the index of the output for each item. */
interface Shape {
  readonly type: string;
  readonly version: number;
  readonly parameters: JsonObject;
  readonly results: readonly number[];
}

/** What n8n returned, as `record/split-out.mjs` writes it: items, or "fails". */
interface Matrix {
  readonly items: readonly JsonObject[];
  readonly shapes: readonly Shape[];
  readonly outputs: readonly JsonValue[];
}

const FILE = join(import.meta.dirname, '../../matrices/split-out.json');
const matrix = parseOwnJson<Matrix>(readFileSync(FILE, 'utf8'));
const code = createScriptRunner();
afterAll(() => code.close());

const named = matrix.shapes.map(
  (shape) => [`${shape.type} ${shape.version} ${JSON.stringify(shape.parameters)}`, shape] as const,
);

it.each(named)('makes the items that n8n makes: %s', async (_name, { type, version, parameters, results }) => {
  // One run for all items: n8n, too, splits each on its own.
  const list = matrix.items.flatMap((item, index) => {
    const there = matrix.outputs[results[index] ?? -1];
    return there === 'fails' ? [] : [{ item, there }];
  });
  const items = node('Items', 'code', { jsCode: 'return $input.first().json.list.map((json) => ({ json }));' });
  const nodes = [START, items, { ...node('Split', type, parameters), typeVersion: version }];
  const workflow = convertN8n(
    parseOwnJson(JSON.stringify({ nodes, connections: connect('Start > Items', 'Items > Split') })),
  );
  const note = workflow.notes.find(({ node: each }) => each === 'Split');
  const mayFail = type === 'itemLists' && version < 2.2;
  expect(note?.level).toBe(mayFail ? 'review' : 'converted');
  if (mayFail) expect(note?.messages.join()).toMatch(/^in n8n, this version fails for a field that is/);
  else expect(list).toHaveLength(matrix.items.length);
  const trigger = { list: list.map(({ item }) => item) };
  const { last } = await runInMemory(workflow.definition, { trigger, services: { code } });
  const output = [...last.values()].find(({ nodeId }) => nodeId === 'split')?.output;
  // Without items, it does not run.
  expect(output ?? []).toEqual(list.flatMap(({ there }) => there));
});
