import { type HttpClient, type HttpRequest, type HttpResponse, NodeError } from '@deckhand/engine';
import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher, request as send } from 'undici';
import { addressRefused, isPublicAddress, publicLookup } from './addresses.js';
import { readBody } from './read-body.js';
import { redirect } from './redirect.js';

const CONNECT_TIMEOUT_MS = 10_000;
/** A server that says nothing for this long is given up, in ms. */
const SILENCE_MS = 300_000;
/** Connections to one origin at most; further requests wait. */
const CONNECTIONS_PER_ORIGIN = 64;
const REDIRECTS_MAX = 10;

/** An HTTP client with its own pool of connections. */
export interface PooledHttpClient extends HttpClient {
  close(): Promise<void>;
}

/**
 * Creates the client that nodes send requests with.
 * @param options.allowPrivate whether private addresses may be reached.
 */
export function createHttpClient(options: { allowPrivate: boolean }): PooledHttpClient {
  const agent = new Agent({
    connect: options.allowPrivate ? { timeout: CONNECT_TIMEOUT_MS } : publicConnector(),
    connections: CONNECTIONS_PER_ORIGIN,
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
  });
  return {
    request: (request) => follow(agent, request),
    close: () => agent.close(),
  };
}

/** Checks what is connected to: names by what they resolve to, addresses by themselves, since those are never resolved. */
function publicConnector(): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: publicLookup });
  return (target, callback) => {
    const host = target.hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(host) !== 0 && !isPublicAddress(host)) callback(addressRefused(host), null);
    else connect(target, callback);
  };
}

async function follow(agent: Dispatcher, first: HttpRequest): Promise<HttpResponse> {
  let request = first;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await sendOnce(agent, request);
    const next = first.followRedirects ? redirect(request, answer.status, answer.headers) : undefined;
    if (!next) return answer;
    if (redirects === REDIRECTS_MAX) {
      throw new NodeError('HTTP_REQUEST_FAILED', `more than ${REDIRECTS_MAX} redirects`, { isRetryable: false });
    }
    request = next;
  }
}

async function sendOnce(agent: Dispatcher, request: HttpRequest): Promise<HttpResponse> {
  const url = parseUrl(request.url);
  try {
    const { statusCode, headers, body } = await send(url, {
      dispatcher: agent,
      method: request.method,
      headers: request.headers,
      body: request.body ?? null,
      signal: request.signal,
    });
    const flat = flatten(headers);
    return {
      status: statusCode,
      headers: flat,
      body: await readBody(body, flat['content-encoding'], request.maxResponseBytes),
    };
  } catch (error) {
    throw toNodeError(error, url);
  }
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new NodeError('PARAMETERS_INVALID', 'parameters.url must be an absolute http or https address', {
    isRetryable: false,
  });
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}

/** What went wrong, without the query or credentials of the URL: they may be secret. */
function toNodeError(error: unknown, url: URL): NodeError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof NodeError) return cause;
  const reason = error instanceof Error ? error.message || error.name : String(error);
  return new NodeError('HTTP_REQUEST_FAILED', `${url.origin}${url.pathname}: ${reason}`, { cause: error });
}
