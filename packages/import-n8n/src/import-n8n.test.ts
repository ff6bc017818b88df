import { type JsonValue, parseJson } from '@deckhand/contracts';
import { compileWorkflow, type NodeTypes } from '@deckhand/engine';
import { compileTemplate } from '@deckhand/engine/expressions';
import { createScriptRunner, loadNodeTypes } from '@deckhand/nodes';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runInMemory } from '../../../tests/harness/engine.ts';
import { connect, importJson, node, START } from '../../../tests/harness/import-n8n.ts';
import { type ImportedWorkflow, NotAWorkflowError } from './index.ts';

let nodeTypes: NodeTypes;
const code = createScriptRunner();
beforeAll(async () => {
  nodeTypes = await loadNodeTypes();
});
afterAll(() => code.close());

const assign = (fields: Record<string, JsonValue>, type = 'any', includeOtherFields = false) => ({
  assignments: { assignments: Object.entries(fields).map(([name, value]) => ({ name, value, type })) },
  includeOtherFields,
});
const when = (leftValue: string, operation: string, rightValue: JsonValue = '', type = 'number') => ({
  conditions: {
    combinator: 'and',
    options: { caseSensitive: true },
    conditions: [{ leftValue, rightValue, operator: { type, operation } }],
  },
});

async function imported(nodes: object[], connections: object, rest: object = {}): Promise<ImportedWorkflow> {
  const json = { name: 'Test', nodes, connections, settings: { executionOrder: 'v1' }, ...rest };
  return importJson(parseJson(JSON.stringify(json)), nodeTypes);
}

const levels = ({ notes }: ImportedWorkflow) => Object.fromEntries(notes.map(({ node: name, level }) => [name, level]));

/** Runs what was imported. @returns the outputs by the id of the node, or why the run failed. */
async function outputs(workflow: ImportedWorkflow, trigger: JsonValue = {}, http: JsonValue = {}): Promise<object> {
  const response = { status: 200, headers: { 'content-type': 'application/json' }, setCookies: [] };
  const body = Buffer.from(JSON.stringify(http));
  const services = { code, http: { request: () => Promise.resolve({ ...response, body }) } };
  const { ending, last } = await runInMemory(workflow.definition, { trigger, services });
  if (ending.kind !== 'success') return { ending };
  return Object.fromEntries(
    [...last.values()].flatMap(({ nodeId, iteration, output }) => (iteration === '' ? [[nodeId, output]] : [])),
  );
}

describe('one item', () => {
  it('goes through sets and conditions as in n8n', async () => {
    const workflow = await imported(
      [
        START,
        node(
          'Price',
          'set',
          assign({ total: '={{ $json.amount * 2 }}', text: '=Hello {{ $json.name }}!', deep: '={{ $json.a.b }}' }),
        ),
        node('Is big', 'if', when('={{ $json.total }}', 'gt', 100)),
        node('Big', 'set', assign({ size: 'big' }, 'string', true)),
        node('Small', 'set', assign({ size: 'small' }, 'string', true)),
        node(
          'After',
          'set',
          assign({
            all: "={{ $json.size + ' ' + $('Price').item.json.total }}",
            old: '={{ $node["Start"].json.name }}',
          }),
        ),
      ],
      connect('Start > Price', 'Price > Is big', 'Is big > Big', 'Is big:1 > Small', 'Big > After', 'Small > After'),
    );
    expect(levels(workflow)).toEqual({
      Start: 'converted',
      Price: 'converted',
      'Is big': 'converted',
      Big: 'converted',
      Small: 'converted',
      After: 'converted',
    });
    expect(await outputs(workflow, { amount: 60, name: 'Ada' })).toMatchObject({
      price: { total: 120, text: 'Hello Ada!', deep: null },
      big: { item: { total: 120, size: 'big' } },
      after: { all: 'big 120', old: 'Ada' },
    });
    expect(await outputs(workflow, { amount: 6, name: 'Ada' })).toMatchObject({ after: { all: 'small 12' } });
  });

  it('chooses an output of a switch by the first rule that it meets', async () => {
    const rules = {
      rules: { values: [when('={{ $json.n }}', 'lt', 10), when('={{ $json.n }}', 'lt', 100)] },
      options: { fallbackOutput: 'extra' },
    };
    const workflow = await imported(
      [
        START,
        node('Route', 'switch', rules),
        node('Tens', 'set', assign({ a: 1 })),
        node('Rest', 'set', assign({ a: 2 })),
      ],
      connect('Start > Route', 'Route:1 > Tens', 'Route:2 > Rest'),
    );
    expect(await outputs(workflow, { n: 50 })).toMatchObject({ tens: { a: 1 } });
    expect(await outputs(workflow, { n: 500 })).toMatchObject({ rest: { a: 2 } });
  });

  it.each<[string, JsonValue]>([
    ["={{ DateTime.fromISO($json.at).plus({ days: 1, hours: 2 }).toFormat('dd.MM.yyyy HH:mm') }}", '01.03.2026 14:00'],
    ["={{ $json.at.toDateTime().minus(1, 'months').toISO() }}", '2026-01-28T12:00:00.000Z'],
    ['={{ new Date($json.at).getTime() }}', 1_772_280_000_000],
    ["={{ DateTime.fromISO('2026-03-02').diff(DateTime.fromISO($json.at), 'days').days }}", 1.5],
    ['={{ $json.list.map(x => x.a).join("-") }}', '1-2'],
    ['={{ $json.list[0]["a"] ?? 7 }}', 1],
    ['={{ $json.none.of.these }}', null],
    ['={{ $json["list"].filter((x) => x.a > 1).length }}', 1],
    ['={{ $if($json.list.length > 1, "many", "one") }}', 'many'],
    ['={{ { a: { b: $json.list.length } } }}', { a: { b: 2 } }],
    ['={{ $input.item.json.at.slice(0, 4) }}', '2026'],
    ["={{ $('Start').first().json.list[1].a }}", 2],
    ['={{ $input.all().length }}', 1],
    ['={{ $itemIndex }}', 0],
    ['={{ $workflow.name }}', 'Test'],
    ['={{ `${$json.list.length} items` }}', '2 items'],
    ['={{ $json.at.match(/\\d+/)[0] }}', '2026'],
    ['plain {{ text }}', 'plain {{ text }}'],
  ])('has the value of %s', async (value, expected) => {
    const workflow = await imported([START, node('Value', 'set', assign({ value }))], connect('Start > Value'), {
      settings: { timezone: 'UTC' },
    });
    expect(levels(workflow)).toMatchObject({ Value: expect.stringMatching('converted|review') });
    const found = await outputs(workflow, { at: '2026-02-28T12:00:00Z', list: [{ a: 1 }, { a: 2 }] });
    expect(found).toMatchObject({ value: { value: expected } });
  });

  it('is requested, and a response that is a list fails instead of becoming one item', async () => {
    const workflow = await imported(
      [
        START,
        node('Get', 'httpRequest', { url: '=https://example.com/{{ $json.id }}' }),
        node('Name', 'set', assign({ name: '={{ $json.name }}' })),
      ],
      connect('Start > Get', 'Get > Name'),
    );
    expect(levels(workflow)).toMatchObject({ Get: 'review' });
    expect(await outputs(workflow, { id: 1 }, { name: 'Ada' })).toMatchObject({ name: { name: 'Ada' } });
    expect(JSON.stringify(await outputs(workflow, { id: 1 }, [1]))).toContain('The response is a list');
  });
});

it.each<[string, JsonValue]>([
  ['(-$json.n).toFixed(2)', '-1.50'],
  ['(typeof $json.n).toUpperCase()', 'NUMBER'],
  ['(!$json.n).toString()', 'false'],
  ['(-$json.n) ** 2', 2.25],
  ['- -$json.n', 1.5],
  ['!$json.n.toString()', false],
  ['$json.t.isNotEmpty().toString()', 'true'],
])('binds what is before a value as JavaScript does: %s', async (expression, value) => {
  const nodes = [START, node('Set', 'set', assign({ value: `={{ ${expression} }}` }))];
  const workflow = await imported(nodes, connect('Start > Set'));
  expect(await outputs(workflow, { n: 1.5, t: 'a' })).toMatchObject({ set: { value } });
});

describe('a list of items', () => {
  const ITEMS = node('Items', 'code', { jsCode: 'return $input.first().json.list.map((n) => ({ json: { n } }));' });

  it('is mapped, filtered and split by nodes that n8n runs once per item', async () => {
    const workflow = await imported(
      [
        START,
        ITEMS,
        node('Double', 'set', assign({ twice: '={{ $json.n * 2 }}', at: '={{ $itemIndex }}' }, 'number', true)),
        node('Is odd', 'if', when('={{ $json.n % 2 }}', 'equals', 1)),
        node('Odd', 'code', { jsCode: 'return items;' }),
        node('Even', 'code', {
          mode: 'runOnceForEachItem',
          jsCode: "return { even: $json.n, of: $('Start').first().json.list.length };",
        }),
      ],
      connect('Start > Items', 'Items > Double', 'Double > Is odd', 'Is odd > Odd', 'Is odd:1 > Even'),
    );
    expect(levels(workflow)).toMatchObject({ Double: 'converted', Odd: 'converted' });
    expect(await outputs(workflow, { list: [1, 2, 3] })).toMatchObject({
      odd: [
        { n: 1, twice: 2, at: 0 },
        { n: 3, twice: 6, at: 2 },
      ],
      even: [{ even: 2, of: 3 }],
    });
    // As in n8n, a node without items does not run.
    expect(await outputs(workflow, { list: [2] })).toMatchObject({ odd: undefined, even: [{ even: 2, of: 1 }] });
  });

  it('has functions whose parameters have names that are used around them', async () => {
    const fields = {
      item: '={{ [1].map(item => item + $json.n).join() }}',
      index: '={{ [5].map((index, item_) => index + $itemIndex + item_).join() }}',
      date: '={{ [$json.n].map(date => date + 1).join() }}',
      both: '={{ [10].map(item => [1].map(item_ => item + item_).join()).join() }}',
      shadow: '={{ [[1, 2]].map(x => x.map(x => x * 2).concat(x)).flat().join() }}',
    };
    const workflow = await imported(
      [START, ITEMS, node('Value', 'set', assign(fields))],
      connect('Start > Items', 'Items > Value'),
    );
    expect(levels(workflow)).toMatchObject({ Value: 'converted' });
    expect(await outputs(workflow, { list: [1, 2] })).toMatchObject({
      value: [
        { item: '2', index: '5', date: '2', both: '11', shadow: '2,4,1,2' },
        { item: '3', index: '6', date: '3', both: '11', shadow: '2,4,1,2' },
      ],
    });
  });

  it('is requested item by item', async () => {
    const workflow = await imported(
      [
        START,
        ITEMS,
        node('Get', 'httpRequest', { url: '=https://example.com/{{ $json.n }}' }),
        node('Last', 'limit', { maxItems: 1, keep: 'lastItems' }),
      ],
      connect('Start > Items', 'Items > Get', 'Get > Last'),
    );
    expect(await outputs(workflow, { list: [1, 2] }, { ok: true })).toMatchObject({
      get: [{ ok: true }, { ok: true }],
      last: { items: [{ ok: true }] },
    });
  });

  it('goes through a loop, one by one or in batches, and what the loop returned goes on', async () => {
    for (const [batchSize, expected] of [
      [1, [{ n: 10 }, { n: 20 }, { n: 30 }]],
      [2, [{ n: 10 }, { n: 20 }, { n: 30 }]],
    ] as const) {
      const workflow = await imported(
        [
          START,
          ITEMS,
          node('Loop', 'splitInBatches', { batchSize }),
          node('Ten', 'set', assign({ n: '={{ $json.n * 10 }}' }, 'number')),
          node('All', 'code', { jsCode: 'return $input.all();' }),
        ],
        connect('Start > Items', 'Items > Loop', 'Loop:1 > Ten', 'Ten > Loop', 'Loop > All'),
      );
      expect(workflow.notes.filter(({ level }) => level === 'manual')).toEqual([]);
      expect(await outputs(workflow, { list: [1, 2, 3] })).toMatchObject({ all: expected });
    }
  });

  it('is joined by merges', async () => {
    const other = node('Other', 'code', { jsCode: 'return [{ json: { m: 1 } }, { json: { m: 2 } }];' });
    const merged = (parameters: object) =>
      imported(
        [START, ITEMS, other, node('Merge', 'merge', parameters)],
        connect('Start > Items', 'Start > Other', 'Items > Merge', 'Other > Merge:1'),
      );
    expect(await outputs(await merged({ mode: 'append' }), { list: [5] })).toMatchObject({
      merge: [{ n: 5 }, { m: 1 }, { m: 2 }],
    });
    const byPosition = await merged({ mode: 'combine', combineBy: 'combineByPosition' });
    expect(await outputs(byPosition, { list: [5, 6, 7] })).toMatchObject({
      merge: [
        { n: 5, m: 1 },
        { n: 6, m: 2 },
      ],
    });
  });
});

describe('what starts a workflow', () => {
  it.each<[object, object]>([
    [{ field: 'minutes', minutesInterval: 15 }, { cron: '*/15 * * * *' }],
    [{ field: 'hours', hoursInterval: 6, triggerAtMinute: 5 }, { cron: '5 */6 * * *' }],
    [{ triggerAtHour: 9 }, { cron: '0 9 * * *' }],
    [{ field: 'weeks', triggerAtDay: [1, 5], triggerAtHour: 7, triggerAtMinute: 30 }, { cron: '30 7 * * 1,5' }],
    [
      { field: 'cronExpression', expression: '0 0 1 * *' },
      { cron: '0 0 1 * *', timezone: 'Europe/Berlin' },
    ],
  ])('is a schedule: %j', async (rule, expected) => {
    const workflow = await imported(
      [node('When', 'scheduleTrigger', { rule: { interval: [rule] } })],
      {},
      { settings: { timezone: 'Europe/Berlin' } },
    );
    expect(workflow.definition.nodes).toMatchObject([{ type: 'trigger.schedule', parameters: expected }]);
  });

  it('is a webhook, which responds as in n8n', async () => {
    const workflow = await imported(
      [
        node('Hook', 'webhook', { httpMethod: 'POST', path: 'orders', responseMode: 'responseNode' }),
        node('Reply', 'respondToWebhook', {
          respondWith: 'json',
          responseBody: '={{ { "got": $json.body.id } }}',
          options: { responseCode: 201 },
        }),
      ],
      connect('Hook > Reply'),
    );
    expect(workflow.definition.nodes).toMatchObject([
      { type: 'trigger.webhook', parameters: { method: 'POST', responseMode: 'onCompletion' } },
      { type: 'terminal', parameters: { statusCode: 201 } },
    ]);
    const last = await imported(
      [node('Hook', 'webhook', { responseMode: 'lastNode' }), node('End', 'set', assign({ ok: true }))],
      connect('Hook > End'),
    );
    expect(last.definition.nodes.at(-1)).toMatchObject({
      type: 'terminal',
      parameters: { body: '{{ $nodes.end.output }}' },
    });
  });
});

describe('what has no equivalent', () => {
  it('is a stub that fails and carries the original, and is reported', async () => {
    const send = node(
      'Tell',
      'telegram',
      { text: '={{ $json.a }}' },
      { credentials: { telegramApi: { name: 'Bot' } } },
    );
    const workflow = await imported(
      [START, send, node('After', 'set', assign({ a: 1 }))],
      connect('Start > Tell', 'Tell > After'),
    );
    expect(workflow.notes[1]).toMatchObject({
      node: 'Tell',
      level: 'manual',
      nodeIds: ['tell'],
      messages: [expect.stringContaining('no such node')],
    });
    const [, stub] = workflow.definition.nodes;
    expect(stub).toMatchObject({
      id: 'tell',
      type: 'code',
      parameters: { source: expect.stringContaining('"telegramApi"') },
    });
    expect(JSON.stringify(await outputs(workflow))).toContain('is not converted');
  });

  it.each([
    ['an unknown variable', '={{ $env.HOME }}'],
    ['an unknown method', '={{ $json.text.toTitleCase() }}'],
    ['a statement', '={{ const a = 1; a }}'],
    ['a token of formats', "={{ $now.toFormat('WW') }}"],
    ['a node that runs later or not at all', "={{ $('Nowhere').item.json.a }}"],
  ])('is found in expressions: %s', async (_what, value) => {
    const workflow = await imported([START, node('Value', 'set', assign({ value }))], connect('Start > Value'));
    expect(levels(workflow)).toMatchObject({ Value: 'manual' });
    expect(workflow.definition.nodes.at(-1)).toMatchObject({ type: 'code' });
  });

  it.each(['a[0]', 'a.0', 'a.0.b'])('is a field in a list: %s', async (name) => {
    const workflow = await imported([START, node('Value', 'set', assign({ [name]: 1 }))], connect('Start > Value'));
    expect(levels(workflow)).toMatchObject({ Value: 'manual' });
  });

  it('is a join of branches that go back into a loop, which n8n runs once for each branch', async () => {
    const nodes = ['A', 'B', 'Join'].map((name) => node(name, 'set', assign({ name })));
    const workflow = await imported(
      [START, node('Loop', 'splitInBatches'), ...nodes],
      connect('Start > Loop', 'Loop:1 > A', 'Loop:1 > B', 'A > Join', 'B > Join', 'Join > Loop'),
    );
    expect(levels(workflow)).toMatchObject({ A: 'converted', B: 'converted', Join: 'manual' });
  });

  it('is an agent with its models and tools, which its stub carries', async () => {
    const model = { ...node('Model', 'x'), type: '@n8n/n8n-nodes-langchain.lmChatOpenAi' };
    const agent = { ...node('Agent', 'x'), type: '@n8n/n8n-nodes-langchain.agent' };
    const connections = {
      ...connect('Start > Agent'),
      Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
    };
    const workflow = await imported([START, model, agent], connections);
    expect(levels(workflow)).toEqual({ Start: 'converted', Model: 'manual', Agent: 'manual' });
    expect(JSON.stringify(workflow.definition.nodes.at(-1))).toContain('lmChatOpenAi');
  });

  it('is a definition with issues, whose nodes become stubs', async () => {
    const workflow = await imported(
      [START, node('Bad', 'stopAndError', { errorMessage: 'x'.repeat(100_000) })],
      connect('Start > Bad'),
    );
    const compiled = compileWorkflow(workflow.definition, nodeTypes);
    expect('issues' in compiled ? compiled.issues : []).toEqual([]);
  });

  const renamed = { ...when('={{ $json.n }}', 'lt', 10), renameOutput: true, outputKey: 'Small' };
  it.each<[string, string, string, object]>([
    ['a dot that is a part of a name', 'manual', 'set', { ...assign({ 'a.b': 1 }), options: { dotNotation: false } }],
    ['an option of Set', 'review', 'set', { ...assign({ a: 1 }), options: { ignoreConversionErrors: true } }],
    ['copies of an item', 'review', 'set', { ...assign({ a: 1 }), duplicateItem: true }],
    ['a client certificate', 'manual', 'httpRequest', { url: 'https://example.com', provideSslCertificates: true }],
    [
      'a field for the response',
      'manual',
      'httpRequest',
      { url: 'https://example.com', options: { response: { response: { outputPropertyName: 'page' } } } },
    ],
    ['a list of addresses that may call', 'manual', 'webhook', { path: 'a', options: { ipWhitelist: '10.0.0.1' } }],
    ['the response with all items', 'review', 'webhook', { responseMode: 'lastNode', responseData: 'allEntries' }],
    ['the names of outputs', 'review', 'switch', { rules: { values: [renamed] } }],
    [
      'the name of the last output',
      'review',
      'switch',
      { rules: { values: [when('={{ $json.n }}', 'lt', 1)] }, options: { renameFallbackOutput: 'Else' } },
    ],
    ['an option of If', 'review', 'if', { options: { unknown: true } }],
    ['the inputs of a workflow', 'review', 'executeWorkflowTrigger', { workflowInputs: { values: [{ name: 'a' }] } }],
  ])('is in the report: %s', async (_what, level, type, parameters) => {
    const workflow = await imported([START, node('Node', type, parameters)], connect('Start > Node'));
    const { notes } = workflow;
    expect(notes[1]).toMatchObject({ level });
    const named =
      /dotNotation|ignoreConversion|copies|provideSsl|page|ipWhitelist|allEntries|Small|renameFallback|unknown|inputs/;
    expect(notes[1]?.messages.join()).toMatch(named);
  });

  it('ignores case where the conditions do; the option of the node is for the editor of n8n', async () => {
    const { conditions } = when('={{ $json.n }}', 'equals', 'A', 'string');
    const ignoring = { conditions: { ...conditions, options: { caseSensitive: false } } };
    const workflow = await imported(
      [START, node('Is A', 'if', ignoring), node('Not', 'if', { conditions, options: { ignoreCase: true } })],
      connect('Start > Is A', 'Start > Not'),
    );
    expect(workflow.definition.nodes.map(({ parameters }) => parameters?.condition)).toEqual([
      undefined,
      `{{ check.string($nodes.start.output?.n, 'equals', "A", 'ignoreCase') }}`,
      `{{ check.string($nodes.start.output?.n, 'equals', "A") }}`,
    ]);
  });

  it('passes the input of a node that is disabled through its first output', async () => {
    const choice = node('Choice', 'if', when('={{ $json.n }}', 'gt', 5), { disabled: true });
    const workflow = await imported(
      [START, choice, node('Yes', 'set', assign({ a: '={{ $json.n }}' })), node('No', 'set', assign({ a: 2 }))],
      connect('Start > Choice', 'Choice > Yes', 'Choice:1 > No'),
    );
    expect(workflow.notes[1]).toMatchObject({
      level: 'review',
      messages: ['it is disabled, and an empty node here: its parameters are left out'],
    });
    expect(await outputs(workflow, { n: 1 })).toMatchObject({ yes: { a: 1 }, no: undefined });
  });

  it('passes the input of a node that is disabled on, although it cannot be converted', async () => {
    const tell = node('Tell', 'telegram', {}, { disabled: true });
    const workflow = await imported(
      [START, tell, node('After', 'set', assign({ a: '={{ $json.n }}' }))],
      connect('Start > Tell', 'Tell > After'),
    );
    expect(workflow.notes.map(({ level }) => level)).toEqual(['converted', 'manual', 'converted']);
    expect(workflow.definition.nodes).toContainEqual(expect.objectContaining({ id: 'tell', disabled: true }));
    expect(await outputs(workflow, { n: 1 })).toMatchObject({ after: { a: 1 } });
  });

  it.each([
    ['append', 'converted'],
    ['no such mode', 'manual'],
  ])('ends a run at a join that is disabled, if its first branch was not taken: %s', async (mode, level) => {
    const workflow = await imported(
      [
        ...[START, node('Choice', 'if', when('={{ $json.n }}', 'gt', 5)), node('Yes', 'noOp'), node('No', 'noOp')],
        ...[node('Join', 'merge', { mode }, { disabled: true }), node('After', 'set', assign({ a: 1 }))],
      ],
      connect('Start > Choice', 'Choice > Yes', 'Choice:1 > No', 'Yes > Join', 'No > Join:1', 'Join > After'),
    );
    expect(workflow.notes.find((note) => note.node === 'Join')?.level).toBe(level);
    expect(await outputs(workflow, { n: 9 })).toMatchObject({ after: [{ a: 1 }] });
    expect(await outputs(workflow, { n: 1 })).toMatchObject({ after: undefined });
  });

  it('sends bodies whose names are expressions, without fields that are missing', async () => {
    const values = [
      { name: '={{ $json.name }}', value: '=Hello {{ $json.list }}' },
      { name: 'none', value: '={{ $json.missing }}' },
    ];
    const request = {
      method: 'POST',
      url: 'https://example.com',
      sendBody: true,
      bodyParameters: { parameters: values },
    };
    const workflow = await imported([START, node('Send', 'httpRequest', request)], connect('Start > Send'));
    const { body } = workflow.definition.nodes[1]?.parameters ?? {};
    const evaluated = compileTemplate(typeof body === 'string' ? body : '');
    if (!('template' in evaluated)) throw new Error('the body cannot be compiled');
    const scope = { trigger: {}, input: {}, vars: {}, execution: { id: 'e', mode: 'live' }, now: () => '' };
    const output = { name: 'greeting', list: [1, 2] };
    expect(evaluated.template.evaluate({ ...scope, node: () => output })).toEqual({ greeting: 'Hello 1,2' });
  });

  it.each([
    [{ respondWith: 'text', responseBody: '<p>Hi</p>' }, '<p>Hi</p>', 'text/html; charset=utf-8'],
    [{ respondWith: 'text', responseBody: '={{ $json.n }}' }, 1, 'application/json; charset=utf-8'],
    [{ respondWith: 'noData' }, '', 'application/json; charset=utf-8'],
    [{ respondWith: 'json', responseBody: '={{ $json.text }}' }, { a: 1 }, undefined],
    [{ respondWith: 'json', responseBody: '={ "n": {{ $json.n }} }' }, { n: 1 }, undefined],
    [{ respondWith: 'json' }, { myField: 'value' }, undefined],
  ])('responds as n8n does: %j', async (parameters, body, contentType) => {
    const workflow = await imported(
      [START, node('Respond', 'respondToWebhook', parameters)],
      connect('Start > Respond'),
    );
    const { ending } = await runInMemory(workflow.definition, { trigger: { n: 1, text: '{"a":1}' } });
    const headers = contentType === undefined ? {} : { 'content-type': contentType };
    expect(ending).toMatchObject({ kind: 'success', result: { body, headers, statusCode: 200 } });
  });

  it('loses nothing: every node has a note, and so have notes, pins and settings', async () => {
    const sticky = {
      ...node('Note', 'stickyNote', { content: 'Read me', color: 5, width: 380, height: 20 }),
      position: [-40, 300],
    };
    const long = node('Long', 'stickyNote', { content: `${'a'.repeat(4_000)} and the rest` });
    const workflow = await imported(
      [START, sticky, long],
      {},
      { pinData: { Start: [] }, settings: { errorWorkflow: 'x', saveManualExecutions: true } },
    );
    expect(levels(workflow)).toEqual({ Start: 'converted', Note: 'converted', Long: 'review' });
    expect(workflow.definition.notes?.[0]).toEqual({
      id: 'note1',
      text: 'Read me',
      position: { x: -40, y: 300 },
      width: 380,
      height: 40,
      color: 'blue',
    });
    expect(workflow.definition.notes?.[1]?.text).toBe('a'.repeat(4_000));
    expect(JSON.stringify(workflow.notes)).toContain('and the rest');
    expect('workflow' in compileWorkflow(workflow.definition, nodeTypes)).toBe(true);
    expect(workflow.remarks.join(' ')).toMatch(/error workflow.*pinned data of Start.*saveManualExecutions/s);
  });
});

const NO_WORKFLOWS = [null, [], {}, { nodes: [1] }, { nodes: [{ name: 'a' }] }, { nodes: [START, START] }];
it.each(NO_WORKFLOWS.map((json) => [JSON.stringify(json)]))(
  'refuses what is not a workflow of n8n: %s',
  async (json) => {
    await expect(importJson(parseJson(json), nodeTypes)).rejects.toThrow(NotAWorkflowError);
  },
);
