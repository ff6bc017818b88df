import { isJsonObject, type JsonObject, type JsonValue, nullable } from '@deckhand/contracts';
import { defineNodeType, NodeError, type Outcome } from '@deckhand/engine';
import Type from 'typebox';
import { ALLOW_LINKS, linkDetails, linkParameterIssues } from '../work/allow-links.ts';
import { APPROVER_PARAMETERS, approverDetails, approverIssues } from '../work/approvers.ts';

const DEFAULT_CHOICES = ['approved', 'rejected'];

export default defineNodeType({
  type: 'approval',
  title: 'Approval',
  description:
    'Waits for a decision, and continues at the output of that choice with `{ decision, approved, comment, by, at }`. Fails if there is no decision in time.',
  keywords: ['approve', 'reject', 'decision', 'confirm', 'review', 'sign off', 'human in the loop', 'permission'],
  category: 'person',
  icon: 'stamp',
  summary: '{message}',
  hasEffects: false,
  parameters: Type.Object(
    {
      message: Type.String({ minLength: 1, maxLength: 10_000, description: 'The question to decide' }),
      choices: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
          minItems: 1,
          maxItems: 20,
          uniqueItems: true,
          default: DEFAULT_CHOICES,
          description: 'The choices; each is an output of the node',
        }),
      ),
      timeoutSeconds: Type.Optional(
        Type.Number({
          exclusiveMinimum: 0,
          maximum: 31_536_000,
          description: 'How long to wait; by default until the run times out',
        }),
      ),
      ...APPROVER_PARAMETERS,
      allowLinks: ALLOW_LINKS,
    },
    { additionalProperties: false },
  ),
  outputSchema: Type.Object({
    decision: Type.String(),
    approved: Type.Boolean(),
    comment: nullable(Type.String()),
    by: nullable(Type.String({ description: 'The id of the person' })),
    at: nullable(Type.String()),
  }),
  unheeded: () => ({
    retry: 'does not ask again after the time is up',
    timeoutSeconds: 'does not limit the wait: use parameters.timeoutSeconds',
  }),
  restSeconds: 'timeoutSeconds',
  handles: DEFAULT_CHOICES,
  handlesBy: { parameter: 'choices', member: null, fixed: [] },
  check: (parameters) => [
    ...choicesOf(parameters).flatMap((choice, index) =>
      choice.includes('{{') || choice === 'error'
        ? [{ path: `choices[${index}]`, message: 'a choice is a plain name, and not "error"' }]
        : [],
    ),
    ...linkParameterIssues(parameters),
    ...approverIssues(parameters),
  ],
  errors: ['APPROVAL_TIMEOUT'],
  run({ message, choices = DEFAULT_CHOICES, timeoutSeconds, allowLinks, approvers, fourEyes }, { mode, mock, now }) {
    const [first = 'approved'] = choices;
    if (mode === 'sandbox') return decided(mock ?? { decision: first }, choices);
    const dueAt = timeoutSeconds === undefined ? null : now() + Math.ceil(timeoutSeconds * 1_000);
    const limits = { ...linkDetails(allowLinks), ...approverDetails({ approvers, fourEyes }) };
    return { kind: 'wait', wait: { kind: 'approval', details: { message, choices, ...limits }, dueAt } };
  },
  resume(answer, { details }) {
    if (answer.kind === 'expired') {
      throw new NodeError('APPROVAL_TIMEOUT', 'there was no decision in time', { isRetryable: false });
    }
    return decided(answer.value, choicesOf(details));
  },
  example: {
    trigger: { amount: 900 },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'ask',
          type: 'approval',
          parameters: { message: 'Pay {{ $trigger.amount }}?', timeoutSeconds: 86400 },
        },
        {
          id: 'pay',
          type: 'set',
          parameters: { fields: { paid: '{{ $trigger.amount }}', by: '{{ $input.by }}' } },
        },
        { id: 'refuse', type: 'set', parameters: { fields: { refused: true } } },
      ],
      edges: [
        { source: 'start', target: 'ask' },
        { source: 'ask', sourceHandle: 'approved', target: 'pay' },
        { source: 'ask', sourceHandle: 'rejected', target: 'refuse' },
      ],
    },
    answers: {
      ask: {
        kind: 'answered',
        value: {
          decision: 'approved',
          approved: true,
          comment: null,
          by: '01890a5d-ac96-774b-bcce-b302099a8057',
          at: '2026-01-05T09:00:00.000Z',
        },
      },
    },
    outputs: {
      ask: {
        decision: 'approved',
        approved: true,
        comment: null,
        by: '01890a5d-ac96-774b-bcce-b302099a8057',
        at: '2026-01-05T09:00:00.000Z',
      },
      pay: { paid: 900, by: '01890a5d-ac96-774b-bcce-b302099a8057' },
    },
    skipped: ['refuse'],
  },
});

/** Continues at the output of the decision, with an output of the same shape as others. */
function decided(value: JsonValue, choices: readonly string[]): Outcome {
  const given: JsonObject = isJsonObject(value) ? value : { decision: value };
  const { decision } = given;
  if (typeof decision !== 'string' || !choices.includes(decision)) {
    throw new NodeError('PARAMETERS_INVALID', `the decision is none of ${choices.join(', ')}`, { isRetryable: false });
  }
  const output = { approved: decision === 'approved', comment: null, by: null, at: null, ...given, decision };
  return { kind: 'output', output, handle: decision };
}

function choicesOf({ choices }: JsonObject): string[] {
  if (!Array.isArray(choices)) return DEFAULT_CHOICES;
  const list: readonly unknown[] = choices;
  return list.filter((choice): choice is string => typeof choice === 'string');
}
