import { isJsonObject, type JsonObject, type JsonValue, type NodeDefinition, parseOwnJson } from '@deckhand/contracts';
import { compileParameters, type ExpressionScope } from '@deckhand/engine/expressions';
import { createScriptRunner } from '@deckhand/nodes';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { runInMemory } from '../../../../tests/harness/engine.ts';
import { connect, convertN8n, node, START } from '../../../../tests/harness/import-n8n.ts';
import type { ConvertedWorkflow } from '../import-workflow.ts';
import { isList } from '../workflow.ts';

/** The items of each input. */
type Input = readonly (readonly JsonObject[])[];

/** Parameters of a node, and the index of its outputs for each input. */
interface Shape {
  readonly version: number;
  readonly timezone: string;
  readonly parameters: JsonObject;
  readonly results: readonly number[];
}

/** What a node of n8n returned, as `record/items.mjs` writes it. */
interface Matrix {
  readonly type: string;
  readonly inputs: readonly Input[];
  readonly shapes: readonly Shape[];
  /** Items by output, or "fails". */
  readonly outputs: readonly JsonValue[];
}

const FOLDER = join(import.meta.dirname, '../../matrices/items');
const code = createScriptRunner();
afterAll(() => code.close());

/** Converts a node after nodes that return lists, or one item each. */
function convert(type: string, { version, timezone, parameters }: Shape, count: number, isOne: boolean) {
  const names = Array.from({ length: count }, (_, index) => `Items ${index + 1}`);
  const sources = names.map((name) =>
    isOne
      ? node(name, 'set', { mode: 'raw', jsonOutput: '{}' })
      : node(name, 'code', { jsCode: 'return $input.all();' }),
  );
  const connections = connect(
    ...names.map((name) => `Start > ${name}`),
    ...names.map((name, index) => `${name} > Node:${index}`),
  );
  const nodes = [START, ...sources, { ...node('Node', type, parameters), typeVersion: version }];
  const settings = { timezone };
  return convertN8n(parseOwnJson(JSON.stringify({ nodes, connections, settings })));
}

const scope = {
  trigger: {},
  input: {},
  vars: {},
  execution: { id: 'e', mode: 'live' },
  now: () => '2026-11-20T08:15:00.000Z',
} satisfies Partial<ExpressionScope>;

/** The outputs of nodes in one run; undefined once one has failed. */
type Run = Readonly<Record<string, JsonValue>> | undefined;

/** What a node sees as `$loop` in a run. */
type Loop = ExpressionScope['loop'];

function evaluate(parameter: JsonValue, run: Run, loop?: Loop): JsonValue | undefined {
  const compiled = compileParameters(parameter);
  if ('issues' in compiled) throw new Error(compiled.issues.map(({ message }) => message).join());
  if (run === undefined) return undefined;
  try {
    return compiled.parameters.evaluate({ ...scope, node: (id) => run[id], loop });
  } catch {
    return undefined;
  }
}

/** A script that waits for others, to be run with them. */
interface Waiting {
  readonly source: string;
  readonly runs: readonly Run[];
  readonly resolve: (outputs: (JsonValue | undefined)[]) => void;
  readonly reject: (error: unknown) => void;
}

const waiting: Waiting[] = [];

/** Maximum number of scripts in one sandbox. */
const BATCH = 20;

/** Runs a script in a sandbox, with those of other nodes: to start one takes most of the time. */
function runScript(source: JsonValue | undefined, runs: readonly Run[]): Promise<(JsonValue | undefined)[]> {
  if (typeof source !== 'string') throw new Error('a script without a source');
  return new Promise((resolve, reject) => {
    if (waiting.push({ source, runs, resolve, reject }) === 1) setImmediate(() => void runWaiting());
  });
}

async function runWaiting(): Promise<void> {
  const all = waiting.splice(0);
  for (let first = 0; first < all.length; first += BATCH) {
    const batch = all.slice(first, first + BATCH);
    try {
      const outputs = await runTogether(batch);
      batch.forEach(({ resolve }, index) => resolve(outputs[index] ?? []));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

async function runTogether(batch: readonly Waiting[]): Promise<(JsonValue | undefined)[][]> {
  const source = [
    'const scripts = [',
    ...batch.map((each) => `async ($nodes) => {\n${each.source}\n},`),
    '];',
    'const results = scripts.map(() => []);',
    'for (const [index, runs] of $trigger.batch.entries()) {',
    '  for (const run of runs) {',
    '    try {',
    '      if (!run) throw new Error("failed before");',
    '      const nodes = Object.fromEntries(Object.entries(run).map(([id, output]) => [id, { output }]));',
    '      results[index].push({ output: await scripts[index](nodes) });',
    '    } catch {',
    '      results[index].push({});',
    '    }',
    '  }',
    '}',
    'return results;',
  ].join('\n');
  const result = await code.run({
    source,
    names: { $trigger: { batch: batch.map(({ runs }) => runs.map((run) => run ?? null)) }, $now: scope.now() },
    workspaceId: 'w',
    executionId: 'e',
    timeoutMs: 60_000,
    memoryBytes: 67_108_864,
    keepsConsole: false,
    signal: new AbortController().signal,
  });
  if (result.kind !== 'output' || !isList(result.output)) throw new Error(`they failed: ${JSON.stringify(result)}`);
  return result.output.map((each) =>
    isList(each) ? each.map((one) => (isJsonObject(one) ? one.output : undefined)) : [],
  );
}

/** Runs a node, for several runs. @param loops what it sees as `$loop` in each. */
async function outputsOf(type: string, parameters: JsonObject, runs: readonly Run[], loops: readonly Loop[] = []) {
  if (type === 'code') return runScript(parameters.source, runs);
  if (type === 'set') return runs.map((run, index) => evaluate(parameters.fields ?? null, run, loops[index]));
  const names = Object.keys(parameters).map((name) => [name, `{{ $trigger.${name} }}`]);
  const definition = {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'node', type, parameters: Object.fromEntries(names) },
    ],
    edges: [{ source: 'start', target: 'node' }],
  };
  const outputs: (JsonValue | undefined)[] = [];
  for (const [index, run] of runs.entries()) {
    const trigger = evaluate(parameters, run, loops[index]);
    const { last } = trigger === undefined ? { last: new Map() } : await runInMemory(definition, { trigger });
    const found = [...last.values()].find(({ nodeId, status }) => nodeId === 'node' && status === 'success');
    outputs.push(found?.output);
  }
  return outputs;
}

/** Runs the body of a loop, of one node, for each of its items. @returns the list of what it returned, by run. */
async function outputsOfLoop({ parameters = {} }: NodeDefinition, body: NodeDefinition, runs: readonly Run[]) {
  const lists = runs.map((run) => evaluate(parameters.items ?? null, run));
  const iterations = lists.flatMap((items, nth) =>
    (isList(items) ? items : []).map((item, index) => ({ nth, run: runs[nth], loop: { item, index } })),
  );
  const outputs = await outputsOf(
    body.type,
    body.parameters ?? {},
    iterations.map(({ run }) => run),
    iterations.map(({ loop }) => loop),
  );
  const ofRuns = Map.groupBy(
    iterations.map(({ nth }, index) => ({ nth, output: outputs[index] })),
    ({ nth }) => nth,
  );
  return lists.map((items, nth) => {
    const all = (ofRuns.get(nth) ?? []).map(({ output }) => output);
    return isList(items) && all.every((output) => output !== undefined) ? all : undefined;
  });
}

/** Returns what a converted node returns for each input: the items of its outputs, or "fails". */
async function results(workflow: ConvertedWorkflow, inputs: readonly Input[]): Promise<JsonValue[]> {
  const isOne = workflow.outputs.get('Items 1')?.[0]?.source.shape === 'one';
  const ids = workflow.notes.find(({ node: name }) => name === 'Node')?.nodeIds ?? [];
  const isStep = ({ id, type }: NodeDefinition): boolean => ids.includes(id) && type !== 'if';
  // Nodes that keep the data of an input run before the node itself, wherever they are.
  const keeps = ({ id }: NodeDefinition): number => (id.includes('__from_') ? 0 : 1);
  const steps = workflow.definition.nodes.filter(isStep).toSorted((one, other) => keeps(one) - keeps(other));
  let runs = inputs.map((input): Run => {
    const entries = input.map((items, index) => {
      const source = workflow.outputs.get(`Items ${index + 1}`)?.[0]?.source.text ?? '';
      const [, id = '', path] = /^\$nodes\.(\w+)\.output(?:\.(\w+))?$/.exec(source) ?? [];
      const data = isOne ? (items[0] ?? {}) : items;
      return [id, path === undefined ? data : { [path]: data }];
    });
    return Object.fromEntries(entries);
  });
  const { edges } = workflow.definition;
  const bodyOf = (loop: NodeDefinition): NodeDefinition | undefined => {
    const targets = edges.filter(({ source, sourceHandle }) => source === loop.id && sourceHandle === 'body');
    const [body, ...others] = steps.filter(({ id }) => targets.some(({ target }) => target === id));
    // A body of more nodes has another end than its beginning.
    if (body && (others.length > 0 || edges.some(({ source }) => source === body.id))) {
      throw new Error('the body of a loop has several nodes, which are not run here');
    }
    return body;
  };
  const bodies = new Map(steps.filter(({ type }) => type === 'loop').map((loop) => [loop, bodyOf(loop)]));
  for (const step of steps) {
    if ([...bodies.values()].includes(step)) continue;
    const { id, type, parameters = {} } = step;
    const body = bodies.get(step);
    const outputs = body ? await outputsOfLoop(step, body, runs) : await outputsOf(type, parameters, runs);
    runs = runs.map((run, index) => {
      const output = outputs[index];
      return run && output !== undefined ? { ...run, [id]: output } : undefined;
    });
  }
  const ports = workflow.outputs.get('Node') ?? [];
  return runs.map((run) => {
    if (run === undefined) return 'fails';
    return ports.map(({ source }) => {
      const data = evaluate(`{{ ${source.text} }}`, run) ?? null;
      return source.shape === 'one' ? [data] : data;
    });
  });
}

/** Differences that notes name, by their beginning: whether a result is one of them. */
const NOTES: readonly (readonly [RegExp, (difference: Difference) => boolean])[] = [
  [/^dates fail here if they are neither/, ({ input, here }) => here === 'fails' && !hasUsualDate(input)],
  [
    /^amounts that are not whole numbers fail here/,
    ({ input, here }) => here === 'fails' && !Number.isInteger(input[0]?.[0]?.a),
  ],
  [
    /^duplicates whose compared fields are null, lists or objects are all removed here/,
    ({ input, here, there }) =>
      JSON.stringify(here).length < JSON.stringify(there).length &&
      input[0]?.some((item) => Object.values(item).some((value) => value === null || typeof value === 'object')) ===
        true,
  ],
  [
    /^items whose fields are missing or have another type may be in another order/,
    ({ here, there }) => isDeepStrictEqual(inOrder(here), inOrder(there)),
  ],
  [/^in n8n, the signs \$\$/, ({ input }) => JSON.stringify(input).includes('$')],
  [
    /^white space around texts is left out/,
    ({ input, here, there }) =>
      JSON.stringify(here) === JSON.stringify(there).replaceAll(/ +"|" +/g, '"') ||
      ['', '<a><_>1</_>2</a>', '<a>1</a><b>2</b>'].some((data) => data === input[0]?.[0]?.data),
  ],
];

interface Difference {
  readonly input: Input;
  readonly here: JsonValue;
  readonly there: JsonValue;
}

/** Returns the items of an output in an order of their own. */
function inOrder(outputs: JsonValue): readonly string[] {
  const [items = []] = isList(outputs) ? outputs : [];
  return (isList(items) ? items : []).map((item) => JSON.stringify(item)).toSorted();
}

function hasUsualDate(input: Input): boolean {
  const value = input[0]?.[0]?.a ?? null;
  return (
    typeof value === 'number' ||
    (typeof value === 'string' && /^[1-9]\d{3}-[01]\d-\d\d(T[\d:.]+Z)?$/.test(value) && !value.includes('02-30'))
  );
}

describe.each(readdirSync(FOLDER))('%s', (file) => {
  const { type, inputs, shapes, outputs } = parseOwnJson<Matrix>(readFileSync(join(FOLDER, file), 'utf8'));
  const named = shapes.map(
    (shape, index) => [`${shape.version} ${shape.timezone} ${JSON.stringify(shape.parameters)}`, shape, index] as const,
  );
  const count = inputs[0]?.length ?? 1;

  let found: readonly Compared[] = [];
  beforeAll(async () => {
    found = await Promise.all(named.map(([, shape, nth]) => compare(type, shape, { inputs, outputs, count, nth })));
  });

  it.each(named)('makes the items that n8n makes: %s', (_name, _shape, nth) => {
    const compared = found[nth];
    expect(compared).toEqual({ notes: compared?.notes, differences: [], inputs: inputs.length });
  });
});

/** What differs from n8n without a note. */
interface Compared {
  readonly notes: readonly string[];
  readonly differences: readonly string[];
  /** Number of inputs, as lists, whose results were compared. */
  readonly inputs: number;
}

/** Compares what a node returns after lists, and of some also after single items. */
async function compare(
  type: string,
  shape: Shape,
  { inputs, outputs, count, nth }: Pick<Matrix, 'inputs' | 'outputs'> & { count: number; nth: number },
): Promise<Compared> {
  const notes: string[] = [];
  const differences: string[] = [];
  let lists = 0;
  // What a node does with a list, it does with each item.
  for (const isOne of nth % 8 === 0 || type === 'xml' ? [false, true] : [false]) {
    const workflow = convert(type, shape, count, isOne);
    const { level, messages = [] } = workflow.notes.find(({ node: name }) => name === 'Node') ?? {};
    const chosen = inputs.flatMap((input, index) =>
      !isOne || input.every(({ length }) => length === 1)
        ? [{ input, there: outputs[shape.results[index] ?? -1] ?? null }]
        : [],
    );
    notes.push(...messages);
    if (!isOne) lists += chosen.length;
    // A stub fails, too.
    const here =
      level === 'manual'
        ? chosen.map(() => 'fails')
        : await results(
            workflow,
            chosen.map(({ input }) => input),
          );
    for (const [index, { input, there }] of chosen.entries()) {
      const difference = { input, here: here[index] ?? null, there };
      const isNoted = NOTES.some(
        ([pattern, test]) => messages.some((message) => pattern.test(message)) && test(difference),
      );
      if (isNoted || isDeepStrictEqual(difference.here, there)) continue;
      differences.push(`${JSON.stringify(input)}: ${JSON.stringify(difference.here)}, in n8n ${JSON.stringify(there)}`);
    }
  }
  return { notes, differences, inputs: lists };
}
