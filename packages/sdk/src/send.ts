import { ConnectionError, DeckhandError } from './errors.ts';
import type { ErrorResponse } from './generated/types.gen.ts';

/** How requests are sent. */
export interface SendOptions {
  /** Sends one request. Default: the global `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Time limit of an attempt until its response begins, in ms. Default: 70 s, longer than the API holds a response. */
  readonly timeoutMs?: number | undefined;
  /** How often a failed request is sent again. Default: 4. */
  readonly maxRetries?: number | undefined;
}

/** How an upload is sent: without a time limit, because it may take hours. */
export interface Upload {
  /** Makes the request again for a retry, because copies of a request hold its body in memory; undefined for none. */
  readonly again: (() => Request) | undefined;
}

/** Sends a request with retries. @throws DeckhandError, ConnectionError, or the reason of the request's signal. */
export type Send = (request: Request, upload?: Upload) => Promise<Response>;

const TIMEOUT_MS = 70_000;
const MAX_RETRIES = 4;
/** Delay before the first retry, and the longest one, in ms. `Retry-After` may demand a longer one. */
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 20_000;
/** A response that demands a longer wait than this, in ms, is an error at once. */
const MAX_RETRY_AFTER_MS = 120_000;
/** Statuses that a later attempt may change (the contract's retry guidance). 502 and 504 come from proxies. */
const RETRIABLE: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
/** Paths whose POST accepts no `Idempotency-Key`: they return secrets or sign in (docs/limits.md). */
const WITHOUT_KEY = /^\/api\/(api-keys|auth|workspaces\/[^/]+\/invites)(\/|$)/;

/**
 * Creates a function that sends requests and repeats those that failed for a reason that may pass. Each POST gets an
 * `Idempotency-Key`, so that a repeated one does nothing twice; one that accepts no key is repeated only after a 429.
 */
export function createSend({ fetch: send = (request) => fetch(request), ...options }: SendOptions): Send {
  const { timeoutMs = TIMEOUT_MS, maxRetries = MAX_RETRIES } = options;
  if (typeof send !== 'function') throw new TypeError('fetch has to be a function');
  if (!(timeoutMs > 0)) throw new TypeError(`timeoutMs is ${timeoutMs}, and has to be more than 0`);
  if (!Number.isInteger(maxRetries) || maxRetries < 0)
    throw new TypeError(`maxRetries is ${maxRetries}, and has to be a whole number from 0`);
  return async (first, upload) => {
    let request = first;
    const isRepeatable = addIdempotencyKey(request);
    for (let retries = 0; ; retries += 1) {
      const isLast = retries >= maxRetries || (upload !== undefined && !upload.again);
      let delayMs = backOff(retries);
      try {
        // A body can be read once, so each attempt sends a copy.
        const copy = isLast || upload ? request : request.clone();
        const response = await sendInTime(send, copy, upload ? undefined : timeoutMs);
        if (response.ok || response.status === 304) return response;
        const demandedMs = retryAfterMs(response);
        const mayRetry = RETRIABLE.has(response.status) && (isRepeatable || response.status === 429);
        if (isLast || !mayRetry || demandedMs > MAX_RETRY_AFTER_MS) throw await toError(response);
        await response.body?.cancel();
        delayMs = Math.max(delayMs, demandedMs);
      } catch (error) {
        if (error instanceof DeckhandError) throw error;
        request.signal.throwIfAborted();
        if (isLast || !isRepeatable)
          throw new ConnectionError(`${request.method} ${request.url} failed`, { cause: error });
      }
      await delay(delayMs, request.signal);
      request = upload?.again?.() ?? request;
    }
  };
}

/** Adds a key to a POST without one. @returns whether sending the request again is harmless. */
function addIdempotencyKey({ method, url, headers }: Request): boolean {
  if (method !== 'POST' || headers.has('idempotency-key')) return true;
  if (WITHOUT_KEY.test(new URL(url).pathname)) return false;
  headers.set('idempotency-key', crypto.randomUUID());
  return true;
}

/**
 * The time limit ends with the headers: a stream may last for hours. Redirects are not followed: fetch would send the
 * API key to wherever they lead.
 */
async function sendInTime(send: Send, request: Request, timeoutMs: number | undefined): Promise<Response> {
  const late = new AbortController();
  const expire = (): void => late.abort(new Error(`no response within ${timeoutMs} ms`));
  const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
  try {
    const signal = AbortSignal.any([request.signal, late.signal]);
    return await send(new Request(request, { signal, redirect: 'manual' }));
  } finally {
    clearTimeout(timer);
  }
}

/** Doubles from retry to retry, with jitter, so that many clients do not return at once. */
function backOff(retries: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** retries, MAX_DELAY_MS) * (0.5 + Math.random() / 2);
}

/** Reads `Retry-After` (RFC 9110, 10.2.3), which the API gives in seconds. @returns ms; 0 without one. */
function retryAfterMs({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) ? Math.max(0, seconds * 1_000) : 0;
}

async function toError(response: Response): Promise<DeckhandError> {
  const body: unknown = await response.json().catch(() => undefined);
  const requestId = response.headers.get('x-request-id') ?? undefined;
  return new DeckhandError(response.status, isErrorResponse(body) ? body : undefined, requestId);
}

function isErrorResponse(body: unknown): body is ErrorResponse {
  return typeof body === 'object' && body !== null && 'code' in body && 'error' in body;
}

/** Resolves after `ms`. @throws the reason of the signal as soon as it aborts. */
export function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
