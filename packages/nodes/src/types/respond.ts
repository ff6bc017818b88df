import type { JsonValue } from '@deckhand/contracts';
import { defineNodeType, NodeError, output } from '@deckhand/engine';
import Type from 'typebox';
import { checkSendable, responseHeaderIssues, ResponseStatus } from '../http/webhook-response.ts';

const MAX_HEADERS = 50;
/** Maximum size of the headers, and of the whole response, as JSON. */
const MAX_HEADER_BYTES = 16_384;
const MAX_RESPONSE_BYTES = 1_048_576;

export default defineNodeType({
  type: 'respond',
  title: 'Respond to webhook',
  description:
    'Responds to the caller of a webhook with `responseMode: "onCompletion"`, while the run goes on. Without a `body`, the response has the node\'s input. Of several such nodes in a run, the first one counts, also against the result of the run. Returns `{ outcome, statusCode, headers, body }`: `responded`; `alreadyResponded`, if another node was first; or `noCaller`, in a run for which nobody waits, such as one that was started by the API.',
  keywords: ['response', 'reply', 'answer', 'status code', 'return'],
  category: 'flow',
  icon: 'reply',
  hasEffects: true,
  parameters: Type.Object(
    {
      body: Type.Optional(
        Type.Unsafe<JsonValue>({
          description:
            "A text is sent as it is, a [file](../files.md) as its bytes unless the headers name a JSON type, anything else as JSON; the node's input without it. Up to 1 MiB",
        }),
      ),
      statusCode: ResponseStatus,
      headers: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          maxProperties: MAX_HEADERS,
          description: 'Headers of the response, name → value, up to 16 KiB',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  check: ({ headers }) => responseHeaderIssues(headers),
  sample: ({ body = null, statusCode = 200, headers = {} }) => ({ outcome: 'noCaller', statusCode, headers, body }),
  errors: ['RESPONSE_TOO_LARGE'],
  async run({ body: given, statusCode = 200, headers = {} }, { services, input, executionId, nodeId, iteration }) {
    const body = given === undefined ? input : given;
    requireSize('headers', headers, MAX_HEADER_BYTES);
    requireSize('response', { body, headers }, MAX_RESPONSE_BYTES);
    await checkSendable(body, headers);
    const response = { statusCode, headers, body };
    const outcome = await services.responses.send({ executionId, nodeId, iteration, ...response });
    return output({ outcome, ...response });
  },
  example: {
    trigger: { body: { order: 'A-1' } },
    definition: {
      nodes: [
        { id: 'hook', type: 'trigger.webhook', parameters: { responseMode: 'onCompletion' } },
        {
          id: 'reply',
          type: 'respond',
          parameters: {
            statusCode: 202,
            headers: { 'x-order': '{{ $trigger.body.order }}' },
            body: { accepted: '{{ $trigger.body.order }}' },
          },
        },
        { id: 'pick', type: 'set', parameters: { fields: { picked: '{{ $trigger.body.order }}' } } },
      ],
      edges: [
        { source: 'hook', target: 'reply' },
        { source: 'reply', target: 'pick' },
      ],
    },
    outputs: {
      reply: {
        outcome: 'responded',
        statusCode: 202,
        headers: { 'x-order': 'A-1' },
        body: { accepted: 'A-1' },
      },
      pick: { picked: 'A-1' },
    },
  },
});

/** @throws NodeError RESPONSE_TOO_LARGE */
function requireSize(name: string, value: JsonValue, maxBytes: number): void {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= maxBytes) return;
  const message = `the ${name} of ${bytes} bytes is larger than ${maxBytes}`;
  throw new NodeError('RESPONSE_TOO_LARGE', message, { isRetryable: false });
}
