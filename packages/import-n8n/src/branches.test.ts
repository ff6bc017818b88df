import { type JsonValue, parseJson } from '@deckhand/contracts';
import type { NodeTypes } from '@deckhand/engine';
import { createScriptRunner, loadNodeTypes } from '@deckhand/nodes';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type MemoryRun, runInMemory } from '../../../tests/harness/engine.ts';
import { connect, importJson, node, START } from '../../../tests/harness/import-n8n.ts';
import type { ImportedWorkflow } from './index.ts';

let nodeTypes: NodeTypes;
const code = createScriptRunner();
beforeAll(async () => {
  nodeTypes = await loadNodeTypes();
});
afterAll(() => code.close());

const ITEMS = node('Items', 'code', { jsCode: 'return $input.first().json.body.list.map((n) => ({ json: { n } }));' });
const isPositive = {
  conditions: {
    combinator: 'and',
    conditions: [{ leftValue: '={{ $json.n }}', rightValue: 0, operator: { type: 'number', operation: 'gt' } }],
  },
};
const set = (name: string, value: JsonValue) =>
  node(name, 'set', { assignments: { assignments: [{ name: 'value', value, type: 'any' }] } });

async function imported(nodes: object[], connections: object): Promise<ImportedWorkflow> {
  const json = { name: 'Test', nodes, connections, settings: { executionOrder: 'v1' } };
  return importJson(parseJson(JSON.stringify(json)), nodeTypes);
}

const run = ({ definition }: ImportedWorkflow, trigger: JsonValue, triggerNodeId?: string): Promise<MemoryRun> =>
  runInMemory(definition, { trigger, services: { code }, ...(triggerNodeId !== undefined && { triggerNodeId }) });

const ranIn = ({ journal }: MemoryRun): string[] =>
  [...new Set(journal.filter(({ status }) => status === 'success').map(({ nodeId }) => nodeId))].toSorted();

const messages = ({ notes }: ImportedWorkflow, name: string) => notes.find((each) => each.node === name)?.messages;

describe('branches after a list', () => {
  it('respond once, by the branch that has items', async () => {
    const respond = (name: string, responseCode: number) =>
      node(name, 'respondToWebhook', { respondWith: 'noData', options: { responseCode } });
    const workflow = await imported(
      [
        node('Hook', 'webhook', { responseMode: 'responseNode' }),
        ITEMS,
        node('Is fine', 'if', isPositive),
        respond('Fine', 200),
        respond('Refused', 400),
      ],
      connect('Hook > Items', 'Items > Is fine', 'Is fine > Fine', 'Is fine:1 > Refused'),
    );
    expect(ranIn(await run(workflow, { body: { list: [1] } }))).toContain('fine');
    expect(ranIn(await run(workflow, { body: { list: [1] } }))).not.toContain('refused');
    expect(ranIn(await run(workflow, { body: { list: [-1] } }))).toContain('refused');
    expect(ranIn(await run(workflow, { body: { list: [-1] } }))).not.toContain('fine');
  });

  it('are read on the canvas as questions', async () => {
    const workflow = await imported(
      [START, ITEMS, node('Is fine', 'if', isPositive), set('A', 1), set('B', 2)],
      connect('Start > Items', 'Items > Is fine', 'Is fine > A', 'Is fine:1 > B'),
    );
    expect(workflow.definition.nodes.filter(({ type }) => type === 'if')).toMatchObject([
      { name: 'Items: any items?', parameters: { condition: '{{ $nodes.items.output.length > 0 }}' } },
      { name: 'Is fine: any items at "true"?' },
      { name: 'Is fine: any items at "false"?' },
    ]);
  });

  it('have no questions where a script returns one item', async () => {
    const script = node('Item', 'code', { jsCode: 'return [{ json: { n: $input.first().json.n + 1 } }];' });
    const workflow = await imported(
      [START, script, node('Is fine', 'if', isPositive), set('A', 1), set('B', 2)],
      connect('Start > Item', 'Item > Is fine', 'Is fine > A', 'Is fine:1 > B'),
    );
    expect(workflow.definition.nodes.map(({ type }) => type)).toEqual(['trigger.manual', 'code', 'if', 'set', 'set']);
    expect(ranIn(await run(workflow, { n: 1 }))).toContain('a');
  });

  it.each([
    ['in its body', 1, ['Loop:1 > Is fine', 'Is fine > Each', 'Each > Loop']],
    ['at its end', 1, ['Loop:1 > Is fine', 'Is fine > Loop']],
    ['at the end of batches', 2, ['Loop:1 > Is fine', 'Is fine > Loop']],
  ])('end a loop of n8n, which the notes name: %s', async (_where, batchSize, body) => {
    const workflow = await imported(
      [
        START,
        ITEMS,
        node('Loop', 'splitInBatches', { batchSize }),
        node('Is fine', 'filter', isPositive),
        set('Each', 1),
        set('After', '={{ $input.all().length }}'),
      ],
      connect('Start > Items', 'Items > Loop', ...body, 'Loop > After'),
    );
    expect(messages(workflow, 'Loop')).toContain(
      'if an iteration returns no items, n8n ends the loop and the run there; here it goes on',
    );
    expect(ranIn(await run(workflow, { body: { list: [1, 2, 3] } }))).toContain('after');
    expect(ranIn(await run(workflow, { body: { list: [1, 2, -1, -1] } }))).not.toContain('after');
  });

  it.each([
    ['nothing leads back to', [], 'what a loop returns that nothing leads back to'],
    [
      'several ways lead back to at once',
      ['Each > Loop', 'Other > Loop'],
      'what a loop returns whose body leads back by several ways at once',
    ],
  ])('make a stub of what comes after a loop that %s', async (_what, back, reason) => {
    const workflow = await imported(
      [START, ITEMS, node('Loop', 'splitInBatches', {}), set('Each', 1), set('Other', 2), set('After', 3)],
      connect('Start > Items', 'Items > Loop', 'Loop:1 > Each', 'Loop:1 > Other', ...back, 'Loop > After'),
    );
    expect(messages(workflow, 'After')).toEqual([reason]);
  });
});

it('leaves out a way from outside into the body of a loop, and says so', async () => {
  const workflow = await imported(
    [START, ITEMS, node('Loop', 'splitInBatches', {}), set('In', 1), set('Out', 2)],
    connect('Start > Items', 'Items > Loop', 'Loop:1 > In', 'In > Loop', 'Start > Out', 'Out > In'),
  );
  expect(workflow.remarks).toEqual([]);
  expect(messages(workflow, 'In')).toEqual(['"Out" leads to it from outside the body of its loop, which is left out']);
  expect(messages(workflow, 'Out')).toEqual(['its way to "In" is left out, because it leads into the body of a loop']);
});

it('runs a node after whichever trigger started the run', async () => {
  const schedule = node('Every hour', 'scheduleTrigger', { rule: { interval: [{ field: 'hours' }] } });
  const workflow = await imported(
    [START, schedule, set('Config', 'a'), set('Use', '={{ $json.value }}')],
    connect('Start > Config', 'Every hour > Config', 'Config > Use'),
  );
  expect(workflow.notes.map(({ level }) => level)).toEqual(['converted', 'review', 'converted', 'converted']);
  expect(ranIn(await run(workflow, {}, 'start'))).toEqual(['config', 'start', 'use']);
  expect(ranIn(await run(workflow, {}, 'every_hour'))).toEqual(['config', 'every_hour', 'use']);
});

describe('a script', () => {
  const imports = async (jsCode: string, parameters: object = {}) =>
    imported(
      [START, ITEMS, node('Script', 'code', { jsCode, ...parameters })],
      connect('Start > Items', 'Items > Script'),
    );

  it.each([
    ['an environment', 'return [{ json: { a: $env.HOME } }];', 'the script uses "$env"'],
    ['dates of Luxon', 'return [{ json: { a: $now.toISO() } }];', 'the script uses "$now"'],
    ['modules', "const fs = require('fs'); return items;", 'the script uses "require"'],
    ['files', 'return items.map(({ binary }) => ({ json: {} }));', 'the script uses "binary"'],
    ['variables that nothing declares', 'return [{ json: { a: nowhere } }];', 'the script uses "nowhere"'],
    ['other parts of the run', 'return [{ json: { a: $execution.mode } }];', 'the script uses "$execution.mode"'],
    [
      'a node whose name is computed',
      "const a = 'Start'; return $(a).all();",
      'the script computes the name of a node',
    ],
    ['`this`', 'return this.helpers.prepare(items);', 'the script uses "this"'],
    ['another language', 'return items where x;', expect.stringContaining('the script is not JavaScript')],
  ])('is a stub if it uses %s', async (_what, jsCode, message) => {
    expect(messages(await imports(jsCode), 'Script')).toEqual([message]);
  });

  it('is a stub if it uses the item of another list that belongs to the current one', async () => {
    const jsCode = "return { json: $('Items').item.json };";
    const script = node('Script', 'code', { jsCode, mode: 'runOnceForEachItem' });
    const workflow = await imported(
      [START, ITEMS, node('Last', 'limit', { keep: 'lastItems' }), script],
      connect('Start > Items', 'Items > Last', 'Last > Script'),
    );
    expect(messages(workflow, 'Script')).toEqual([
      'the script uses the item of "Items" that belongs to the current one',
    ]);
  });

  it('is converted if comments, texts and properties have such names', async () => {
    const jsCode =
      '// process this.$env\nreturn items.map((each) => ({ json: { require: each.json.process, t: "$now" } }));';
    expect(messages(await imports(jsCode), 'Script')).toEqual([]);
  });

  it('is in the notes if it uses local time', async () => {
    expect(messages(await imports('return [{ json: { hour: new Date().getHours() } }];'), 'Script')).toEqual([
      'the script uses local time, which is UTC here, and the time zone of the instance in n8n',
    ]);
  });
});

describe('10,000 items', () => {
  const MANY = node('Many', 'code', {
    jsCode: 'return Array.from({ length: 10000 }, (_, n) => ({ json: { n, lines: [n], text: `text ${n}` } }));',
  });
  const five = ['a', 'b', 'c', 'd', 'e'].map((name) => ({
    name,
    value: '={{ $json.text + $json.n }}',
    type: 'string',
  }));

  it('pass through every node that works on lists', async () => {
    const workflow = await imported(
      [
        START,
        MANY,
        node('Fields', 'set', { assignments: { assignments: five }, includeOtherFields: true }),
        node('Positive', 'filter', isPositive),
        node('Lines', 'splitOut', { fieldToSplitOut: 'lines', include: 'allOtherFields' }),
        node('Both', 'merge', { mode: 'combine', fieldsToMatchString: 'n' }),
        node('Names', 'aggregate', { fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: 'a' }] } }),
        set('Count', '={{ $json.a.length }}'),
      ],
      connect(
        'Start > Many',
        'Many > Fields',
        'Fields > Positive',
        'Positive > Lines',
        'Lines > Both',
        'Fields > Both:1',
        'Both > Names',
        'Names > Count',
      ),
    );
    const { ending, last } = await run(workflow, {});
    expect(ending).toMatchObject({ kind: 'success' });
    expect([...last.values()].find(({ nodeId }) => nodeId === 'count')?.output).toEqual({ value: 9_999 });
  });

  it('are too many for a long expression, which the notes say', async () => {
    const workflow = await imported(
      [START, MANY, set('Dates', '={{ DateTime.fromMillis($json.n).plus({ days: $json.n }).toFormat("yyyy") }}')],
      connect('Start > Many', 'Many > Dates'),
    );
    expect(messages(workflow, 'Dates')).toContainEqual(
      expect.stringMatching(/^lists of more than about \d+ items fail/),
    );
  });
});

it.each([
  ['httpRequest', { url: 'https://example.com' }, 'http'],
  ['executeWorkflow', { workflowId: 'abc', mode: 'each' }, 'workflow'],
])('tries again what has effects, also for each item of a list: %s', async (type, parameters, ours) => {
  const tried = node('Try', type, parameters, { retryOnFail: true, maxTries: 4 });
  const retries = async (nodes: object[], ...connections: string[]) => {
    const workflow = await imported([START, ...nodes], connect(...connections));
    const differs = messages(workflow, 'Try')?.some((each) => each.includes('tried again')) === true;
    return [differs, workflow.definition.nodes.flatMap((each) => (each.retry ? [[each.type, each.retry]] : []))];
  };
  const retry = { maxAttempts: 4, delayMs: 1_000, factor: 1 };
  expect(await retries([tried], 'Start > Try')).toEqual([false, [[ours, retry]]]);
  expect(await retries([ITEMS, tried], 'Start > Items', 'Items > Try')).toEqual([true, [[ours, retry]]]);
});

describe('other workflows', () => {
  const call = (parameters: object) =>
    node('Call', 'executeWorkflow', { workflowId: { value: 'abc', cachedResultName: 'Send it!' }, ...parameters });

  it('are started with the item and its fields, and return items', async () => {
    const workflow = await imported(
      [
        START,
        call({ workflowInputs: { mappingMode: 'defineBelow', value: { b: '={{ $json.a + 1 }}' } } }),
        set('After', '={{ $json.c }}'),
      ],
      connect('Start > Call', 'Call > After'),
    );
    expect(messages(workflow, 'Call')).toEqual([
      'import "Send it!", too, and save its id as the variable workflow_send_it',
      'the other workflow has to end in a Terminal node whose body is a list of items, as its import does',
    ]);
    expect(workflow.definition.nodes[1]).toMatchObject({
      type: 'workflow',
      parameters: {
        workflowId: '{{ $vars.workflow_send_it }}',
        input: '{{ { ...$nodes.start.output, "b": ($nodes.start.output?.a + 1) } }}',
      },
    });
  });

  it.each([
    ['are in another script', '注文処理', '在庫確認'],
    ['have letters of another script', '注文 A', '在庫 A'],
    ['begin with the same 40 letters', `${'a'.repeat(40)}b`, `${'a'.repeat(40)}c`],
    ['differ in signs alone', 'Send mail', 'send-mail'],
    ['are the same', 'Send mail', 'Send mail'],
  ])('have a variable each, where their names %s', async (_how, one, other) => {
    const of = (id: string, value: string, name: string) =>
      node(id, 'executeWorkflow', { workflowId: { value, cachedResultName: name } });
    const workflow = await imported(
      [START, of('A', 'id1', one), of('B', 'id2', other), of('Again', 'id1', one)],
      connect('Start > A', 'Start > B', 'Start > Again'),
    );
    const variables = workflow.definition.nodes.slice(1).map(({ parameters }) => parameters?.workflowId);
    expect(variables[2]).toBe(variables[0]);
    expect(new Set(variables).size).toBe(2);
    for (const each of variables) expect(each).toMatch(/^\{\{ \$vars\.[a-z_][a-z0-9_]{0,63} \}\}$/);
  });

  it('are started once for each item of a list', async () => {
    const workflow = await imported(
      [START, ITEMS, call({ mode: 'each' }), set('After', '={{ $json.c }}')],
      connect('Start > Items', 'Items > Call', 'Call > After'),
    );
    expect(workflow.notes.map(({ level }) => level)).toEqual(['converted', 'converted', 'review', 'converted']);
    const all = await imported([START, ITEMS, call({})], connect('Start > Items', 'Items > Call'));
    expect(messages(all, 'Call')).toEqual(['it starts one run with all items, here a run has one']);
  });

  it('return the items of their last node', async () => {
    const workflow = await imported([node('Called', 'executeWorkflowTrigger'), ITEMS], connect('Called > Items'));
    const { ending } = await run(workflow, { body: { list: [1, 2] } });
    expect(ending).toMatchObject({ kind: 'success', result: { body: [{ n: 1 }, { n: 2 }] } });
  });

  it.each([
    ['Called', 'executeWorkflowTrigger'],
    ['Failed', 'errorTrigger'],
  ])('begin at the trigger for them, also when it is not the first: %s', async (name, type) => {
    const workflow = await imported(
      [node('Failed too', 'noOp'), START, set('Tried', 1), node(name, type), set('Ran', 2)],
      connect('Start > Tried', `${name} > Ran`),
    );
    expect(workflow.definition.nodes[0]).toMatchObject({ type: 'trigger.manual', name });
    expect(ranIn(await run(workflow, { error: { message: 'no' } }))).toContain('ran');
    const note = `of the triggers, starts that name none begin at "${name}", so all by other workflows and of error workflows`;
    expect(messages(workflow, 'Start')).toEqual([note]);
    expect(messages(workflow, name)).toContain(note);
    expect(workflow.notes.find((each) => each.node === 'Start')?.level).toBe('review');
  });

  it('begin at the trigger for them, and not at one that is disabled', async () => {
    const off = node('Off', 'executeWorkflowTrigger', {}, { disabled: true });
    const workflow = await imported([off, node('Called', 'executeWorkflowTrigger')], {});
    expect(workflow.definition.nodes[0]).toMatchObject({ name: 'Called' });
  });

  it('are told of errors as in n8n', async () => {
    const workflow = await imported(
      [node('Failed', 'errorTrigger'), set('Text', '={{ $json.workflow.name }}: {{ $json.execution.error.message }}')],
      connect('Failed > Text'),
    );
    const report = {
      executionId: 'e',
      workflowId: 'w',
      workflowName: 'Orders',
      error: { message: 'no' },
      failedNodeId: 'n',
    };
    const { last } = await run(workflow, report);
    expect([...last.values()].find(({ nodeId }) => nodeId === 'text')?.output).toEqual({ value: 'Orders: no' });
  });
});
