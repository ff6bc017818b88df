import type { HttpRequest } from '@deckhand/engine';

/** Headers that must not reach another origin than the one they were meant for. */
const PRIVATE_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization', 'x-api-key']);
/** Headers that speak of a body that is not sent any more. */
const BODY_HEADERS = new Set(['content-type', 'content-length', 'content-encoding']);

/**
 * The request that a redirect asks for (RFC 9110, 15.4); undefined when the answer is none. 303 always, and 301 and 302
 * after POST, turn into a GET without a body. Credentials stay with their origin.
 */
export function redirect(
  request: HttpRequest,
  status: number,
  headers: Readonly<Record<string, string>>,
): HttpRequest | undefined {
  const { location } = headers;
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined || !URL.canParse(location, request.url)) {
    return undefined;
  }
  const from = new URL(request.url);
  const to = new URL(location, from);
  const becomesGet = (status === 303 && request.method !== 'HEAD') || (status < 303 && request.method === 'POST');
  const isKept = (name: string): boolean =>
    !(to.origin !== from.origin && PRIVATE_HEADERS.has(name.toLowerCase())) &&
    !(becomesGet && BODY_HEADERS.has(name.toLowerCase()));
  return {
    ...request,
    url: to.href,
    method: becomesGet ? 'GET' : request.method,
    body: becomesGet ? undefined : request.body,
    headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => isKept(name))),
  };
}
