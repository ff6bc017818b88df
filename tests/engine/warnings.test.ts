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

/** Parameters of the types whose nodes heed `retry` and `timeoutSeconds` in part or not at all. */
const UNHEEDED: Readonly<Record<string, JsonObject>> = {
  approval: { message: 'Well?' },
  human: { title: 'Well?', schema: {} },
  lock: { key: 'a' },
  loop: { items: [] },
  try: {},
  wait: { seconds: 1 },
  'wait.event': { name: 'a' },
  workflow: { workflowId: '01890a5d-ac96-774b-bcce-b302099a8057' },
};

describe('saving warns of', () => {
  it.each(Object.entries(UNHEEDED))('retry and timeoutSeconds that %s does not heed', (type, parameters) => {
    const settings = { retry: { maxAttempts: 2 }, timeoutSeconds: 1 };
    const warnings = warningsOf({ type, parameters, ...settings });
    expect(warnings).toEqual([
      expect.stringMatching(/^nodes\[1\]\.retry: Node "node": retry (does not|has no effect|repeats the start)/),
      expect.stringMatching(/^nodes\[1\]\.timeoutSeconds: Node "node": timeoutSeconds does not limit/),
    ]);
    expect(warningsOf({ type, parameters, ...settings, disabled: true })).toEqual([]);
    expect(warningsOf({ type, parameters })).toEqual([]);
  });

  it('them for every type that waits or has a body, and for no other', () => {
    const rests = [...types.values()].filter(({ type, resume, restSeconds }) => {
      return resume !== undefined || restSeconds !== undefined || type === 'loop' || type === 'try';
    });
    expect(rests.map(({ type }) => type).sort()).toEqual(Object.keys(UNHEEDED).sort());
    const parameters = { workflowId: '01890a5d-ac96-774b-bcce-b302099a8057', waitForCompletion: false };
    expect(warningsOf({ type: 'workflow', parameters, retry: { maxAttempts: 2 }, timeoutSeconds: 1 })).toEqual([]);
    expect(warningsOf({ type: 'set', parameters: { fields: {} }, retry: { maxAttempts: 2 } })).toEqual([]);
  });

  const ask = { type: 'approval', parameters: { message: 'Well?' } };

  it.each<JsonObject>([{ disabled: true }, { onError: 'continue' }])(
    'a node that takes none of its outputs (%j)',
    (settings) => {
      const [name = ''] = Object.keys(settings);
      const none = 'it takes none of its outputs, because each is a choice that it has not made';
      const warnings = warningsOf({ ...ask, ...settings }, 'approved');
      expect(warnings).toEqual([expect.stringContaining(`nodes[1].${name}: Node "node": `)]);
      expect(warnings.join()).toContain(none);
      expect(warningsOf({ ...ask, ...settings })).toEqual([]);
      const cases = [{ handle: 'a', equals: 1 }];
      expect(warningsOf({ type: 'switch', parameters: { value: 1, cases }, ...settings }, 'a')).toEqual([]);
      expect(warningsOf({ type: 'set', parameters: { fields: {} }, ...settings })).toEqual([]);
    },
  );
});
