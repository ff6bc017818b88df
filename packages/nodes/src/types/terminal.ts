import type { JsonValue } from '@deckhand/contracts';
import { defineNodeType } from '@deckhand/engine';
import Type from 'typebox';
import { checkSendable, responseHeaderIssues, ResponseStatus } from '../http/webhook-response.ts';

export default defineNodeType({
  type: 'terminal',
  title: 'End (result)',
  description:
    "Sets the run's result, which a webhook on completion responds with. Without a `body`, the result is the node's input. A webhook responds with the bytes of a file, `{ base64, contentType }`, unless the headers name a JSON type. If a run reaches several of these nodes, the last one counts.",
  keywords: ['end', 'result', 'return', 'output', 'finish'],
  category: 'flow',
  icon: 'flag',
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
  run({ body: given, statusCode = 200, headers = {} }, { input }) {
    const body = given === undefined ? input : given;
    const result = { kind: 'result', result: { body, statusCode, headers } } as const;
    const check = checkSendable(body, headers);
    return check ? check.then(() => result) : result;
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
