import {
  CONNECTOR_NAME,
  CONNECTOR_OPERATION,
  CONNECTOR_VERSION,
  type CredentialRateLimit,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type PackPaging,
} from '@deckhand/contracts';
import {
  type ConnectorOperation,
  defineNodeType,
  type NodeContext,
  NodeError,
  type OpenedCredential,
  output,
} from '@deckhand/engine';
import Type, { type Static } from 'typebox';
import { type Pagination, readPages } from '../http/pagination.ts';
import { requestUrl } from '../http/request-parts.ts';
import { createSender, MAX_RESPONSE_BYTES } from '../http/sender.ts';

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
    const { values = {}, allPages = false } = parameters;
    const operation = await findOperation(parameters, context);
    if (allPages && !operation.paging) throw invalid('allPages', 'needs an operation with pages');
    const issues = await operation.check(values);
    if (issues.length > 0) throw invalid('values', issues);
    const request = operation.request(values);
    const { url, authorization } = requestUrl(request.url);
    const opened = await context.credential(url);
    const credential = opened && withLimit(opened, operation.rateLimit, context.credentialId);
    const sendRequest = createSender(
      {
        ...parameters,
        ...request,
        authorization,
        credential,
        apiKeyHeader: opened && fittingHeader(opened, operation),
        idempotencyHeader: operation.idempotencyHeader,
        errorMessage: (body) => operation.errorMessage(body),
      },
      context,
    );
    const send: typeof sendRequest = async (at, number) => {
      const response = await sendRequest(at, number);
      if (parameters.acceptErrorStatus !== true)
        refuseFailure(response, operation, `${request.method} ${at.origin}${at.pathname}`);
      return response;
    };
    if (!allPages || !operation.paging) return output(await send(url, 0));
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

async function findOperation(
  { connector, version, operation }: Static<typeof Parameters>,
  { services, workspaceId }: NodeContext,
): Promise<ConnectorOperation> {
  const found = await services.connectors.find(workspaceId, { connector, version, operation });
  if (found) return found;
  const message = `the workspace has no operation ${operation} of the connector ${connector} ${version}`;
  throw new NodeError('CONNECTOR_NOT_FOUND', message, { isRetryable: false });
}

/** Returns a credential with the limit of the connector, if it has none of its own. */
function withLimit(
  credential: OpenedCredential,
  rateLimit: CredentialRateLimit | undefined,
  credentialId: string | undefined,
): OpenedCredential {
  const { traffic } = credential;
  if (!rateLimit || credentialId === undefined || traffic?.rateLimit) return credential;
  const limited = { credentialId, circuit: traffic?.circuit ?? null, rateLimit };
  return { ...credential, traffic: limited };
}

/**
 * Returns the header of an API key, by the preset that a credential fits.
 * @throws NodeError CREDENTIAL_UNSUITABLE if it fits none of them.
 */
function fittingHeader(credential: OpenedCredential, { credentials }: ConnectorOperation): string | undefined {
  const type = credential.renew ? 'oauth2' : credential.type;
  const preset = credentials.find((each) => each.type === type);
  if (preset || credentials.length === 0) return preset?.header;
  const types = credentials.map((each) => each.type).join(', ');
  const message = `the connector takes a credential of type ${types}, and not ${type}`;
  throw new NodeError('CREDENTIAL_UNSUITABLE', message, { isRetryable: false });
}

/**
 * @param request without the query, which may contain a secret.
 * @throws NodeError HTTP_RESPONSE_FAILED for a response that says that the service did not do what was asked.
 */
function refuseFailure(response: JsonObject, operation: ConnectorOperation, request: string): void {
  const body = bodyOf(response);
  if (!operation.isFailure(body)) return;
  const message = `${request} says that it failed: ${operation.errorMessage(body) ?? 'without a message'}`;
  throw new NodeError('HTTP_RESPONSE_FAILED', message, {
    isRetryable: true,
    details: { status: response.status ?? null, body },
  });
}

function toPagination({ mode, parameter, start, items }: PackPaging, maxPages: number | undefined): Pagination {
  return {
    mode: mode === 'cursor' || mode === 'url' ? 'next' : mode,
    output: 'items',
    ...(parameter !== undefined && { parameter }),
    ...(start !== undefined && { start }),
    ...(items !== undefined && { items }),
    ...(maxPages !== undefined && { maxPages }),
  };
}

function bodyOf(page: JsonValue): JsonValue {
  return isJsonObject(page) ? (page.body ?? null) : null;
}

function invalid(
  parameter: string,
  problem: string | readonly { readonly path: string; readonly message: string }[],
): NodeError {
  const text =
    typeof problem === 'string'
      ? `parameters.${parameter} ${problem}`
      : problem
          .map(({ path, message }) => `parameters.${parameter}${path === '' ? '' : `.${path}`} ${message}`)
          .join('; ');
  return new NodeError('PARAMETERS_INVALID', text, { isRetryable: false });
}
