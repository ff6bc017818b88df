import { expect, it } from '@jest/globals';
import { loadNodeTypes } from '@deckhand/nodes';
import { parseOwnJson } from '@deckhand/contracts';
import { connect, importJson, node, START } from '../../../tests/harness/import-n8n.ts';
import { toKeptReport } from './kept-report.ts';

const keep = async (nodes: object[], connections: object) =>
  toKeptReport(await importJson(parseOwnJson(JSON.stringify({ nodes, connections })), await loadNodeTypes()));

it('keeps what people have to do, with the nodes that it concerns', async () => {
  const attached = { Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] } };
  const report = await keep([START, node('Tell', 'slack'), node('Agent', 'agent'), node('Model', 'lmChatOpenAi')], {
    ...connect('Start > Tell', 'Tell > Agent'),
    ...attached,
  });
  expect(report).toEqual({
    counts: { converted: 1, review: 0, manual: 3 },
    tasks: [
      { level: 'manual', message: expect.stringContaining('slack'), nodes: [{ name: 'Tell', nodeIds: ['tell'] }] },
      { level: 'manual', message: expect.stringContaining('models'), nodes: [{ name: 'Agent', nodeIds: ['agent'] }] },
    ],
    omittedTasks: 0,
    remarks: [expect.stringContaining('order of execution')],
  });
});

it('keeps no secret, wherever it stood in the export', async () => {
  const SECRET = 'sk-live-4f9a1b2c3d4e5f6a7b8c9d';
  const values = ['Bearer s3cret', SECRET, `={{ $jmespath(${JSON.stringify(SECRET)}) }}`, `={{ "${SECRET} }}`];
  const nodes = values.flatMap((value, index) => [
    node(`Url ${index}`, 'httpRequest', { url: value }),
    node(`Method ${index}`, 'httpRequest', { url: 'https://example.com', method: value }),
    node(`Field ${index}`, 'set', { mode: value }),
    node(`Retry ${index}`, 'noOp', {}, { retryOnFail: true, maxTries: value, notes: `key: ${value}` }),
    node(`Code ${index}`, 'code', { language: value, jsCode: value }),
    node(`Other ${index}`, 'slack', { token: value }, { credentials: { slackApi: { id: '1', name: 'Ours' } } }),
  ]);
  const report = await keep([START, ...nodes], connect(...nodes.map(({ name }) => `Start > ${name}`)));
  expect(report?.tasks.length).toBeGreaterThan(5);
  expect(JSON.stringify(report)).not.toMatch(/sk-live|s3cret/);
});

it('has a limited size, and counts what is left out', async () => {
  const nodes = Array.from({ length: 900 }, (_, n) =>
    node(`N${n}`, 'noOp', {}, { notes: `${n} ${'long '.repeat(400)}` }),
  );
  const report = await keep([START, ...nodes], connect(...nodes.map(({ name }) => `Start > ${name}`)));
  expect(JSON.stringify(report).length).toBeLessThan(210_000);
  expect((report?.tasks.length ?? 0) + (report?.omittedTasks ?? 0)).toBe(900);
});

const reportOf = (tasks: readonly (readonly [string, readonly string[]])[]) =>
  toKeptReport({
    ...{ name: '', definition: { nodes: [], edges: [] }, notes: [], remarks: [] },
    tasks: tasks.map(([message, nodes]) => ({ level: 'review', message, nodes })),
  });

it('masks a token before it cuts the message', () => {
  const message = `${'long '.repeat(197)}sk-live-4f9a1b2c3d4e5f6a7b8c9d`;
  expect(reportOf([[message, ['A']]])?.tasks[0]?.message).toBe(`${'long '.repeat(197)}…`);
});

it('cuts the nodes of a task, and says how many', () => {
  const report = reportOf([['Look', Array.from({ length: 1_000 }, (_, n) => `${n} ${'n'.repeat(180)}`)]]);
  const [task] = report?.tasks ?? [];
  expect(JSON.stringify(task).length).toBeLessThan(51_000);
  expect(task?.message).toBe(`Look (and ${1_000 - (task?.nodes.length ?? 0)} more nodes)`);
});

it('keeps tasks after one that does not fit', () => {
  const nodes = Array.from({ length: 230 }, (_, n) => `${n} ${'n'.repeat(180)}`);
  const report = reportOf([...Array(5).fill(['Large', nodes]), ['Small', ['A']]]);
  expect(report?.tasks.map(({ message }) => message)).toEqual([...Array(4).fill('Large'), 'Small']);
  expect(report?.omittedTasks).toBe(1);
});

it('keeps nothing if there is nothing to do', () => {
  const report = toKeptReport({ name: '', definition: { nodes: [], edges: [] }, notes: [], tasks: [], remarks: [] });
  expect(report).toBeUndefined();
});
