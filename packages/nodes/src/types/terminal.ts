import type { JsonValue } from '@deckhand/contracts';
import { defineNodeType } from '@deckhand/engine';
import Type from 'typebox';
import { responseHeaderIssues, ResponseStatus } from '../http/webhook-response.ts';

export default defineNodeType({
  type: 'terminal',
  title: 'End (result)',
  description:
    "Sets the run's result, which a webhook on completion responds with. Without a `body`, the result is the node's input. If a run reaches several of these nodes, the last one counts.",
  keywords: ['end', 'result', 'return', 'output', 'finish'],
  category: 'flow',
  hasEffects: false,
  setsResult: true,
  parameters: Type.Object(
    {
      body: Type.Optional(Type.Unsafe<JsonValue>({ description: "The result; the node's input without it" })),
      statusCode: ResponseStatus,
      headers: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          description: 'Headers of the response to a webhook, name → value',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  check: ({ headers }) => responseHeaderIssues(headers),
  run({ body, statusCode = 200, headers = {} }, { input }) {
    return { kind: 'result', result: { body: body === undefined ? input : body, statusCode, headers } };
  },
});
