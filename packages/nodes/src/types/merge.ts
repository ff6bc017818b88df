import type { JsonObject, ValidationIssue } from '@deckhand/contracts';
import { defineNodeType, type EarlyJoin, NodeError, output } from '@deckhand/engine';
import Type from 'typebox';
import { checkedOutput } from '../text/checked-output.ts';

const MAX_COUNT = 1_000;

export default defineNodeType({
  type: 'merge',
  title: 'Merge',
  description:
    'Joins branches once all of them have finished: as an object by node id, as an array in the order of the edges, or only the first branch that was taken. With the modes `any` and `count`, it continues as soon as one branch, or so many, have come, and cancels the rest: nodes that only lead to it do not start any more, those in progress are aborted, and their waits and sub-workflows end. With fewer branches than `count`, it fails.',
  keywords: ['join', 'combine', 'wait for all', 'fan in', 'race', 'parallel'],
  category: 'flow',
  icon: 'git-merge',
  summary: [
    { when: { mode: 'any' }, text: 'the first' },
    { when: { mode: 'count' }, text: 'the first {count}' },
  ],
  hasEffects: false,
  parameters: Type.Object(
    {
      mode: Type.Optional(
        Type.Enum(['object', 'array', 'first', 'any', 'count'], {
          default: 'object',
          description:
            'The form of the output once all branches have finished; `any` for the output of the branch that comes first, `count` for a list of the outputs of the first ones in the order in which they come. These two are not expressions',
        }),
      ),
      count: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_COUNT,
          description: 'For the mode `count`: the number of branches to wait for. No expression',
        }),
      ),
      cancelRest: Type.Optional(
        Type.Boolean({
          default: true,
          description:
            'For `any` and `count`: whether the other branches are cancelled; otherwise they finish, and nobody waits for them. No expression',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  check,
  join: joinOf,
  errors: ['MERGE_INCOMPLETE', 'NODE_BUDGET', 'RESULT_TOO_LARGE'],
  run({ mode = 'object', count = 1 }, { inputs, signal }) {
    switch (mode) {
      case 'object':
        return checkedOutput(Object.fromEntries(inputs.map((entry) => [entry.nodeId, entry.output])), signal);
      case 'count':
        if (inputs.length < count) {
          const message = `${inputs.length} of ${count} branches came`;
          throw new NodeError('MERGE_INCOMPLETE', message, { isRetryable: false });
        }
        return checkedOutput(
          inputs.map((entry) => entry.output),
          signal,
        );
      case 'array':
        return checkedOutput(
          inputs.map((entry) => entry.output),
          signal,
        );
      case 'first':
      case 'any':
        return output(inputs[0]?.output ?? null);
    }
  },
  example: {
    trigger: { base: 10 },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'double', type: 'set', parameters: { fields: { value: '{{ $trigger.base * 2 }}' } } },
        { id: 'half', type: 'set', parameters: { fields: { value: '{{ $trigger.base / 2 }}' } } },
        { id: 'both', type: 'merge', parameters: { mode: 'object' } },
        { id: 'slow', type: 'wait', parameters: { seconds: 3600 } },
        { id: 'fastest', type: 'merge', parameters: { mode: 'any' } },
      ],
      edges: [
        { source: 'start', target: 'double' },
        { source: 'start', target: 'half' },
        { source: 'double', target: 'both' },
        { source: 'half', target: 'both' },
        { source: 'both', target: 'fastest' },
        { source: 'start', target: 'slow' },
        { source: 'slow', target: 'fastest' },
      ],
    },
    outputs: {
      both: { double: { value: 20 }, half: { value: 5 } },
      fastest: { double: { value: 20 }, half: { value: 5 } },
    },
    stopped: ['slow'],
  },
});

/** The engine decides how to join before it evaluates any expression. */
function joinOf({ mode, count, cancelRest = true }: JsonObject): EarlyJoin | undefined {
  const cancelsRest = cancelRest === true;
  if (mode === 'any') return { count: 1, cancelsRest };
  return mode === 'count' && typeof count === 'number' ? { count, cancelsRest } : undefined;
}

function check({ mode, count, cancelRest }: JsonObject): ValidationIssue[] {
  const isEarly = mode === 'any' || mode === 'count';
  const issues: ValidationIssue[] = [];
  if (mode === 'count') {
    if (count === undefined) issues.push({ path: 'count', message: 'is required in the mode count' });
    else if (typeof count === 'string') issues.push({ path: 'count', message: 'must be a number, and no expression' });
  } else if (count !== undefined) issues.push({ path: 'count', message: 'needs the mode count' });
  if (cancelRest === undefined) return issues;
  if (!isEarly) issues.push({ path: 'cancelRest', message: 'needs the mode any or count' });
  else if (typeof cancelRest === 'string')
    issues.push({ path: 'cancelRest', message: 'must be true or false, and no expression' });
  return issues;
}
