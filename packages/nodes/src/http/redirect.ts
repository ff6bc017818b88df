import { type HttpRequest, NodeError } from '@deckhand/engine';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Headers that must not reach another origin than the one they were meant for. */
const ORIGIN_HEADERS = new Set(['authorization', 'cookie', 'host', 'proxy-authorization', 'x-api-key']);
/** Headers that speak of a body that is not sent any more. */
const BODY_HEADERS = new Set(['content-type', 'content-encoding', 'content-language', 'content-location']);

/**
 * The request that a redirect asks for (RFC 9110, 15.4); undefined when the answer is none. 303 always, and 301 and 302
 * after POST, turn into a GET without a body. Credentials stay with their origin; those in the new address are ignored.
 * @throws NodeError HTTP_REQUEST_FAILED for one that leads elsewhere than to http or https.
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
