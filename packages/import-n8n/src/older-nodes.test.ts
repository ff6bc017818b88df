import { compileWorkflow, type NodeTypes } from '@deckhand/engine';
import { loadNodeTypes } from '@deckhand/nodes';
import { parseJson } from '@deckhand/contracts';
import { beforeAll, expect, it } from '@jest/globals';
import { connect, importJson, node, START } from '../../../tests/harness/import-n8n.ts';
import type { ImportedWorkflow } from './index.ts';

let nodeTypes: NodeTypes;
beforeAll(async () => {
  nodeTypes = await loadNodeTypes();
});

const imported = (nodes: readonly object[], connections: object = {}): Promise<ImportedWorkflow> =>
  importJson(parseJson(JSON.stringify({ name: 'Older', nodes, connections })), nodeTypes);
const levels = ({ notes }: ImportedWorkflow) => Object.fromEntries(notes.map(({ node: name, level }) => [name, level]));
const parametersOf = ({ definition }: ImportedWorkflow, id: string) =>
  definition.nodes.find((each) => each.id === id)?.parameters;

it('reads requests of version 1', async () => {
  const request = {
    requestMethod: 'POST',
    url: '=https://example.com/{{ $json.id }}',
    authentication: 'headerAuth',
    queryParametersUi: { parameter: [{ name: 'page', value: '1' }] },
    headerParametersUi: { parameter: [{ name: 'x-a', value: '={{ $json.a }}' }] },
    bodyParametersUi: { parameter: [{ name: 'b', value: 'c' }] },
    options: { followRedirect: false, ignoreResponseCode: true },
  };
  const workflow = await imported(
    [START, node('Request', 'httpRequest', request, { typeVersion: 1 })],
    connect('Start > Request'),
  );
  expect(levels(workflow)).toEqual({ Start: 'converted', Request: 'review' });
  expect(JSON.stringify(workflow.notes)).toContain('choose a credential of the type header');
  expect(parametersOf(workflow, 'request')).toEqual({
    method: 'POST',
    url: "https://example.com/{{ String($nodes.start.output?.id ?? '') }}",
    query: { page: '1' },
    headers: { 'x-a': '{{ $nodes.start.output?.a }}' },
    body: { b: 'c' },
    followRedirects: false,
    acceptErrorStatus: true,
  });
});

it('reads bodies of version 1 that are JSON, and sends none with GET', async () => {
  const json = { jsonParameters: true, url: 'https://example.com', bodyParametersJson: '{ "a": [1] }' };
  const workflow = await imported(
    [
      START,
      node('Put', 'httpRequest', { ...json, requestMethod: 'PUT' }, { typeVersion: 2 }),
      node('Get', 'httpRequest', json, { typeVersion: 2 }),
      node('File', 'httpRequest', { url: 'https://example.com', responseFormat: 'file' }, { typeVersion: 1 }),
    ],
    connect('Start > Put', 'Start > Get', 'Start > File'),
  );
  expect(parametersOf(workflow, 'put')).toMatchObject({ method: 'PUT', body: { a: [1] } });
  expect(parametersOf(workflow, 'get')).not.toHaveProperty('body');
  expect(levels(workflow)).toMatchObject({ File: 'manual' });
});

it.each([
  [{ mode: 'everyX', unit: 'minutes', value: 10 }, '*/10 * * * *'],
  [{ mode: 'everyX', unit: 'hours' }, '0 */2 * * *'],
  [{ mode: 'everyDay' }, '0 14 * * *'],
  [{ mode: 'everyWeek', hour: 8, weekday: '5' }, '0 8 * * 5'],
  [{ mode: 'everyMonth', hour: 7, minute: 30, dayOfMonth: 15 }, '30 7 15 * *'],
])('reads the rule of a Cron node: %j', async (rule, cron) => {
  const workflow = await imported([node('Cron', 'cron', { triggerTimes: { item: [rule] } })]);
  expect(parametersOf(workflow, 'cron')).toEqual({ cron, timezone: 'UTC' });
});

it('makes stubs of the nodes in a cycle, and converts those after it', async () => {
  const workflow = await imported(
    [START, ...['A', 'B', 'After', 'Alone'].map((name) => node(name, 'noOp'))],
    connect('Start > A', 'A > B', 'B > A', 'B > After'),
  );
  expect(levels(workflow)).toEqual({ Start: 'converted', A: 'manual', B: 'manual', After: 'review', Alone: 'review' });
  expect(workflow.notes.find(({ node: name }) => name === 'After')?.messages).toEqual([
    'the data of "B", which is a stub, is taken for one item',
  ]);
});

it('adds a trigger to a workflow that has none, so that it can be saved', async () => {
  const { definition } = await imported([node('A', 'noOp')]);
  expect(definition.nodes.map(({ type }) => type)).toEqual(['code', 'trigger.manual']);
  expect(definition.edges).toEqual([]);
  expect(compileWorkflow(definition, nodeTypes)).not.toHaveProperty('issues');
});

it('ignores parameters that the version of a node does not have, and reads versions that are text', async () => {
  const assignments = { assignments: [{ name: 'a', type: 'string', value: 'b' }] };
  const set = (typeVersion: unknown) => node('Set', 'set', { assignments }, { typeVersion });
  const fields = async (typeVersion: unknown) =>
    parametersOf(await imported([START, set(typeVersion)], connect('Start > Set')), 'set');
  expect(await fields(3.2)).not.toEqual(await fields(3.4));
  expect(await fields('3.4')).toEqual(await fields(3.4));
});

it('tells null from a missing value in a condition', async () => {
  const condition = {
    leftValue: '={{ $json.a }}',
    rightValue: null,
    operator: { type: 'number', operation: 'equals' },
  };
  const conditions = { options: { typeValidation: 'strict' }, combinator: 'and', conditions: [condition] };
  const workflow = await imported([START, node('If', 'if', { conditions })], connect('Start > If'));
  expect(parametersOf(workflow, 'if')).toEqual({ condition: expect.stringContaining(`.a, 'equals', null`) });
});

it.each(['toNumber', 'toJsonString'])('notes that %s() fails in n8n for a missing value', async (method) => {
  const assignments = { assignments: [{ name: 'a', type: 'string', value: `={{ $json.b.${method}() }}` }] };
  const workflow = await imported([START, node('Set', 'set', { assignments })], connect('Start > Set'));
  const note = workflow.notes.find(({ node: name }) => name === 'Set');
  expect([note?.level, note?.messages]).toEqual(['review', [expect.stringMatching(`^${method}\\(\\) fails in n8n`)]]);
});
