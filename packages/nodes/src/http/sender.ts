import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { NodeError, type OpenedCredential } from '@deckhand/engine';
import { credentialHeader } from './credential-header.ts';
import { requestBody, requestHeaders, type Scalar } from './request-parts.ts';
import { errorBody, excerpt, responseBody, type ResponseType } from './response-body.ts';
import { saveResponse } from './response-file.ts';
import { retryAfterMs } from './retry-after.ts';
import type { SenderContext } from './sender-context.ts';
import { sendWithinLimits } from './traffic-limits.ts';

/** Maximum length of a response by default, in bytes. */
export const MAX_RESPONSE_BYTES = 10_485_760;
/** Retryable statuses below 500. */
const RETRYABLE = new Set([408, 425, 429]);

/** The requests of a node: the same one to each of its pages. */
export interface SentRequest {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, Scalar | null>> | undefined;
  readonly body?: JsonValue | undefined;
  /** `file` stores the response. */
  readonly responseType?: ResponseType | 'file' | undefined;
  readonly followRedirects?: boolean | undefined;
  /** Of all pages together. */
  readonly maxResponseBytes?: number | undefined;
  readonly acceptErrorStatus?: boolean | undefined;
  /** The header of credentials in the URL. */
  readonly authorization?: string | undefined;
  readonly credential: OpenedCredential | undefined;
  /** The header with the idempotency key; `Idempotency-Key` by default. */
  readonly idempotencyHeader?: string | undefined;
  /** The header of an API key whose credential names none; `x-api-key` by default. */
  readonly apiKeyHeader?: string | undefined;
  /** The secret that belongs into the path of the URL; then `credential` is sent nowhere else. */
  readonly pathSecret?: string | undefined;
  /** Returns what the service says about an error; undefined if its response does not say it. */
  readonly errorMessage?: ((body: JsonValue) => string | undefined) | undefined;
}

/** A response as nodes return it. */
type Response = JsonObject & { readonly headers: JsonObject };

/**
 * Creates the function that sends a request of a node within the limits of its credential. After a 401, a token of
 * OAuth 2.0 is refreshed, and the request sent once more.
 * @returns a function of the URL, and the number of the page from 0, which is part of its idempotency key. It throws
 * NodeError HTTP_STATUS, and those of the HTTP client, of limits and of bodies.
 */
export function createSender(
  sent: SentRequest,
  { services, files, idempotencyKey, signal, now }: SenderContext,
): (url: URL, number: number) => Promise<Response> {
  const { method = 'GET', acceptErrorStatus = false, responseType = 'auto', followRedirects = true } = sent;
  const { authorization, credential, idempotencyHeader } = sent;
  // A response with an error status is not stored.
  const parsedAs = responseType === 'file' ? 'auto' : responseType;
  // All pages together.
  let bytesLeft = sent.maxResponseBytes ?? MAX_RESPONSE_BYTES;
  let current = credential;

  async function exchange(url: URL, number: number, ticket: string) {
    const secret = current && sent.pathSecret === undefined ? credentialHeader(current, sent.apiKeyHeader) : undefined;
    const key = number === 0 ? idempotencyKey : `${idempotencyKey}:page${number}`;
    const headers = requestHeaders(sent.headers, { idempotencyKey: key, idempotencyHeader, authorization, secret });
    const body = await requestBody(sent.body, headers, files);
    const request = {
      method,
      url: url.href,
      headers: Object.fromEntries(headers),
      pathSecret: sent.pathSecret,
      ...(secret ? { secretHeaders: [secret.name] } : {}),
      exemptOrigin: credential?.ownOrigin,
      body,
      followRedirects,
      maxResponseBytes: bytesLeft,
      ...(responseType === 'file' && { saveBody: saveResponse(files, sent.maxResponseBytes) }),
      signal: signal(),
    };
    return sendWithinLimits(request, {
      services,
      limits: credential?.traffic,
      ticket: `${key}${ticket}`,
      mayRest: number === 0,
    });
  }

  /** Sends a request, and once more with another token if the server does not accept that of OAuth 2.0. */
  async function exchangeRenewed(url: URL, number: number) {
    const first = await exchange(url, number, '');
    const renewed = first.answer.status === 401 ? await current?.renew?.() : undefined;
    if (!renewed) return first;
    current = renewed;
    return exchange(url, number, ':renewed');
  }

  return async (url, number) => {
    const { answer, waitedMs } = await exchangeRenewed(url, number);
    const { status, setCookies } = answer;
    if (status >= 400 && !acceptErrorStatus) {
      const body = errorBody(answer, parsedAs);
      // Returns the URL without its query, which may contain a secret.
      const message = [
        `${method} ${url.origin}${url.pathname} answered ${status}`,
        sent.errorMessage?.(body) ?? excerpt(answer),
      ];
      throw new NodeError('HTTP_STATUS', message.filter(Boolean).join(': '), {
        isRetryable: status >= 500 || RETRYABLE.has(status),
        minRetryDelayMs: retryAfterMs(answer.headers, now()),
        details: { status, headers: answer.headers, body },
      });
    }
    bytesLeft -= answer.body.byteLength;
    const cookies: JsonObject = setCookies.length > 0 ? { 'set-cookie': setCookies } : {};
    const waited: JsonObject = waitedMs === undefined ? {} : { waitedMs };
    const content = answer.file ?? responseBody(answer, parsedAs);
    return { status, headers: { ...answer.headers, ...cookies }, body: content, ...waited };
  };
}
