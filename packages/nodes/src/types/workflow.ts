import { isJsonObject, type JsonObject, StartOptions, VersionChoice } from '@deckhand/contracts';
import { defineNodeType, NodeError, output } from '@deckhand/engine';
import Type from 'typebox';

export default defineNodeType({
  type: 'workflow',
  title: 'Run sub-workflow',
  description:
    'Starts a run of another workflow of the workspace. With `waitForCompletion` it waits until that run has ended and returns its result; otherwise it returns `{ executionId }` at once. If this run is stopped, so is the other one. In the body of a `loop` with `concurrency`, up to 200 of them run at the same time; with `onError: "continue"`, the list that the loop returns has an `error` in place of the result of each that failed.',
  keywords: [
    'subworkflow',
    'child workflow',
    'call workflow',
    'execute workflow',
    'nested',
    'reuse',
    'trigger workflow',
  ],
  category: 'action',
  icon: 'workflow',
  hasEffects: true,
  parameters: Type.Object(
    {
      workflowId: Type.String({ format: 'uuid', description: 'The workflow to start' }),
      version: Type.Optional(VersionChoice),
      input: Type.Optional(
        Type.Unsafe<JsonObject>({ type: 'object', description: "Its trigger data; this node's input by default" }),
      ),
      options: Type.Optional(StartOptions),
      waitForCompletion: Type.Optional(
        Type.Boolean({ default: true, description: "Whether this node waits for the other run's end" }),
      ),
    },
    { additionalProperties: false },
  ),
  form: { inputs: { workflowId: 'workflow' } },
  unheeded: ({ waitForCompletion }) =>
    waitForCompletion === false
      ? {}
      : {
          retry: 'repeats the start of the run only: a run that fails is not started again',
          timeoutSeconds: 'does not limit the run that the node waits for: use parameters.options.timeoutSeconds',
        },
  sample: () => ({ executionId: '00000000-0000-7000-8000-000000000000' }),
  errors: ['CONCURRENCY_LIMIT', 'INPUT_INVALID', 'NO_ACTIVE_VERSION', 'WORKFLOW_FAILED', 'WORKFLOW_NOT_STARTED'],
  async run({ workflowId, version = 'latest', input, options = {}, waitForCompletion = true }, context) {
    const executionId = await context.services.workflows.start({
      workflowId,
      version,
      input: input ?? (isJsonObject(context.input) ? context.input : {}),
      options,
      parentExecutionId: context.executionId,
      parentNodeId: context.nodeId,
      idempotencyKey: context.idempotencyKey,
    });
    if (!waitForCompletion) return output({ executionId });
    return { kind: 'wait', wait: { kind: 'workflow', details: { executionId }, dueAt: null } };
  },
  resume(answer, { details }) {
    const end = answer.kind === 'answered' && isJsonObject(answer.value) ? answer.value : {};
    if (end.status === 'success') {
      // A result whose body is null is null; only a run without a result is told by its id.
      if (end.result !== undefined && isJsonObject(end.result)) return output(end.result.body ?? null);
      return output({ executionId: details.executionId ?? null, status: 'success' });
    }
    const { status, error } = end;
    const reason =
      error !== undefined && isJsonObject(error) && typeof error.message === 'string' ? `: ${error.message}` : '';
    const message = `the started run ended as ${typeof status === 'string' ? status : 'unknown'}${reason}`;
    throw new NodeError('WORKFLOW_FAILED', message, { isRetryable: false });
  },
  example: {
    trigger: { customer: 7 },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'invoice',
          type: 'workflow',
          parameters: {
            workflowId: '01890a5d-ac96-774b-bcce-b302099a8057',
            input: { customer: '{{ $trigger.customer }}' },
          },
        },
        { id: 'note', type: 'set', parameters: { fields: { invoice: '{{ $input.number }}' } } },
      ],
      edges: [
        { source: 'start', target: 'invoice' },
        { source: 'invoice', target: 'note' },
      ],
    },
    answers: {
      invoice: {
        kind: 'answered',
        value: { status: 'success', result: { body: { number: 'R-1' }, statusCode: 200, headers: {} } },
      },
    },
    outputs: { invoice: { number: 'R-1' }, note: { invoice: 'R-1' } },
  },
});
