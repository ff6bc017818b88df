import type { HttpRequest, HttpResponse } from '@deckhand/engine';

/** Statuses whose responses have no body (Fetch Standard, null body status). */
const WITHOUT_BODY = new Set([101, 103, 204, 205, 304]);
/** Headers with the key of a provider: they never follow a redirect. */
const SECRET_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key'];

/** What each request of a client has in common. */
export type RequestLimits = Pick<HttpRequest, 'maxResponseBytes' | 'maxSilenceMs' | 'signal'>;

/**
 * Returns a `fetch` for clients of providers that sends requests by the HTTP client of nodes, with its rules for
 * addresses, its limits and its proxies. It supports what those clients use: texts as bodies, and no redirects.
 * @param send sends one request. Its errors reach the caller of `fetch` as they are.
 */
export function guardedFetch(
  send: (request: HttpRequest) => Promise<HttpResponse>,
  limits: RequestLimits,
): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const { body = null } = init;
    if (body !== null && typeof body !== 'string') throw new TypeError('the body of a request must be a text');
    const answer = await send({
      ...limits,
      method: init.method ?? 'GET',
      url: input instanceof Request ? input.url : String(input),
      headers: Object.fromEntries(new Headers(init.headers)),
      secretHeaders: SECRET_HEADERS,
      body: body ?? undefined,
      followRedirects: false,
      // Providers do not begin a request that they have not read.
      isRepeatable: true,
    });
    const content = WITHOUT_BODY.has(answer.status) ? null : Uint8Array.from(answer.body);
    return new Response(content, { status: answer.status, headers: answer.headers });
  };
}
