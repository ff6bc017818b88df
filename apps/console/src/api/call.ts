import { type ErrorResponse, parseOwnJson } from '@deckhand/contracts';
import { endSession, readSession } from '../session/store.ts';
import { askToConfirm } from '../session/confirmation.ts';
import { ApiError, unreachable } from './api-error.ts';

/** Parameters of a query string; those that are undefined or empty are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Options of a request. */
export interface CallOptions {
  readonly query?: Query | undefined;
  readonly body?: unknown;
  /** Bytes to send in place of a body. */
  readonly file?: File | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether the cookie that binds a sign-in in several steps to this browser is sent and kept. */
  readonly bindsBrowser?: boolean;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Sends a request as the signed-in person. `T` is the type of the response in the contract; undefined for a 204.
 * @throws ApiError for every error response; a 401 also ends the session here.
 */
export async function call<T>(method: Method, path: string, options: CallOptions = {}): Promise<T> {
  const text = await (await send(method, path, options)).text();
  return parseOwnJson<T>(text === '' ? 'null' : text);
}

/**
 * Like `call`, but returns the response itself, for streams and files. A request that needs a confirmation is sent
 * again once the person has confirmed.
 */
export async function send(method: Method, path: string, options: CallOptions = {}): Promise<Response> {
  try {
    return await sendOnce(method, path, options);
  } catch (error) {
    const needsConfirmation = error instanceof ApiError && error.code === 'CONFIRMATION_REQUIRED';
    if (needsConfirmation && (await askToConfirm())) return sendOnce(method, path, options);
    throw error;
  }
}

async function sendOnce(
  method: Method,
  path: string,
  { query, body, file, headers: given, signal, bindsBrowser = false }: CallOptions,
): Promise<Response> {
  const token = readSession()?.token;
  const headers = new Headers(given);
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  if (body !== undefined) headers.set('content-type', 'application/json');
  const answer = await fetch(withQuery(path, query), {
    method,
    headers,
    body: body === undefined ? (file ?? null) : JSON.stringify(body),
    signal: signal ?? null,
    // The token identifies the caller; the one cookie gives no access.
    credentials: bindsBrowser ? 'same-origin' : 'omit',
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw unreachable();
  });
  if (answer.ok) return answer;
  const issue = await toApiError(answer);
  if (issue.status === 401 && token !== undefined) endSession(token);
  throw issue;
}

/** A path with its query string. */
function withQuery(path: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

async function toApiError(answer: Response): Promise<ApiError> {
  const text = await answer.text().catch(() => '');
  const after = Number(answer.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(answer.status, readError(text), Number.isFinite(after) ? after : undefined);
}

function readError(text: string): Partial<ErrorResponse> {
  try {
    return parseOwnJson<Partial<ErrorResponse>>(text);
  } catch {
    // An error page of a proxy.
    return {};
  }
}
