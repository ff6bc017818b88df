import { isJsonObject, type JsonValue } from '@deckhand/contracts';
import { defineNodeType, NodeError } from '@deckhand/engine';
import Type from 'typebox';
import { checkSendable, responseHeaderIssues, ResponseStatus } from '../http/webhook-response.ts';
import { findSchemaIssues } from '../schemas/input-schemas.ts';

export default defineNodeType({
  type: 'terminal',
  title: 'End (result)',
  description:
    "Sets the run's result, which a webhook on completion responds with. Without a `body`, the result is the node's input. A webhook responds with the bytes of a [file](../files.md), unless the headers name a JSON type. If a run reaches several of these nodes, the last one counts.",
  keywords: ['end', 'result', 'return', 'output', 'finish'],
  category: 'flow',
  icon: 'flag',
  hasEffects: false,
  setsResult: true,
  parameters: Type.Object(
    {
      body: Type.Optional(Type.Unsafe<JsonValue>({ description: "The result; the node's input without it" })),
      bodySchema: Type.Optional(
        Type.Object(
          {},
          {
            additionalProperties: true,
            description:
              'JSON Schema of the result. Runs in the modes `test` and `debug` fail if it does not fit, others are not checked; types for code have it',
          },
        ),
      ),
      statusCode: ResponseStatus,
      headers: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          description: 'Headers of the response to a webhook, name → value',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  check: ({ headers, bodySchema }) => [...responseHeaderIssues(headers), ...findSchemaIssues('bodySchema', bodySchema)],
  verbatim: ['bodySchema'],
  errors: ['RESULT_INVALID'],
  run({ body: given, bodySchema: schema, statusCode = 200, headers = {} }, { input, workspaceId, mode, services }) {
    const body = given === undefined ? input : given;
    const result = { kind: 'result', result: { body, statusCode, headers } } as const;
    const check = checkSendable(body, headers);
    if (!isJsonObject(schema)) return check ? check.then(() => result) : result;
    return Promise.resolve(check)
      .then(() => services.results.check({ workspaceId, mode, schema, body }))
      .then((misfit) => {
        if (misfit !== undefined) throw new NodeError('RESULT_INVALID', misfit, { isRetryable: false });
        return result;
      });
  },
  example: {
    trigger: { name: 'Ada' },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'reply',
          type: 'terminal',
          parameters: {
            body: { greeting: 'Hello {{ $trigger.name }}' },
            statusCode: 201,
            headers: { 'x-source': 'deckhand' },
          },
        },
      ],
      edges: [{ source: 'start', target: 'reply' }],
    },
    outputs: { reply: { greeting: 'Hello Ada' } },
    result: { body: { greeting: 'Hello Ada' }, statusCode: 201, headers: { 'x-source': 'deckhand' } },
  },
});
