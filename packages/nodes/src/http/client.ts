import { SECRET_IN_PATH } from '@deckhand/contracts';
import { type HttpClient, type HttpRequest, type HttpResponse, NodeError, type StreamedBody } from '@deckhand/engine';
import { headerText, type OutboundSettings } from '@deckhand/runtime';
import { isIPv6 } from 'node:net';
import { Readable } from 'node:stream';
import { types } from 'node:util';
import { type AddressRules, ANY_ADDRESS, PUBLIC_ONLY, resolveHost } from '../network/addresses.ts';
import { type ChainCookies, createChainCookies } from './chain-cookies.ts';
import type { Dispatchers } from './dispatcher.ts';
import { proxyFor, type ProxySettings } from './proxy.ts';
import { decodedBody, readBody } from './read-body.ts';
import { redirect } from './redirect.ts';
import { resumedBody } from './resumed-body.ts';
import { untilAborted } from '../network/until-aborted.ts';
import { holdMemory, type OptionalBudget } from '../work/hold-memory.ts';

const MAX_REDIRECTS = 10;
/** Bytes of a redirect's own body that are read to keep its connection. */
const REDIRECT_BODY_BYTES = 65_536;
/** Methods of which a server may get the same request twice (RFC 9110, 9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);
/** Messages of undici for requests that it cannot write: retrying them is useless. */
const UNSENDABLE = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH']);

/** Schemes that authenticate a connection, not a request (RFC 4559, 6): it would let in later requests of others. */
const CONNECTION_BOUND = /^\s*(ntlm|negotiate)\b/i;

/** An HTTP client with its own pools of connections. */
export interface PooledHttpClient extends HttpClient {
  /** Resolves once the requests in progress are answered. */
  close(): Promise<void>;
}

/** Options of a client. */
export interface HttpClientOptions {
  /** Whether private addresses may be reached. */
  readonly allowPrivate: boolean;
  /**
   * The proxy is asked to connect to the checked address, unless private ones are allowed or it resolves names itself.
   * In that case, names that resolve to private addresses here are refused before the proxy is asked.
   */
  readonly proxy?: ProxySettings | undefined;
  /** The memory budget for bodies while they are read. */
  readonly memory?: OptionalBudget;
  /** Replaces the rules of `allowPrivate`. */
  readonly rules?: AddressRules;
}

/** Returns the options of a client by the settings of a process. */
export function httpClientOptions(settings: OutboundSettings): HttpClientOptions {
  return {
    allowPrivate: settings.HTTP_NODE_ALLOW_PRIVATE,
    proxy: {
      httpProxy: settings.HTTP_PROXY,
      httpsProxy: settings.HTTPS_PROXY,
      noProxy: settings.NO_PROXY,
      resolvesNames: settings.HTTP_PROXY_RESOLVES,
    },
  };
}

/**
 * Creates the HTTP client that the nodes of a process share. Its pools are created with the first request: many
 * processes send none.
 */
export function createHttpClient(options: HttpClientOptions): PooledHttpClient {
  const { allowPrivate, proxy = {}, rules = allowPrivate ? ANY_ADDRESS : PUBLIC_ONLY } = options;
  const asksForAddresses = !allowPrivate && proxy.resolvesNames !== true;
  const pools = new Map<AddressRules, Promise<Dispatchers>>();
  const open = async (held: AddressRules): Promise<Dispatchers> =>
    (await import('./dispatcher.ts')).createDispatchers({ rules: held, tunnelsAll: asksForAddresses });

  async function send(url: URL, request: HttpRequest, cookies: ChainCookies | undefined): Promise<Step> {
    const held = url.origin === request.exemptOrigin ? ANY_ADDRESS : rules;
    const proxyUrl = proxyFor(url, proxy);
    const checked = proxyUrl === undefined || allowPrivate ? undefined : await resolveHost(url.hostname, held);
    const opened = pools.get(held) ?? open(held);
    pools.set(held, opened);
    const dispatchers = await opened;
    const address = asksForAddresses ? checked : undefined;
    return exchange(dispatchers, proxyUrl, { url, request, cookies, memory: options.memory, address });
  }

  return {
    request: (request) =>
      follow(request, async (each, cookies) => {
        const url = new URL(each.url);
        try {
          return await untilAborted(each.signal, () => send(url, each, cookies));
        } catch (error) {
          throw toNodeError(error, url);
        }
      }),
    async close() {
      await Promise.all([...pools.values()].map(async (opened) => (await opened).close()));
    },
  };
}

/** The response to one request, or the request that a redirect asks for, and the cookies that it sets. */
type Step =
  { readonly response: HttpResponse } | { readonly next: HttpRequest; readonly setCookies: readonly string[] };

async function follow(
  first: HttpRequest,
  exchangeOne: (request: HttpRequest, cookies: ChainCookies | undefined) => Promise<Step>,
): Promise<HttpResponse> {
  let request = first;
  let cookies: ChainCookies | undefined;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const step = await exchangeOne(request, cookies);
    if ('response' in step) return step.response;
    if (step.setCookies.length > 0) {
      cookies ??= await createChainCookies();
      await cookies.keep(step.setCookies, request.url);
    }
    request = step.next;
  }
  const { origin, pathname } = new URL(first.url);
  const message = `${origin}${pathname}: more than ${MAX_REDIRECTS} redirects`;
  throw new NodeError('HTTP_REQUEST_FAILED', message, { isRetryable: false });
}

/** A request, and how to send it. */
interface Exchange {
  readonly url: URL;
  readonly request: HttpRequest;
  /** The cookies that earlier responses of the chain have set. */
  readonly cookies: ChainCookies | undefined;
  readonly memory: OptionalBudget;
  /** The address to connect to instead of the URL's host, which the request still names. */
  readonly address: string | undefined;
}

async function exchange(
  dispatchers: Dispatchers,
  proxyUrl: string | undefined,
  { url, request, cookies, memory, address }: Exchange,
): Promise<Step> {
  const { method, signal, maxResponseBytes, maxSilenceMs } = request;
  const { search } = url;
  const { pathSecret } = request;
  // A function, because `$` in a text would be special.
  const pathname = pathSecret === undefined ? url.pathname : url.pathname.replace(SECRET_IN_PATH, () => pathSecret);
  const origin = address === undefined ? url.origin : originAt(url, address);
  const given = cookies ? await cookies.addTo(request) : request.headers;
  const { body } = request;
  const headers = {
    ...(address !== undefined && { host: url.host }),
    ...given,
    ...(isStreamed(body) && { 'content-length': String(body.bytes) }),
  };
  // With `reset`, the connection is closed after the response.
  const reset = Object.entries(headers).some(
    ([name, value]) => name.toLowerCase() === 'authorization' && CONNECTION_BOUND.test(value),
  );
  const parts = () => ({
    ...{ origin, path: pathname + search, method, headers, signal, reset },
    ...(maxSilenceMs !== undefined && { headersTimeout: maxSilenceMs, bodyTimeout: maxSilenceMs }),
    body: isStreamed(body) ? Readable.from(body.open(), { objectMode: false }) : (body ?? null),
  });
  const answer = await dispatchers
    .through(proxyUrl)
    .request(parts())
    .catch((error: unknown) => {
      const mayRepeat = request.isRepeatable === true || IDEMPOTENT.has(method);
      if (!mayRepeat || !dispatchers.endedKeptConnection(error)) throw error;
      return dispatchers.fresh().request(parts());
    });
  const { 'set-cookie': setCookie = [], ...others } = answer.headers;
  const setCookies = [setCookie].flat().map(headerText);
  const answered = joined(others);
  const next = request.followRedirects ? redirect(request, answer.statusCode, answered) : undefined;
  if (next) {
    await answer.body.dump({ limit: REDIRECT_BODY_BYTES, signal });
    return { next, setCookies };
  }
  if (request.ignoresBody) {
    await answer.body.dump({ limit: maxResponseBytes, signal });
    return { response: { status: answer.statusCode, headers: answered, setCookies: [], body: new Uint8Array() } };
  }
  const { saveBody } = request;
  if (saveBody && answer.statusCode < 300) {
    const first = { status: answer.statusCode, headers: answered, body: answer.body };
    const resumed = resumedBody(first, {
      ...{ method, headers, signal },
      async rest(more) {
        const received = await dispatchers.through(proxyUrl).request({ ...parts(), headers: { ...headers, ...more } });
        return { status: received.statusCode, headers: joined(received.headers), body: received.body };
      },
    });
    try {
      const content = decodedBody(resumed.content, answered['content-encoding']);
      const file = await saveBody({ url: request.url, headers: answered }, content);
      return { response: { status: first.status, headers: answered, setCookies, body: new Uint8Array(), file } };
    } finally {
      resumed.destroy();
    }
  }
  const content = await holdMemory(memory, (hold) =>
    readBody(answer.body, answered['content-encoding'], { maxBytes: maxResponseBytes, hold }),
  );
  return { response: { status: answer.statusCode, headers: answered, setCookies, body: content } };
}

function isStreamed(body: HttpRequest['body']): body is StreamedBody {
  return typeof body === 'object' && 'open' in body;
}

/** Returns a URL's origin with an address instead of its host. */
function originAt({ protocol, port }: URL, address: string): string {
  const host = isIPv6(address) ? `[${address}]` : address;
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
}

function joined(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = '']) => [name, headerText([value].flat().join(', '))]),
  );
}

/** Returns an error message without the query of the URL, which may be secret. */
function toNodeError(error: unknown, { origin, pathname }: URL): NodeError {
  for (let cause = error; types.isNativeError(cause); cause = cause.cause) if (cause instanceof NodeError) return cause;
  const code = types.isNativeError(error) && 'code' in error ? String(error.code) : '';
  const reason = types.isNativeError(error) ? error.message || code || error.name : String(error);
  if (UNSENDABLE.has(code)) return new NodeError('PARAMETERS_INVALID', reason, { isRetryable: false, cause: error });
  return new NodeError('HTTP_REQUEST_FAILED', `${origin}${pathname}: ${reason}`, { cause: error });
}
