import type { JsonValue } from '@deckhand/contracts';
import { defineNodeType } from '@deckhand/engine';
import Type from 'typebox';
import { warnOfText } from '../text/text-condition.ts';

export default defineNodeType({
  type: 'if',
  title: 'If',
  description:
    'Continues at `true` if its condition is true, otherwise at `false`, and passes its input on. Values count as true as in JavaScript.',
  keywords: ['condition', 'branch', 'else', 'then', 'compare', 'boolean', 'check'],
  category: 'flow',
  hasEffects: false,
  parameters: Type.Object(
    { condition: Type.Unsafe<JsonValue>({ description: 'Usually one expression, such as {{ $input.amount > 100 }}' }) },
    { additionalProperties: false },
  ),
  handles: () => ['true', 'false'],
  warn: ({ condition }) => warnOfText(condition),
  run: ({ condition }, { input }) => ({ kind: 'output', output: input, handle: condition ? 'true' : 'false' }),
});
