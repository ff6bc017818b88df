import type { ValidationIssue, JsonValue } from '@deckhand/contracts';
import { defineNodeType, output } from '@deckhand/engine';
import Type from 'typebox';
import { Pagination, paginationIssues, readPages } from '../http/pagination.ts';
import { isHttpUrl, requestUrl, type QueryValue, type Scalar } from '../http/request-parts.ts';
import { createSender, MAX_RESPONSE_BYTES } from '../http/sender.ts';

const SCALAR = { type: ['string', 'number', 'boolean', 'null'] };
const QueryValue = Type.Unsafe<QueryValue>({ type: [...SCALAR.type, 'array'], items: SCALAR });

const Parameters = Type.Object(
  {
    method: Type.Optional(
      Type.Enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], {
        default: 'GET',
        description: 'The method of the request',
      }),
    ),
    url: Type.String({
      minLength: 1,
      description: 'Absolute, http or https; credentials in it are sent as Basic authentication',
    }),
    query: Type.Optional(
      Type.Record(Type.String(), QueryValue, {
        description: 'Name → value or list of values, added to the query of the url; null is left out',
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.Unsafe<Scalar | null>(SCALAR), {
        description: 'Name → value; null leaves the header out',
      }),
    ),
    body: Type.Optional(
      Type.Unsafe<JsonValue>({
        description:
          'A string is sent as it is, a [file](../files.md) (`{ file }` or `{ base64, contentType }`) as its bytes unless the content-type header is JSON, anything else as JSON, or an object as a form if the header is application/x-www-form-urlencoded or multipart/form-data; null sends no body. In UTF-8, or the `charset` of the header',
      }),
    ),
    responseType: Type.Optional(
      Type.Enum(['auto', 'json', 'text', 'binary', 'file'], {
        default: 'auto',
        description:
          'How the response is parsed: `auto` follows its content type, `binary` returns `{ base64, contentType, bytes }`, and `file` stores it while it comes and returns a [file](../files.md), of any size up to the limits of files; [a download that breaks off is continued](../files.md#interrupted-downloads)',
      }),
    ),
    followRedirects: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'At most 10, with the cookies that they set; credentials are left out once the origin changes',
      }),
    ),
    maxResponseBytes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 104_857_600,
        default: MAX_RESPONSE_BYTES,
        description:
          'A longer response, also after decompression, fails the node; all pages together with `pagination`. By default, only the limits of files apply to the `responseType` `file`',
      }),
    ),
    acceptErrorStatus: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Return a response with a status of 400 or more instead of failing',
      }),
    ),
    pagination: Type.Optional(Pagination),
  },
  { additionalProperties: false },
);

export default defineNodeType({
  type: 'http',
  title: 'HTTP request',
  description:
    'Sends a request and returns `{ status, headers, body }`: header names in lower case, several of one name joined by ", ", except `set-cookie`, which is always a list. Sends an `Idempotency-Key` that stays the same when the node is retried, so that the receiver can recognise it. A status of 400 or more fails the node unless `acceptErrorStatus` is set; with `onError`, and in a `try`, `error` then also has `status`, `headers` and `body` of the response; 408, 425, 429, 500 and above, and requests without a response can be retried, with `retry`, and not before the time that a `Retry-After` header names, up to a day. Integers in JSON above 2^53, and numbers above 1.8e308, become text. A request with an idempotent method (not POST or PATCH) is sent again at once if the server has closed the connection that was kept for it. After a 401, an OAuth 2.0 credential is refreshed, and the request sent once more. A credential may limit its requests to a host: `waitedMs` of the response is how long the request waited, and beyond the limits the node fails with `RATE_LIMITED` or `CIRCUIT_OPEN`, which can be retried.',
  keywords: [
    'api',
    'rest',
    'url',
    'fetch',
    'curl',
    'call',
    'get',
    'post',
    'graphql',
    'slack',
    'discord',
    'teams',
    'telegram',
    'download',
    'integration',
  ],
  category: 'action',
  icon: 'globe',
  summary: '{method} {url}',
  hasEffects: true,
  parameters: Parameters,
  outputSchema: Type.Object({
    status: Type.Integer(),
    headers: Type.Record(Type.String(), Type.Unsafe<JsonValue>({})),
    body: Type.Unsafe<JsonValue>({}),
  }),
  deferred: { path: 'pagination.next', names: ['$response'] },
  check({ url, pagination, responseType }): ValidationIssue[] {
    const isValid = typeof url !== 'string' || url.includes('{{') || isHttpUrl(url);
    const ofUrl = isValid ? [] : [{ path: 'url', message: 'must be an absolute http or https address' }];
    const isPaged = pagination !== undefined && responseType === 'file';
    const ofType = isPaged ? [{ path: 'responseType', message: 'must not be file with pagination' }] : [];
    return [...ofUrl, ...ofType, ...paginationIssues(pagination)];
  },
  sample: ({ pagination }) => {
    const page = { status: 200, headers: { 'content-type': 'application/json' }, body: {} };
    if (!pagination) return page;
    return pagination.output === 'items' ? [] : [page];
  },
  credential: { types: ['apiKey', 'basic', 'bearer', 'header', 'oauth2'] },
  errors: [
    'ADDRESS_REFUSED',
    'CIRCUIT_OPEN',
    'FILE_NOT_FOUND',
    'FILE_TOO_LARGE',
    'HTTP_NEXT_PAGE_INVALID',
    'HTTP_REQUEST_FAILED',
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
    const { url, authorization } = requestUrl(parameters.url, parameters.query);
    const credential = await context.credential(url);
    const send = createSender({ ...parameters, authorization, credential }, context);
    const { pagination } = parameters;
    if (!pagination) return output(await send(url, 0));
    // A failure of the first page is one of the node, whose run can rest before another attempt.
    const read = (at: URL, number: number) =>
      number === 0 ? send(at, number) : context.retryPart(() => send(at, number));
    return output(await readPages(pagination, { first: url, read, next: context.deferred }));
  },
  example: {
    trigger: { order: 17 },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'send',
          type: 'http',
          parameters: {
            method: 'POST',
            url: 'https://api.example.com/orders',
            query: { notify: true },
            headers: { authorization: 'Bearer {{ $vars.apiToken }}' },
            body: { order: '{{ $trigger.order }}' },
          },
          retry: { maxAttempts: 3 },
        },
      ],
      edges: [{ source: 'start', target: 'send' }],
    },
    vars: { apiToken: 'token' },
    request: { method: 'POST', url: 'https://api.example.com/orders?notify=true', body: '{"order":17}' },
    response: { status: 201, headers: { 'content-type': 'application/json' }, body: '{"id":"A-17"}' },
    outputs: { send: { status: 201, headers: { 'content-type': 'application/json' }, body: { id: 'A-17' } } },
  },
});
