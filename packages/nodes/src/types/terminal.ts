import { answerHeaderIssue, isJsonObject, type JsonValue } from '@deckhand/contracts';
import { defineNodeType } from '@deckhand/engine';
import Type from 'typebox';

export default defineNodeType({
  type: 'terminal',
  title: 'End (result)',
  description:
    "Sets the run's result, which a webhook on completion responds with. Without a `body`, the result is the node's input. If a run reaches several of these nodes, the last one counts.",
  category: 'flow',
  hasEffects: false,
  parameters: Type.Object(
    {
      body: Type.Optional(Type.Unsafe<JsonValue>({ description: "The result; the node's input without it" })),
      statusCode: Type.Optional(
        Type.Integer({ minimum: 200, maximum: 599, default: 200, description: 'Status of the response to a webhook' }),
      ),
      headers: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          description: 'Headers of the response to a webhook, name → value',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  check: ({ headers }) =>
    Object.entries(isJsonObject(headers) ? headers : {}).flatMap(([name, value]) => {
      const isKnown = typeof value === 'string' && !value.includes('{{');
      const message = answerHeaderIssue(name, isKnown ? value : '');
      return message === undefined ? [] : [{ path: `headers.${name}`, message }];
    }),
  run({ body, statusCode = 200, headers = {} }, { input }) {
    return { kind: 'result', result: { body: body === undefined ? input : body, statusCode, headers } };
  },
});
