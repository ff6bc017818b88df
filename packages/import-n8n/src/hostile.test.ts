import { parseJson, parseOwnJson } from '@deckhand/contracts';
import type { NodeTypes } from '@deckhand/engine';
import { loadNodeTypes } from '@deckhand/nodes';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { connect, convertN8n, importJson, node, START } from '../../../tests/harness/import-n8n.ts';
import { runInTimeSlices } from '@deckhand/runtime';
import { convertInSteps } from './import-workflow.ts';
import { type ImportedWorkflow, NotAWorkflowError } from './index.ts';
import { readWorkflow } from './workflow.ts';

let nodeTypes: NodeTypes;
beforeAll(async () => {
  nodeTypes = await loadNodeTypes();
});

const importText = (json: string): Promise<ImportedWorkflow> => importJson(parseJson(json), nodeTypes);
const imported = (nodes: readonly object[], connections: object = {}): Promise<ImportedWorkflow> =>
  importText(JSON.stringify({ name: 'Hostile', nodes, connections, settings: { executionOrder: 'v1' } }));

/** Imports a Set node after a trigger. @returns what became of it. */
async function importExpression(value: string): Promise<ImportedWorkflow['notes'][number]> {
  const fields = { assignments: { assignments: [{ name: 'a', value, type: 'any' }] } };
  const { notes } = await imported([START, node('Set', 'set', fields)], connect('Start > Set'));
  return notes[1]!;
}

/** Returns a Switch with a number of outputs. */
const switchOf = (name: string, count: number): object => {
  const operator = { type: 'number', operation: 'equals' };
  const values = Array.from({ length: count }, (_, rightValue) => ({
    conditions: { conditions: [{ leftValue: '={{ $json.a }}', rightValue, operator }] },
  }));
  return node(name, 'switch', { rules: { values } });
};

interface AddressesOfNode {
  readonly operation?: string;
  readonly id?: string;
  readonly [name: string]: string | undefined;
}

const millis = async (work: () => Promise<unknown>): Promise<number> => {
  const begunAt = performance.now();
  await work();
  return performance.now() - begunAt;
};

describe('names of inherited members', () => {
  const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype'];

  it('are names of nodes like others', async () => {
    const chain = NAMES.map((name) => node(name, 'noOp'));
    const connections = `{"Start":{"main":[[{"node":"__proto__","type":"main","index":0}]]},
      "__proto__":{"main":[[{"node":"constructor","type":"main","index":0}]]},
      "constructor":{"main":[[{"node":"toString","type":"main","index":0}]]},
      "toString":{"main":[[{"node":"hasOwnProperty","type":"main","index":0}]]},
      "hasOwnProperty":{"main":[[{"node":"prototype","type":"main","index":0}]]}}`;
    const json = `{"nodes":${JSON.stringify([START, ...chain])},"connections":${connections}}`;
    const { definition, notes } = await importText(json);
    expect(notes.map(({ level }) => level)).toEqual(Array(6).fill('converted'));
    expect(definition.edges).toHaveLength(5);
  });

  it.each(NAMES)('choose nothing in place of an option: %s', async (name) => {
    const condition = { operator: { type: name, operation: name }, leftValue: 1, rightValue: 2 };
    const nodes = [
      START,
      { ...node('If', 'if'), parameters: { conditions: { conditions: [condition] } } },
      node('Wait', 'wait', { unit: name }),
      node('Webhook', 'webhook', { authentication: name, path: 'a' }),
      node('Set', 'set', { mode: 'manual', fields: { values: [{ name: 'a', type: name }] } }, { typeVersion: 3 }),
      { ...node('Other', 'noOp'), type: `n8n-nodes-base.${name}` },
      node('Old', 'if', { conditions: { [name]: [{ operation: name }] } }, { typeVersion: 1 }),
    ];
    const connections = connect('Start > If', 'Start > Wait', 'Start > Set', 'Start > Other', 'Start > Old');
    const { notes } = await imported(nodes, connections);
    const levels = Object.fromEntries(notes.map(({ node: each, level }) => [each, level]));
    expect(levels).toMatchObject({ If: 'manual', Wait: 'manual', Webhook: 'manual', Other: 'manual', Old: 'manual' });
    expect(JSON.stringify(notes)).not.toMatch(/native code|\[object/);
  });
});

describe('size', () => {
  const chainOf = (count: number): object[] => Array.from({ length: count }, (_, n) => node(`N${n}`, 'noOp'));

  it.each([
    ['nodes', () => imported(chainOf(1_001))],
    ['connections', () => imported(chainOf(80), connect(...manyConnections()))],
    ['outputs', () => imported(chainOf(2), connect('N0:100 > N1'))],
    ['inputs', () => imported(chainOf(2), connect('N0 > N1:1000000000'))],
    ['loops', () => imported(Array.from({ length: 51 }, (_, n) => node(`L${n}`, 'splitInBatches')))],
    ['characters', () => imported([node('N'.repeat(201), 'noOp')])],
  ])('is refused beyond a number of %s', async (_what, work) => {
    await expect(work()).rejects.toThrow(NotAWorkflowError);
  });

  function manyConnections(): string[] {
    return Array.from({ length: 80 }, (_, n) => Array.from({ length: 80 }, (__, m) => `N${n} > N${m}`)).flat();
  }

  it('of a stub is bounded, and its note says what is missing', async () => {
    const nodes = [START, node('Big', 'unknown', { text: 'x'.repeat(200_000) })];
    const { definition, notes } = await imported(nodes, connect('Start > Big'));
    expect(notes[1]).toMatchObject({ level: 'manual', messages: [expect.anything(), expect.stringContaining('cut')] });
    expect(JSON.stringify(definition).length).toBeLessThan(100_000);
  });

  it('does not grow with the inputs of a merge or the tries of a node', async () => {
    const nodes = [
      START,
      node('Merge', 'merge', { numberInputs: 1e9 }),
      node('Try', 'noOp', {}, { retryOnFail: true, maxTries: 'a', waitBetweenTries: -1 }),
      node('Limit', 'limit', { maxItems: -1 }),
    ];
    const { definition, notes } = await imported(nodes, connect('Start > Merge', 'Start > Try', 'Start > Limit'));
    expect(notes.map(({ level }) => level)).toEqual(['converted', 'converted', 'manual', 'manual']);
    expect(JSON.stringify(definition).length).toBeLessThan(10_000);
  });

  it('of a node is bounded, and what it becomes', async () => {
    const levelsOf = async (assignments: readonly object[]): Promise<readonly unknown[]> => {
      const nodes = [START, node('Set', 'set', { assignments: { assignments } }), node('After', 'noOp')];
      const { definition, notes } = await imported(nodes, connect('Start > Set', 'Set > After'));
      expect(JSON.stringify(definition).length).toBeLessThan(200_000);
      return [notes[1]?.level, notes[1]?.messages[0]];
    };
    const fields = (count: number, value: string, name = 'f') =>
      Array.from({ length: count }, (_, n) => ({ name: `${name}${n}`, value, type: 'any' }));
    const tooMany = ['manual', 'its parameters have more than 65536 characters'];
    expect(await levelsOf(fields(30_000, '={{ $json.a }}'))).toEqual(tooMany);
    expect(await levelsOf(fields(30_000, 'x', 'a.'))).toEqual(tooMany);
    // Each expression is short enough, and all of them together become megabytes.
    const long = `={{ $json.a${'.isEmpty()'.repeat(3)} }}`;
    expect(await levelsOf(fields(600, long))).toEqual(['manual', 'it would become too long here']);
  });

  it('of all nodes together is bounded', async () => {
    const long = `={{ $json.a${'.isEmpty()'.repeat(3)} }}`;
    const assignments = Array.from({ length: 50 }, (_, n) => ({ name: `f${n}`, value: long, type: 'any' }));
    const sets = Array.from({ length: 60 }, (_, n) => node(`S${n}`, 'set', { assignments: { assignments } }));
    const { notes } = await imported([START, ...sets], connect(...sets.map((_, n) => `Start > S${n}`)));
    expect(notes[1]).toMatchObject({ level: 'converted' });
    expect(notes.at(-1)).toMatchObject({ level: 'manual', messages: ['it would become too long here'] });
  });

  it('of all nodes together is bounded, with those between them', () => {
    const many = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name} ${n}`);
    const [starts, branches, ends] = [many('Start with a name that is rather long', 100), many('B', 40), many('C', 45)];
    const nodes = [
      ...starts.map((name) => node(name, 'manualTrigger')),
      ...['J', ...branches, ...ends].map((name) => node(name, 'noOp')),
    ];
    const connections = connect(
      ...starts.map((name) => `${name} > J`),
      ...branches.flatMap((name) => [`J > ${name}`, ...ends.map((end) => `${name} > ${end}`)]),
    );
    const { definition, notes } = convertN8n(parseOwnJson(JSON.stringify({ nodes, connections })));
    expect(JSON.stringify(definition.nodes).length).toBeLessThan(10_485_760);
    expect(notes.at(-1)).toMatchObject({ level: 'manual', messages: ['it would become too long here'] });
  });

  it('of a cycle with many outputs and long names is bounded', async () => {
    const name = 'n'.repeat(48);
    const nodes = [START, switchOf(name, 41), switchOf('Other', 41), node('End', 'noOp')];
    const ways = [name, 'Other'].flatMap((each) => Array.from({ length: 40 }, (_, n) => `${each}:${n + 1} > End`));
    const cycle = [`Start > ${name}`, `${name}:0 > Other`, `Other:0 > ${name}`];
    const { notes } = await imported(nodes, connect(...cycle, ...ways));
    expect(notes[1]).toMatchObject({ level: 'manual', messages: ['it is in a cycle: use Loop Over Items'] });
  });

  it('of a format of dates makes a stub', async () => {
    const date = node('Date', 'dateTime', { value: '={{ $json.at }}', custom: true, toFormat: '[['.repeat(30_000) });
    const { notes } = await imported([START, date], connect('Start > Date'));
    expect(notes[1]?.level).toBe('manual');
  });

  it('of a field within others does not multiply', async () => {
    const assignments = [{ name: `a${'.a'.repeat(19)}`, value: 1, type: 'number' }];
    const set = node('Set', 'set', { assignments: { assignments }, includeOtherFields: true });
    const { definition, notes } = await imported([START, set], connect('Start > Set'));
    expect(notes[1]?.level).toBe('converted');
    expect(JSON.stringify(definition).length).toBeLessThan(20_000);
  });

  it('of an expression does not multiply', async () => {
    expect((await importExpression(`={{ $json.a${'.isEmpty()'.repeat(30)} }}`)).level).toBe('manual');
    expect((await importExpression(`={{ ${'$json.a.b + '.repeat(2_000)}1 }}`)).level).toBe('manual');
  });
});

describe('what would not be valid here', () => {
  const ITEMS = node('Items', 'code', { jsCode: 'return [];' });
  const fields = (...names: string[]) => ({
    assignments: { assignments: names.map((name) => ({ name, value: 1, type: 'number' })) },
  });

  it.each([
    ['names of prototypes', fields('__proto__', '__proto__')],
    ['JSON that is nested too deeply', { mode: 'raw', jsonOutput: `{"a":${'['.repeat(20_000)}` }],
    ['a deep value', { mode: 'raw', jsonOutput: `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}` }],
  ])('makes one stub: %s', async (_what, parameters) => {
    const nodes = [START, ITEMS, node('Set', 'set', parameters), node('After', 'noOp')];
    const { notes } = await imported(nodes, connect('Start > Items', 'Items > Set', 'Set > After'));
    expect(notes.map(({ level }) => level)).toEqual(['converted', 'converted', 'manual', 'review']);
  });
});

describe('time', () => {
  const DEEP = '['.repeat(5_000);

  it.each([
    ['nested brackets', `={{ ${'('.repeat(4_000)}1${')'.repeat(4_000)} }}`],
    ['a long chain of members', `={{ $json${'.a'.repeat(4_000)} }}`],
    ['brackets without an end', `={{ ${DEEP} }}`],
    ['braces without an end', `=${'{{'.repeat(50_000)}`],
    ['quotes without an end', `={{ ${"'\\".repeat(50_000)} }}`],
  ])('is short for %s', async (_what, value) => {
    let level: string | undefined;
    expect(await millis(async () => ({ level } = await importExpression(value)))).toBeLessThan(2_000);
    expect(level).toBe('manual');
  });

  it.each([
    ['names', "$('".repeat(20_000)],
    ['blanks', `$(${' '.repeat(30_000)}`.repeat(2)],
    ['braces', `={{${' '.repeat(30_000)}x${' '.repeat(30_000)}`],
  ])('is linear in the length of a script with %s', async (_what, jsCode) => {
    const nodes = [START, node('Code', 'code', { jsCode })];
    expect(await millis(() => imported(nodes, connect('Start > Code')))).toBeLessThan(2_000);
  });

  it.each([
    ['dots in JSON', { mode: 'raw', jsonOutput: `="${'.'.repeat(64_000)}` }],
    ['backslashes', { assignments: { assignments: [{ name: 'a', value: '\\'.repeat(32_000), type: 'string' }] } }],
  ])('is linear in the length of a field with %s', async (_what, parameters) => {
    const nodes = [START, node('Set', 'set', parameters)];
    expect(await millis(() => imported(nodes, connect('Start > Set')))).toBeLessThan(500);
  });

  it.each([
    [
      'googleSheets',
      { documentId: '1'.repeat(40), sheetName: `https://docs.google.com/spreadsheets/d/${'a'.repeat(60_000)}` },
    ],
    ['googleSheets', { documentId: '-/'.repeat(30_000), sheetName: 'https://docs.google.com/spreadsheets/d/a#gid=0' }],
    ['googleDrive', { operation: 'download', fileId: 'https://docs.google.com/'.repeat(2_500) }],
    ['airtable', { operation: 'get', base: 'https://airtable.com/'.repeat(2_500), table: 't', id: 'r' }],
  ])(
    'is not spent on long addresses of a node of %s',
    async (type, { operation, id, ...addresses }: AddressesOfNode) => {
      const located = Object.entries(addresses).map(([name, value]) => [name, { __rl: true, mode: 'url', value }]);
      const parameters = { operation, id, ...Object.fromEntries(located) };
      const nodes = Array.from({ length: 30 }, (_, n) => node(`N${n}`, type, parameters, { typeVersion: 4 }));
      const { notes } = await imported([START, ...nodes], connect(...nodes.map((_, n) => `Start > N${n}`)));
      expect(notes.at(-1)).toMatchObject({ level: 'manual', messages: ['an address of more than 2000 characters'] });
    },
  );

  it('is short for a name with many parts', async () => {
    const assignments = [{ name: 'a.'.repeat(30_000), value: 'x', type: 'any' }];
    const { notes } = await imported(
      [START, node('Set', 'set', { assignments: { assignments } })],
      connect('Start > Set'),
    );
    expect(notes[1]).toMatchObject({ level: 'manual', messages: [expect.stringContaining('within more than')] });
  });

  it('is short for a thousand nodes in a row, each with a loop back', async () => {
    const nodes = [START, ...Array.from({ length: 999 }, (_, n) => node(`N${n}`, 'noOp'))];
    const row = Array.from({ length: 998 }, (_, n) => [`N${n} > N${n + 1}`, `N${n + 1} > N${n}`]).flat();
    expect(await millis(() => imported(nodes, connect('Start > N0', ...row)))).toBeLessThan(10_000);
  });

  it.each([
    ['out of a cycle', 'noOp', ['Start > S0', 'S97:0 > S0'], 'S0', 'it is in a cycle: use Loop Over Items'],
    [
      'back to a loop',
      'splitInBatches',
      ['Start > End', 'End:1 > S0', 'End > After'],
      'After',
      'what a loop returns whose body leads back by too many ways',
    ],
  ])('is short for 4,800 ways %s', async (_where, type, connections, stub, message) => {
    const names = Array.from({ length: 98 }, (_, n) => `S${n}`);
    const nodes = [START, ...names.map((name) => switchOf(name, 50)), node('End', type), node('After', 'noOp')];
    const on = names.slice(1).map((name, n) => `S${n}:0 > ${name}`);
    const ends = names.flatMap((name) => Array.from({ length: 49 }, (_, n) => `${name}:${n + 1} > End`));
    const json = parseOwnJson(JSON.stringify({ nodes, connections: connect(...connections, ...on, ...ends) }));
    const { notes } = await runInTimeSlices(convertInSteps(readWorkflow(json), new Map()), 10_000);
    expect(notes.find(({ node: name }) => name === stub)).toMatchObject({ level: 'manual', messages: [message] });
  });
});

it('keeps what belongs to an agent in its stub, and nodes that belong to each other in stubs of their own', async () => {
  const attach = (target: string): object => ({ ai_tool: [[{ node: target, type: 'ai_tool', index: 0 }]] });
  const { definition, notes } = await imported(
    [START, ...['Agent', 'Tool', 'Model', 'A', 'B'].map((name) => node(name, `x${name}`, { text: `of ${name}.` }))],
    { ...connect('Start > Agent'), Tool: attach('Agent'), Model: attach('Tool'), A: attach('B'), B: attach('A') },
  );
  expect(notes.map(({ level }) => level)).toEqual(['converted', 'manual', 'manual', 'review', 'review', 'manual']);
  const scripts = definition.nodes.map(({ parameters }) => JSON.stringify(parameters ?? {}));
  for (const name of ['Agent', 'Tool', 'Model', 'A', 'B']) {
    expect(scripts.filter((each) => each.includes(`of ${name}.`))).toHaveLength(1);
  }
});

it('reads the arguments of a tool in bounded time, and makes it a stub', async () => {
  const attached = (type: string) => ({ [type]: [[{ node: 'Agent', type, index: 0 }]] });
  const calls = '$fromAI('.repeat(7_000);
  const nodes = [
    START,
    { ...node('Agent', 'agent'), type: '@n8n/n8n-nodes-langchain.agent', typeVersion: 2 },
    { ...node('Model', 'lm'), type: '@n8n/n8n-nodes-langchain.lmChatOpenAi' },
    node('Tool', 'httpRequestTool', { url: `=${calls}` }),
  ];
  const connections = {
    ...connect('Start > Agent'),
    Model: attached('ai_languageModel'),
    Tool: attached('ai_tool'),
  };
  const { notes } = await imported(nodes, connections);
  expect(notes.find(({ node: name }) => name === 'Tool')).toMatchObject({ level: 'manual' });
});
