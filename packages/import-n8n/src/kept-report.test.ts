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

it('keeps nothing if there is nothing to do', () => {
  const report = toKeptReport({ name: '', definition: { nodes: [], edges: [] }, notes: [], tasks: [], remarks: [] });
  expect(report).toBeUndefined();
});
