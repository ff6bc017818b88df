import { describe, expect, it } from '@jest/globals';
import { handlesOf, type NodeTypes, outputHandles } from './handles.ts';

const entry = (type: string, handles: string[]) => ({
  type,
  title: type,
  description: '',
  category: 'flow' as const,
  hasEffects: false,
  isTrigger: false,
  handles,
  undecidedHandle: null,
  credentialTypes: [],
  keywords: [],
  parameters: {},
});
const TRY = entry('try', ['body', 'error', 'success']);
const TYPES: NodeTypes = new Map(
  [entry('set', []), entry('if', ['true', 'false']), TRY].map((type) => [type.type, type]),
);

describe('the outputs of a node', () => {
  it('are the one without a name, or those that its type names', () => {
    expect(outputHandles({ id: 'a', type: 'set' }, TYPES)).toEqual([undefined]);
    expect(outputHandles({ id: 'a', type: 'if' }, TYPES)).toEqual(['true', 'false']);
  });

  it('have one for failures beside them, not in their place', () => {
    expect(outputHandles({ id: 'a', type: 'set', onError: 'branch' }, TYPES)).toEqual([undefined, 'error']);
    expect(handlesOf({ id: 'a', type: 'set', onError: 'branch' }, TYPES)).toEqual(['error']);
    expect(outputHandles({ id: 'a', type: 'if', onError: 'branch' }, TYPES)).toEqual(['true', 'false', 'error']);
    expect(outputHandles({ id: 'a', type: 'try', onError: 'branch' }, TYPES)).toEqual(['body', 'error', 'success']);
  });

  it('follow from the parameters of a switch and an approval', () => {
    const cases = [{ handle: 'big' }, { handle: '' }, { handle: 'big' }];
    expect(outputHandles({ id: 'a', type: 'switch', parameters: { cases } }, TYPES)).toEqual(['big', 'default']);
    expect(outputHandles({ id: 'a', type: 'approval', parameters: { choices: ['yes', 'no'] } }, TYPES)).toEqual([
      'yes',
      'no',
    ]);
  });
});
