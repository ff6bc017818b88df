import { DeckhandError } from '@deckhand/sdk';
import type { ErrorResponse } from '@deckhand/sdk/operations';
import { expect, it } from '@jest/globals';
import { describeError } from './describe-error.ts';

const refusal = (code: ErrorResponse['code'], error: string, details?: ErrorResponse['details']) =>
  describeError(new DeckhandError(400, { error, code, requestId: 'r', ...(details && { details }) }, 'r')).message;

it('says each issue of an invalid request once, the first of them too', () => {
  const details = ['a', 'b', 'c', 'd'].map((path) => ({ path, message: 'is required' }));
  expect(refusal('VALIDATION_FAILED', 'a: is required', details)).toBe(
    'a: is required; b: is required; c: is required; 1 more (VALIDATION_FAILED)',
  );
});

it('names the node of an issue', () => {
  const details = [{ nodeId: 'call', path: 'nodes[1].type', message: '"sett" is not a node type' }];
  expect(refusal('VALIDATION_FAILED', 'nodes[1].type: "sett" is not a node type', details)).toBe(
    'node call, nodes[1].type: "sett" is not a node type (VALIDATION_FAILED)',
  );
});

it('has the message of every other refusal, and its issues', () => {
  expect(refusal('VALIDATION_FAILED', 'The request is not valid')).toBe('The request is not valid (VALIDATION_FAILED)');
  expect(refusal('CONFLICT', 'The path is taken', [{ path: 'path', message: 'is used by Orders' }])).toBe(
    'The path is taken: path: is used by Orders (CONFLICT)',
  );
});
