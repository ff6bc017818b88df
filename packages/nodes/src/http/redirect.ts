import { type HttpRequest, NodeError } from '@deckhand/engine';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Headers that must not be sent to another origin. */
const ORIGIN_HEADERS = new Set(['authorization', 'cookie', 'host', 'proxy-authorization', 'x-api-key']);
/** Headers of a body that is no longer sent. */
const BODY_HEADERS = new Set(['content-type', 'content-encoding', 'content-language', 'content-location']);

/**
 * Returns the request that a redirect asks for (RFC 9110, 15.4); undefined if the response is not a redirect. 303
 * always, and 301 and 302 after POST, become a GET without a body. Credentials stay with their origin; credentials in
 * the new address are ignored.
 * @throws NodeError HTTP_REQUEST_FAILED for a redirect to another protocol than http or https.
 */
export function redirect(
  request: HttpRequest,
  status: number,
  headers: Readonly<Record<string, string>>,
): HttpRequest | undefined {
  const { location } = headers;
  if (!REDIRECTS.has(status) || location === undefined || !URL.canParse(location, request.url)) return undefined;
  const from = new URL(request.url);
  const to = new URL(location, from);
  if (to.protocol !== 'http:' && to.protocol !== 'https:') {
    const message = `${from.origin}${from.pathname} redirects to ${to.protocol}, which is neither http nor https`;
    throw new NodeError('HTTP_REQUEST_FAILED', message, { isRetryable: false });
  }
  to.username = '';
  to.password = '';
  const becomesGet = (status === 303 && request.method !== 'HEAD') || (status < 303 && request.method === 'POST');
  const secret = new Set([...ORIGIN_HEADERS, ...(request.secretHeaders ?? []).map((name) => name.toLowerCase())]);
  const isKept = (name: string): boolean =>
    !(to.origin !== from.origin && secret.has(name.toLowerCase())) &&
    !(becomesGet && BODY_HEADERS.has(name.toLowerCase()));
  return {
    ...request,
    url: to.href,
    method: becomesGet ? 'GET' : request.method,
    body: becomesGet ? undefined : request.body,
    headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => isKept(name))),
  };
}
