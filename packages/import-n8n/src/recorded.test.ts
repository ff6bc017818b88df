import { isJsonObject, type JsonValue, parseOwnJson } from '@deckhand/contracts';
import { compileWorkflow } from '@deckhand/engine';
import { createScriptRunner, loadNodeTypes } from '@deckhand/nodes';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInMemory } from '../../../tests/harness/engine.ts';
import { convertN8n, withCheck } from '../../../tests/harness/import-n8n.ts';

/** A workflow of our own, and what `n8n execute --rawOutput` returned for it: the items of each output, by node. */
interface Recorded {
  readonly n8n: string;
  readonly workflow: JsonValue;
  readonly outputs: Readonly<Record<string, readonly (readonly JsonValue[])[]>>;
  /** The node that failed. */
  readonly failed?: string;
}

const FOLDER = join(import.meta.dirname, '../recorded');
const code = createScriptRunner();
afterAll(() => code.close());

describe.each(readdirSync(FOLDER))('%s', (file) => {
  const { workflow, outputs, failed } = parseOwnJson<Recorded>(readFileSync(join(FOLDER, file), 'utf8'));
  const converted = convertN8n(workflow);

  it('is converted whole, and can be saved', async () => {
    expect(converted.notes.filter(({ level }) => level === 'manual')).toEqual([]);
    expect(compileWorkflow(converted.definition, await loadNodeTypes())).not.toHaveProperty('issues');
  });

  it('runs the nodes that n8n ran', async () => {
    const { journal } = await runInMemory(converted.definition, { trigger: {}, services: { code } });
    const statuses = new Map(journal.map(({ nodeId, status }) => [nodeId, status]));
    // Ids of nodes that check whether there are items have "__".
    const nodes = converted.notes.map(({ node, nodeIds }) => [node, nodeIds.find((id) => !id.includes('__'))]);
    const ran = nodes.filter(([, entry = '']) => ['success', 'failed'].includes(statuses.get(entry) ?? ''));
    expect(ran.map(([node]) => node).toSorted()).toEqual(Object.keys(outputs).toSorted());
    const failures = nodes.filter(([, entry = '']) => statuses.get(entry) === 'failed');
    expect(failures.map(([node]) => node)).toEqual(failed === undefined ? [] : [failed]);
  });

  if (failed !== undefined) return;

  it('returns what n8n returned, at every node', async () => {
    const definition = withCheck(converted);
    const { ending, last } = await runInMemory(definition, { trigger: {}, services: { code } });
    expect(ending).toMatchObject({ kind: 'success' });
    const seen = [...last.values()].find(({ nodeId }) => nodeId === 'check')?.output;
    if (!isJsonObject(seen)) throw new Error('the check has no output');
    const names = Object.keys(seen);
    expect(names.length).toBeGreaterThanOrEqual(2);
    const expected = names.map((key) => {
      const [name = '', index = ''] = key.split(':');
      return [key, outputs[name]?.[Number(index)] ?? []];
    });
    expect(seen).toEqual(Object.fromEntries(expected));
  });
});
