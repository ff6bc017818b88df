import { parseOwnJson } from '@deckhand/contracts';
import { createScriptRunner } from '@deckhand/nodes';
import { afterAll, expect, it } from '@jest/globals';
import { runInMemory } from '../../../../tests/harness/engine.ts';
import { connect, convertN8n, node, START } from '../../../../tests/harness/import-n8n.ts';

const code = createScriptRunner();
afterAll(() => code.close());

/** Runs a node that gets one item. */
async function run(script: object) {
  const workflow = { nodes: [START, script], connections: connect('Start > Script') };
  const { definition, notes } = convertN8n(parseOwnJson(JSON.stringify(workflow)));
  const { ending, last } = await runInMemory(definition, { trigger: { n: 1 }, services: { code } });
  const { level, messages } = notes.find(({ node: name }) => name === 'Script') ?? {};
  const record = [...last.values()].find(({ nodeId }) => nodeId === 'script');
  return { ending, output: record?.output, level, messages };
}

it.each([
  ['function', [{ n: 1, myNewField: 1 }]],
  ['functionItem', [{ n: 1, myNewField: 1 }]],
])('runs what n8n runs if the export of a %s has no script', async (type, output) => {
  expect(await run(node('Script', type))).toMatchObject({ output, level: 'converted' });
});

it.each([{}, { jsCode: '' }, { mode: 'runOnceForEachItem' }])(
  'fails without a script, as n8n does: %j',
  async (parameters) => {
    expect(await run(node('Script', 'code', parameters))).toMatchObject({
      ending: { kind: 'failed', error: { message: expect.stringContaining('No code to execute') } },
      level: 'review',
      messages: ['it has no script, and so it fails, as in n8n'],
    });
  },
);

it('notes that items have fewer members here, if a script goes through them', async () => {
  const jsCode = 'const keys = []; for (const key in items[0]) keys.push(key); return [{ json: { keys } }];';
  expect(await run(node('Script', 'code', { jsCode }))).toMatchObject({
    level: 'review',
    messages: ['the script goes through the members of objects: items have "json" alone here'],
  });
});

it('notes that errors of the language have other texts here', async () => {
  const jsCode = 'try { return [{ json: $json.a.b }]; } catch (error) { return [{ json: { error: error.message } }]; }';
  expect(await run(node('Script', 'code', { jsCode }))).toMatchObject({
    level: 'review',
    messages: [
      'the script reads the text of errors that it catches: those of JavaScript itself are worded otherwise here',
    ],
  });
  const thrown = 'try { return items; } catch (error) { throw error; }';
  expect(await run(node('Script', 'code', { jsCode: thrown }))).toMatchObject({ level: 'converted', messages: [] });
});
