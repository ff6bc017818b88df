import { expect, it } from '@jest/globals';
import type { JsonObject } from '@deckhand/contracts';
import { exchangeOf, messagesOfMemory } from './agent-memory.ts';

const said = (text: string): JsonObject => ({ content: [{ type: 'text', text }] });

it.each<[string, JsonObject, string]>([
  ['its text', said('Hello'), 'Hello'],
  ['the JSON that a schema asks for, whatever was said beside it', { ...said('Here:'), output: { a: 1 } }, '{"a":1}'],
  ['a text that providers accept, if it is blank', said(' \n'), '(nothing)'],
])('an agent remembers of an answer %s', (_what, stored, answer) => {
  expect(exchangeOf('Hi', stored)).toEqual({ prompt: 'Hi', answer });
});

it('no blank message is sent, whatever is remembered', () => {
  const messages = messagesOfMemory([{ prompt: ' ', answer: '' }]);
  expect(messages.map(({ text }) => text)).toEqual(['(nothing)', '(nothing)']);
});
