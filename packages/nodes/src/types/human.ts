import { compileUntrusted, isJsonObject } from '@deckhand/contracts';
import { defineNodeType, NodeError, output } from '@deckhand/engine';
import Type from 'typebox';
import { ALLOW_LINKS, linkDetails, linkParameterIssues } from '../work/allow-links.ts';
import { APPROVER_PARAMETERS, approverDetails, approverIssues } from '../work/approvers.ts';

export default defineNodeType({
  type: 'human',
  title: 'Human task',
  description:
    'Waits until a person has filled in a form, and returns the values. The form is a JSON Schema, which the console builds from fields.',
  keywords: ['form', 'ask', 'question', 'input', 'survey', 'person', 'assign'],
  category: 'person',
  icon: 'user-round',
  summary: '{title}',
  hasEffects: false,
  parameters: Type.Object(
    {
      title: Type.String({ minLength: 1, maxLength: 500, description: 'The task' }),
      schema: Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'JSON Schema of the form. `title` is the label of a field, `description` its help text, `default` what it starts with, `contentMediaType: text/plain` asks for long text, and `file: {}` for a file, with the types `accept` and at most `maxBytes` (10 MiB). Patterns have no lookaround and no back references',
        },
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
  form: { inputs: { schema: 'form' } },
  outputMembersOf: 'schema.properties',
  unheeded: () => ({
    retry: 'does not ask again after the time is up',
    timeoutSeconds: 'does not limit the wait: use parameters.timeoutSeconds',
  }),
  restSeconds: 'timeoutSeconds',
  check(parameters) {
    const issues = [...linkParameterIssues(parameters), ...approverIssues(parameters)];
    const { schema } = parameters;
    if (!isJsonObject(schema)) return issues;
    const compiled = compileUntrusted(schema);
    if (!('issues' in compiled)) return issues;
    return [...issues, ...compiled.issues.map(({ message }) => ({ path: 'schema', message }))];
  },
  errors: ['HUMAN_TIMEOUT'],
  run({ title, schema, timeoutSeconds, allowLinks, approvers, fourEyes }, { mode, mock, now }) {
    if (mode === 'sandbox') return output(mock ?? {});
    const dueAt = timeoutSeconds === undefined ? null : now() + Math.ceil(timeoutSeconds * 1_000);
    const limits = { ...linkDetails(allowLinks), ...approverDetails({ approvers, fourEyes }) };
    const details = { title, schema: { ...schema }, ...limits };
    return { kind: 'wait', wait: { kind: 'human', details, dueAt } };
  },
  resume(answer) {
    if (answer.kind === 'expired') {
      throw new NodeError('HUMAN_TIMEOUT', 'the form was not submitted in time', { isRetryable: false });
    }
    return output(answer.value);
  },
  example: {
    trigger: { invoice: 'R-1' },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'classify',
          type: 'human',
          parameters: {
            title: 'Classify invoice {{ $trigger.invoice }}',
            schema: { type: 'object', properties: { account: { type: 'string' } }, required: ['account'] },
          },
        },
        { id: 'book', type: 'set', parameters: { fields: { account: '{{ $input.account }}' } } },
      ],
      edges: [
        { source: 'start', target: 'classify' },
        { source: 'classify', target: 'book' },
      ],
    },
    answers: { classify: { kind: 'answered', value: { account: '4711' } } },
    outputs: { classify: { account: '4711' }, book: { account: '4711' } },
  },
});
