import type { JsonObject, JsonValue, ValidationIssue } from '@deckhand/contracts';
import { defineNodeType, NodeError } from '@deckhand/engine';
import Type from 'typebox';

const MAX_ITERATIONS = 10_000;

export default defineNodeType({
  type: 'loop',
  title: 'Loop',
  description:
    "Runs the nodes after its `body` output once per item, or as often as its condition says, then continues at `done` with the list of the outputs. The output of an iteration is that of its last node: one that ended without taking an edge. Of several, also where the body has several branches, it is an object by node id; of none, null. In the body, `$loop.item` and `$loop.index` are the item and its number from 0. With a condition, the iterations follow each other: the item is the output of the iteration before, in the first one the loop's input, and `$loop.previous` is the same, but null in the first.",
  keywords: ['foreach', 'for each', 'for', 'while', 'iterate', 'repeat', 'each', 'batch', 'paging', 'pagination'],
  category: 'flow',
  icon: 'repeat',
  summary: [
    { when: { mode: 'while' }, text: 'while {condition}' },
    { when: { mode: 'until' }, text: 'until {condition}' },
    { text: 'each of {items}' },
  ],
  hasEffects: false,
  parameters: Type.Object(
    {
      mode: Type.Optional(
        Type.Enum(['items', 'while', 'until'], {
          default: 'items',
          description:
            'Once per item; while the condition is true, checked before each iteration; or until it is true, checked after each. No expression',
        }),
      ),
      items: Type.Optional(
        Type.Array(Type.Unsafe<JsonValue>({}), {
          description: 'Usually one expression that returns a list; for the mode `items` only',
        }),
      ),
      condition: Type.Optional(
        Type.Unsafe<JsonValue>({
          description:
            'For `while` and `until`: usually one expression, such as {{ $loop.previous.body.hasMore }}, in which `$loop.index` is the number of iterations so far, and `$loop.previous` the last output',
        }),
      ),
      concurrency: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 200,
          default: 1,
          description: 'Iterations at the same time; for the mode `items` only',
        }),
      ),
      maxIterations: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          default: MAX_ITERATIONS,
          description: 'A longer list, and a condition that asks for more, fail the node',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  form: { inputs: { items: 'expression', condition: 'expression' } },
  deferred: { path: 'condition', names: ['$loop', '$loop.previous'] },
  unheeded: () => ({
    retry: 'does not repeat the body',
    timeoutSeconds: 'does not limit the body',
  }),
  handles: ['body', 'done'],
  undecidedHandle: 'done',
  container: 'loop',
  check,
  condition: 'condition',
  errors: ['LOOP_TOO_LONG'],
  run({ mode = 'items', items, concurrency = 1, maxIterations = MAX_ITERATIONS }) {
    if (mode !== 'items') return { kind: 'repeat', rule: { mode, maxIterations } };
    if (!items) throw new NodeError('PARAMETERS_INVALID', 'parameters.items is required', { isRetryable: false });
    if (items.length > maxIterations) {
      const message = `${items.length} items are more than maxIterations (${maxIterations})`;
      throw new NodeError('LOOP_TOO_LONG', message, { isRetryable: false });
    }
    return { kind: 'loop', items, concurrency };
  },
  example: {
    trigger: { orders: [{ price: 10 }, { price: 20 }] },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'each', type: 'loop', parameters: { items: '{{ $trigger.orders }}', concurrency: 2 } },
        {
          id: 'priced',
          type: 'set',
          parameters: { fields: { number: '{{ $loop.index + 1 }}', total: '{{ $loop.item.price * 1.5 }}' } },
        },
        { id: 'sum', type: 'set', parameters: { fields: { total: '{{ $input[0].total + $input[1].total }}' } } },
      ],
      edges: [
        { source: 'start', target: 'each' },
        { source: 'each', sourceHandle: 'body', target: 'priced' },
        { source: 'each', sourceHandle: 'done', target: 'sum' },
      ],
    },
    outputs: {
      each: [
        { number: 1, total: 15 },
        { number: 2, total: 30 },
      ],
      sum: { total: 45 },
    },
  },
});

function check({ mode = 'items', items, condition, concurrency }: JsonObject): ValidationIssue[] {
  if (typeof mode === 'string' && mode.includes('{{')) {
    return [{ path: 'mode', message: 'must be items, while or until, and no expression' }];
  }
  if (mode === 'items') {
    return [
      ...(items === undefined ? [{ path: 'items', message: 'is required' }] : []),
      ...(condition === undefined ? [] : [{ path: 'condition', message: 'needs the mode while or until' }]),
    ];
  }
  if (mode !== 'while' && mode !== 'until') return [];
  return [
    ...(condition === undefined ? [{ path: 'condition', message: `is required in the mode ${mode}` }] : []),
    ...(items === undefined ? [] : [{ path: 'items', message: `is not for the mode ${mode}` }]),
    ...(concurrency === undefined || concurrency === 1
      ? []
      : [{ path: 'concurrency', message: `is not for the mode ${mode}, whose iterations follow each other` }]),
  ];
}
