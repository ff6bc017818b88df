import { parseOwnJson } from '@deckhand/contracts';
import { createScriptRunner } from '@deckhand/nodes';
import { afterAll, describe, expect, it } from '@jest/globals';
import { runInMemory } from '../../../../tests/harness/engine.ts';
import { connect, convertN8n, node, START } from '../../../../tests/harness/import-n8n.ts';

const code = createScriptRunner();
afterAll(() => code.close());

/** Runs a node that gets one item. */
async function run(script: object, before: readonly object[] = [], connections = connect('Start > Script')) {
  const workflow = { nodes: [START, ...before, script], connections };
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

const USES_ERRORS = 'the script uses errors that it catches: the texts of those of JavaScript itself differ here';

it.each([
  'try { $json.a.b; } catch (error) { return [{ json: { error: error.message } }]; }',
  'try { $json.a.b; } catch (error) { return [{ json: { error: String(error) } }]; }',
  'try { $json.a.b; } catch (error) { return [{ json: { error: `${error}` } }]; }',
  'try { $json.a.b; } catch ({ message }) { return [{ json: { message } }]; }',
  'return [{ json: await Promise.reject(1).catch((error) => ({ error })) }];',
  'return [{ json: await Promise.reject(1).catch(({ message }) => ({ message })) }];',
  'return [{ json: await Promise.reject(1).catch(Object) }];',
  'return [{ json: await Promise.reject(1).then(null, function (error) { return { error }; }) }];',
])('notes that errors of the language have other texts here: %s', async (jsCode) => {
  expect(await run(node('Script', 'code', { jsCode }))).toMatchObject({ level: 'review', messages: [USES_ERRORS] });
});

it.each([
  'try { return items; } catch (error) { throw error; }',
  'try { return items; } catch { return []; }',
  'return Promise.reject(1).catch(() => items);',
  'return Promise.resolve(items).then((all) => all);',
])('notes nothing where the text of an error does not matter: %s', async (jsCode) => {
  expect(await run(node('Script', 'code', { jsCode }))).toMatchObject({ level: 'converted', messages: [] });
});

it('has no script that asks whether a name exists which may do so in n8n alone', async () => {
  const jsCode = "return [{ json: { has: typeof require !== 'undefined' } }];";
  expect(await run(node('Script', 'code', { jsCode }))).toMatchObject({ level: 'manual' });
});

describe('$node', () => {
  const items = node('Items', 'code', { jsCode: 'return [{ json: { a: 1 } }, { json: { a: 2 } }];' });
  const each = (jsCode: string): object => node('Script', 'code', { mode: 'runOnceForEachItem', jsCode });
  const READS_ITEM = each('return { json: { a: $node["Items"].json.a } };');

  it('has the item at the same position, as in n8n', async () => {
    const copied = node('Copied', 'code', { jsCode: 'return [...items, ...items].slice(1, 3);' });
    const connections = connect('Start > Items', 'Items > Copied', 'Copied > Script');
    expect(await run(READS_ITEM, [items, copied], connections)).toMatchObject({ output: [{ a: 1 }, { a: 2 }] });
  });

  it('fails where the node has no such item, as in n8n', async () => {
    const script = each('return { json: { n: $node["Start"].json.n } };');
    expect(await run(script, [items], connect('Start > Items', 'Items > Script'))).toMatchObject({
      ending: { kind: 'failed', error: { message: expect.stringContaining('"Start" has no item at position 1') } },
    });
  });

  it('has the first item for a script that runs once', async () => {
    const script = node('Script', 'code', { jsCode: 'return [{ json: { a: $node["Items"].json.a } }];' });
    const connections = connect('Start > Items', 'Items > Script');
    expect(await run(script, [items], connections)).toMatchObject({ output: { a: 1 } });
  });
});
