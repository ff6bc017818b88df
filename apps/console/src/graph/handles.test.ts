import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@deckhand/contracts';
import { nodeTypeOf, nodeTypesOf } from '../testing/node-type.ts';
import { handlesOf, outputHandles } from './handles.ts';

const TYPES = nodeTypesOf(
  nodeTypeOf('set'),
  nodeTypeOf('if', { handles: ['true', 'false'] }),
  nodeTypeOf('try', { handles: ['body', 'error', 'success'] }),
  nodeTypeOf('route', {
    handles: ['other'],
    handlesBy: { parameter: 'cases', member: 'handle', fixed: ['other'] },
  }),
  nodeTypeOf('vote', { handles: ['yes', 'no'], handlesBy: { parameter: 'choices', member: null, fixed: [] } }),
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

  it('follow from the parameter that names them, where it is a list', () => {
    const handles = (type: string, parameters: JsonObject) => outputHandles({ id: 'a', type, parameters }, TYPES);
    expect(handles('route', { cases: [{ handle: 'big' }, { handle: '' }, 'no case', { handle: 'big' }] })).toEqual([
      'big',
      'other',
    ]);
    expect(handles('route', {})).toEqual(['other']);
    expect(handles('vote', { choices: ['ship', 1, 'hold'] })).toEqual(['ship', 'hold']);
    expect(handles('vote', { choices: '{{ $input }}' })).toEqual(['yes', 'no']);
  });
});
