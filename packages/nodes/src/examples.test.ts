import { describe, expect, it } from '@jest/globals';
import { exampleOf, runExample } from '../../../tests/harness/node-examples.ts';
import { loadNodeTypes } from './load-node-types.ts';

const types = await loadNodeTypes();

describe('the example of every node type leads to what its page says', () => {
  it.each([...types])('%s', async (_name, type) => {
    const example = exampleOf(type);
    const { run, requests } = await runExample(example);
    if (example.error) expect(run.ending).toMatchObject({ kind: 'failed', error: example.error });
    else expect(run.ending).toEqual({ kind: 'success', result: example.result ?? null });
    for (const [id, output] of Object.entries(example.outputs)) {
      expect({ id, output: run.last.get(`${id}/`)?.output }).toEqual({ id, output });
    }
    for (const id of example.skipped ?? []) expect([id, run.last.get(`${id}/`)?.status]).toEqual([id, 'skipped']);
    if (example.request) expect(requests).toMatchObject([example.request]);
  });
});
