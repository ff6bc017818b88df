import { CONNECTOR_NAME, CONNECTOR_OPERATION, CONNECTOR_VERSION, type JsonObject } from '@deckhand/contracts';
import { defineNodeType, NodeError, output } from '@deckhand/engine';
import Type from 'typebox';
import { bodyOf, prepareCall, toPagination } from '../connectors/call-operation.ts';
import { readPages } from '../http/pagination.ts';
import { MAX_RESPONSE_BYTES } from '../http/sender.ts';

const Parameters = Type.Object(
  {
    connector: Type.String({
      pattern: CONNECTOR_NAME,
      description: 'The name of a [connector](../connectors.md): a built-in one, or one of the workspace',
    }),
    version: Type.String({
      pattern: CONNECTOR_VERSION,
      description: 'Its version, such as `1.0.0`, which never changes',
    }),
    operation: Type.String({ pattern: CONNECTOR_OPERATION, description: 'What it does, such as `issue.create`' }),
    values: Type.Optional(
      Type.Unsafe<JsonObject>({
        type: 'object',
        description:
          'The values of the operation, by place: `path`, `query`, `header`, `cookie` and `server`, each by name, and `body`. Null leaves an optional one empty. They change neither the server nor the path of the request',
      }),
    ),
    allPages: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'For an operation with pages: read all of them, and return one list of their items',
      }),
    ),
    maxPages: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_000, default: 100, description: 'A further page fails the node' }),
    ),
    responseType: Type.Optional(
      Type.Enum(['auto', 'json', 'text', 'binary', 'file'], {
        default: 'auto',
        description: 'How the response is parsed, as that of an [http](http.md) node',
      }),
    ),
    maxResponseBytes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 104_857_600,
        default: MAX_RESPONSE_BYTES,
        description: 'A longer response fails the node; all pages together with `allPages`',
      }),
    ),
    acceptErrorStatus: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Return a response with a status of 400 or more, or one that says that the request failed, instead of failing',
      }),
    ),
  },
  { additionalProperties: false },
);

export default defineNodeType({
  type: 'connector',
  title: 'Connector',
  description:
    'Calls an operation of a service that a connector describes, and returns `{ status, headers, body }` of its response, or with `allPages` the list of the items of all pages. The connector says where the request goes, which headers and defaults it has, how pages are read, and where a response says what went wrong; the values are checked against the schema of the operation. It sends as an [http](http.md) node does: with the same limits, retries, files and idempotency. A limit of requests in the connector applies to a credential without one of its own.',
  keywords: ['service', 'integration', 'openapi', 'swagger', 'api', 'app', 'action', 'operation'],
  category: 'action',
  icon: 'globe',
  summary: '{connector}: {operation}',
  hasEffects: true,
  parameters: Parameters,
  check({ allPages, responseType }) {
    const isStored = allPages === true && responseType === 'file';
    return isStored ? [{ path: 'responseType', message: 'must not be file with allPages' }] : [];
  },
  sample: ({ allPages = false }) =>
    allPages ? [] : { status: 200, headers: { 'content-type': 'application/json' }, body: {} },
  credential: { types: ['apiKey', 'basic', 'bearer', 'header', 'oauth2'] },
  errors: [
    'ADDRESS_REFUSED',
    'CIRCUIT_OPEN',
    'CONNECTOR_NOT_FOUND',
    'FILE_NOT_FOUND',
    'FILE_TOO_LARGE',
    'HTTP_NEXT_PAGE_INVALID',
    'HTTP_REQUEST_FAILED',
    'HTTP_RESPONSE_FAILED',
    'HTTP_RESPONSE_INVALID',
    'HTTP_STATUS',
    'HTTP_TOO_MANY_PAGES',
    'MEMORY_EXCEEDED',
    'RATE_LIMITED',
    'RESPONSE_TOO_LARGE',
    'RESULT_TOO_LARGE',
    'STORAGE_FULL',
  ],
  async run(parameters, context) {
    const { allPages = false } = parameters;
    const { operation, url, send } = await prepareCall(parameters, context);
    if (!allPages) return output(await send(url, 0));
    if (!operation.paging)
      throw new NodeError('PARAMETERS_INVALID', 'parameters.allPages needs an operation with pages', {
        isRetryable: false,
      });
    const pagination = toPagination(operation.paging, parameters.maxPages);
    // A failure of the first page is one of the node, whose run can rest before another attempt.
    const read = (at: URL, number: number) =>
      number === 0 ? send(at, number) : context.retryPart(() => send(at, number));
    return output(await readPages(pagination, { first: url, read, next: (page) => operation.nextPage(bodyOf(page)) }));
  },
  example: {
    trigger: { order: 17 },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'report',
          type: 'connector',
          parameters: {
            connector: 'tracker',
            version: '1.0.0',
            operation: 'issue.create',
            values: { body: { title: 'Order {{ $trigger.order }} is late' } },
          },
          retry: { maxAttempts: 3 },
        },
      ],
      edges: [{ source: 'start', target: 'report' }],
    },
    request: {
      method: 'POST',
      url: 'https://tracker.example.com/issues',
      body: '{"priority":"normal","title":"Order 17 is late","source":"deckhand"}',
    },
    response: { status: 201, headers: { 'content-type': 'application/json' }, body: '{"id":4}' },
    outputs: { report: { status: 201, headers: { 'content-type': 'application/json' }, body: { id: 4 } } },
  },
});
