import { describe, expect, it } from '@jest/globals';
import type { EdgeDefinition, NodeDefinition } from '@deckhand/contracts';
import type { Change } from '../../graph/diff-definitions.ts';
import { labelNodeValue, labelSetting, summarise } from './describe-diff.ts';

const NODE: NodeDefinition = { id: 'a', type: 'set' };
const EDGE: EdgeDefinition = { source: 'a', target: 'b' };
const NOTHING = { nodes: [], edges: [], settings: [], notes: [] };
const at = (...path: (string | number)[]) => ({ path, before: undefined, after: 1 });

describe('a difference', () => {
  it('is summed up in a line', () => {
    const nodes = (['changed', 'added', 'changed'] as Change[]).map((change) => ({ change, node: NODE, values: [] }));
    expect(summarise(NOTHING)).toBe('');
    expect(summarise({ ...NOTHING, edges: [{ change: 'removed', edge: EDGE }] })).toBe('1 connection removed');
    const notes = [{ change: 'changed' as const, note: { id: 'a', text: '', position: { x: 0, y: 0 } } }];
    const edges = [{ change: 'added' as const, edge: EDGE }];
    expect(summarise({ nodes, edges, settings: [at('timeoutSeconds')], notes })).toBe(
      '1 node added, 2 changed; 1 connection added; 1 note changed; settings changed',
    );
  });

  it('names parameters by their path, and all else as the forms do', () => {
    expect(labelNodeValue(at('parameters', 'cases', 0, 'equals'))).toBe('cases[0].equals');
    expect(labelNodeValue(at('retry', 'maxAttempts'))).toBe('Max attempts');
    expect(labelNodeValue(at('mock', 'status'))).toBe('Output in sandbox mode.status');
    expect(labelNodeValue(at('onError'))).toBe('On error');
    expect(labelSetting(at('rateLimit', 'max'))).toBe('Webhook requests');
  });
});
