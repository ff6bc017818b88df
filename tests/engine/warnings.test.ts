import type { JsonObject } from '@deckhand/contracts';
import { compileWorkflow, findWarnings } from '@deckhand/engine';
import { loadNodeTypes } from '@deckhand/nodes';
import { describe, expect, it } from '@jest/globals';
import { edges } from '../harness/engine.ts';

const types = await loadNodeTypes();

/** Returns the paths and texts of the warnings of a definition with one node after the trigger. */
function warningsOf(node: JsonObject, ...handles: string[]): string[] {
  const definition = {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'node', ...node },
      ...handles.map((handle) => ({ id: handle, type: 'merge' })),
    ],
    edges: edges('start -> node', ...handles.map((handle) => `node.${handle} -> ${handle}`)),
  };
  const compiled = compileWorkflow(definition, types);
  if ('issues' in compiled) throw new Error(JSON.stringify(compiled.issues));
  return findWarnings(compiled.workflow).map(({ path, message }) => `${path}: ${message}`);
}

describe('saving warns of', () => {
  const ask = { type: 'approval', parameters: { message: 'Well?' } };

  it.each([{ disabled: true }, { onError: 'continue' }])('a node that takes none of its outputs (%j)', (settings) => {
    const [name = ''] = Object.keys(settings);
    const none = 'it takes none of its outputs, because each is a choice that it has not made';
    const warnings = warningsOf({ ...ask, ...settings }, 'approved');
    expect(warnings).toEqual([expect.stringContaining(`nodes[1].${name}: Node "node": `)]);
    expect(warnings.join()).toContain(none);
    expect(warningsOf({ ...ask, ...settings })).toEqual([]);
    const cases = [{ handle: 'a', equals: 1 }];
    expect(warningsOf({ type: 'switch', parameters: { value: 1, cases }, ...settings }, 'a')).toEqual([]);
    expect(warningsOf({ type: 'set', parameters: { fields: {} }, ...settings })).toEqual([]);
  });
});
