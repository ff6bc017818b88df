import type { JsonValue } from '@deckhand/contracts';
import { defineNodeType, type HttpResponse, NodeError, output } from '@deckhand/engine';
import Type from 'typebox';

const MAX_RESPONSE_BYTES = 10_485_760;
/** Statuses that may be gone the next time. */
const RETRYABLE = new Set([408, 425, 429]);
/** Characters of a failed answer's body that its error quotes. */
const EXCERPT = 200;

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

export default defineNodeType({
  type: 'http',
  title: 'HTTP request',
  description:
    'Sends a request and answers `{ status, headers, body }`. Sends an `Idempotency-Key` that stays the same when the node is run again, so that the receiver can tell. A status of 400 or more fails the node unless `acceptErrorStatus` is set.',
  category: 'action',
  hasEffects: true,
  parameters: Type.Object(
    {
      method: Type.Optional(
        Type.Enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], { default: 'GET' }),
      ),
      url: Type.String({ minLength: 1, description: 'Absolute, http or https' }),
      query: Type.Optional(Type.Record(Type.String(), Scalar, { description: 'Added to the query of the url' })),
      headers: Type.Optional(Type.Record(Type.String(), Scalar)),
      body: Type.Optional(
        Type.Unsafe<JsonValue>({
          description:
            'A string is sent as it is, anything else as JSON, or as a form when the content-type header says so',
        }),
      ),
      responseType: Type.Optional(
        Type.Enum(['auto', 'json', 'text', 'binary'], {
          default: 'auto',
          description: 'auto goes by the content type',
        }),
      ),
      followRedirects: Type.Optional(Type.Boolean({ default: true, description: 'At most 10' })),
      maxResponseBytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 104_857_600, default: MAX_RESPONSE_BYTES })),
      acceptErrorStatus: Type.Optional(
        Type.Boolean({ default: false, description: 'A status of 400 or more is an output like any other' }),
      ),
    },
    { additionalProperties: false },
  ),
  sample: () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: {} }),
  async run(parameters, { services, idempotencyKey, signal }) {
    const { method = 'GET', acceptErrorStatus = false, responseType = 'auto' } = parameters;
    const url = withQuery(parameters.url, parameters.query ?? {});
    const headers = new Headers({ 'idempotency-key': idempotencyKey });
    for (const [name, value] of Object.entries(parameters.headers ?? {})) headers.set(name, String(value));
    const body = encodeBody(parameters.body, headers);
    const answer = await services.http.request({
      method,
      url,
      headers: Object.fromEntries(headers),
      body,
      followRedirects: parameters.followRedirects ?? true,
      maxResponseBytes: parameters.maxResponseBytes ?? MAX_RESPONSE_BYTES,
      signal,
    });
    if (answer.status >= 400 && !acceptErrorStatus) throw statusError(method, url, answer);
    return output({ status: answer.status, headers: answer.headers, body: decodeBody(answer, responseType) });
  },
});

function withQuery(text: string, query: Readonly<Record<string, string | number | boolean>>): string {
  if (Object.keys(query).length === 0 || !URL.canParse(text)) return text;
  const url = new URL(text);
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, String(value));
  return url.href;
}

function encodeBody(body: JsonValue | undefined, headers: Headers): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return body;
  const isForm = headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') ?? false;
  if (isForm && typeof body === 'object' && !Array.isArray(body)) {
    const fields = Object.entries(body).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    return new URLSearchParams(fields).toString();
  }
  if (!headers.has('content-type')) headers.set('content-type', 'application/json');
  return JSON.stringify(body);
}

function decodeBody(answer: HttpResponse, responseType: 'auto' | 'json' | 'text' | 'binary'): JsonValue {
  const contentType = answer.headers['content-type'] ?? '';
  const bytes = Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.byteLength);
  const kind = responseType === 'auto' ? kindOf(contentType) : responseType;
  if (kind === 'binary') return { base64: bytes.toString('base64'), contentType, bytes: bytes.byteLength };
  const text = bytes.toString('utf8');
  if (kind === 'text') return text;
  if (text === '') return null;
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch (cause) {
    if (responseType === 'auto') return text;
    throw new NodeError('HTTP_RESPONSE_INVALID', 'the answer is not JSON', { cause });
  }
}

function kindOf(contentType: string): 'json' | 'text' | 'binary' {
  if (/[/+]json\b/i.test(contentType)) return 'json';
  return contentType === '' || /^text\/|xml|javascript|x-www-form-urlencoded/i.test(contentType) ? 'text' : 'binary';
}

/** Names where the request went without its query, which may hold a secret. */
function statusError(method: string, url: string, answer: HttpResponse): NodeError {
  const { origin, pathname } = new URL(url);
  const excerpt = Buffer.from(answer.body).toString('utf8').slice(0, EXCERPT).trim();
  return new NodeError(
    'HTTP_STATUS',
    `${method} ${origin}${pathname} answered ${answer.status}${excerpt === '' ? '' : `: ${excerpt}`}`,
    { isRetryable: answer.status >= 500 || RETRYABLE.has(answer.status) },
  );
}
