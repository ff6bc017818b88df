import { isJsonObject, parseJson } from '@deckhand/contracts';
import { type HttpClient, type HttpResponse, NodeError } from '@deckhand/engine';

/** A longer response of a provider is refused: the largest tokens have some 10 kB. */
const MAX_RESPONSE_BYTES = 262_144;
/** Maximum length of a provider's message that is shown, in characters. */
const MAX_MESSAGE_CHARACTERS = 300;
/** Shorter secrets are not masked in messages, as in outputs of nodes. */
const MIN_MASKED_LENGTH = 8;

/** Errors that a provider reports for tokens, codes and assertions which it will never accept again. */
const REFUSALS = new Set(['invalid_grant', 'bad_refresh_token', 'invalid_refresh_token']);
/** Errors that pass by themselves. */
const PASSING = new Set(['temporarily_unavailable', 'server_error', 'slow_down']);
const PASSING_STATUS = new Set([408, 425, 429]);

/** A provider did not issue what was requested. Code and message contain no secret. */
export class OAuth2Error extends Error {
  override readonly name = 'OAuth2Error';
  /** Of the provider, such as `invalid_grant`, or of ours: `unreachable`, `timeout`, `response_invalid` and others. */
  readonly code: string;
  /** `refused`: a person must connect again. `passing`: it may work later. `lasting`: the configuration is wrong. */
  readonly kind: 'refused' | 'passing' | 'lasting';

  constructor(code: string, message: string, kind: OAuth2Error['kind']) {
    super(message);
    this.code = code;
    this.kind = kind;
  }
}

/** How requests to a provider are sent. */
export interface ProviderRequests {
  /** The client with the rules for addresses. */
  readonly http: HttpClient;
  /** Texts that must not be shown, whatever the provider repeats. */
  readonly secrets: readonly (string | undefined)[];
  readonly signal: AbortSignal;
}

/** The part of a request that the library sets. */
interface FetchInit {
  readonly method?: string | undefined;
  readonly headers?: Record<string, string> | undefined;
  readonly body?: unknown;
}

/**
 * Returns a function that sends requests of the library by our client, in the form of `fetch`. It follows no redirect:
 * a secret must not reach another server. Responses that are not a JSON object of a success are errors here, so that
 * the library, whose errors contain responses, sees none of them.
 * @returns a function that throws OAuth2Error.
 */
export function providerFetch(requests: ProviderRequests): (url: string, init: FetchInit) => Promise<Response> {
  return async (url, init) => {
    const answer = await sendToProvider(requests, url, init);
    const body = readObject(answer);
    const error = body?.error;
    if (body && typeof error === 'string' && typeof body.access_token !== 'string')
      throw reported(error, body, answer, requests);
    if (answer.status >= 400) throw failedStatus(answer.status);
    if (!body) throw new OAuth2Error('response_invalid', "The provider's response is not a JSON object", 'lasting');
    // Who the person is does not matter here, and scopes are a text in the standard.
    const { id_token: _, ...rest } = body;
    const scope = Array.isArray(rest.scope) ? { scope: rest.scope.join(' ') } : {};
    return Response.json({ ...rest, ...scope });
  };
}

/** Sends a form to the provider. @throws OAuth2Error without a response, or for one that redirects. */
export async function sendToProvider(
  { http, signal }: ProviderRequests,
  url: string,
  { method = 'POST', headers = {}, body }: FetchInit,
): Promise<HttpResponse> {
  const request = {
    method,
    url,
    headers: { ...headers, 'user-agent': 'Deckhand' },
    body: body instanceof URLSearchParams ? body.toString() : undefined,
    followRedirects: false,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    signal,
  };
  const answer = await http.request(request).catch((error: unknown) => {
    throw toOAuth2Error(error, signal);
  });
  if (answer.status >= 300 && answer.status < 400)
    throw new OAuth2Error('redirected', 'The provider redirects the request, which is not followed', 'lasting');
  return answer;
}

function toOAuth2Error(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return new OAuth2Error('timeout', 'The provider did not respond in time', 'passing');
  if (!(error instanceof NodeError)) return error;
  switch (error.code) {
    case 'ADDRESS_REFUSED':
      return new OAuth2Error('address_refused', "The provider's address is private", 'lasting');
    case 'RESPONSE_TOO_LARGE':
      return new OAuth2Error('response_invalid', "The provider's response is too large", 'lasting');
    case 'HTTP_RESPONSE_INVALID':
      return new OAuth2Error('response_invalid', "The provider's response cannot be read", 'lasting');
    default:
      return new OAuth2Error('unreachable', 'There was no connection to the provider, or it broke', 'passing');
  }
}

function readObject({ body }: HttpResponse): Record<string, unknown> | undefined {
  try {
    const value = parseJson(new TextDecoder().decode(body));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function reported(
  error: string,
  body: Readonly<Record<string, unknown>>,
  { status }: HttpResponse,
  { secrets }: ProviderRequests,
): OAuth2Error {
  const code = /^[\w.-]{1,64}$/.test(error) ? error : 'error';
  const description = typeof body.error_description === 'string' ? plainText(body.error_description, secrets) : '';
  const message = `The provider responded with ${code}${description === '' ? '' : `: ${description}`}`;
  if (REFUSALS.has(code)) return new OAuth2Error(code, message, 'refused');
  const passes = status >= 500 || PASSING_STATUS.has(status) || PASSING.has(code);
  return new OAuth2Error(code, message, passes ? 'passing' : 'lasting');
}

function failedStatus(status: number): OAuth2Error {
  const passes = status >= 500 || PASSING_STATUS.has(status);
  return new OAuth2Error('status', `The provider responded with the status ${status}`, passes ? 'passing' : 'lasting');
}

/** Returns a provider's text as one line of limited length, with secrets masked. It is not escaped for HTML. */
export function plainText(text: string, secrets: ProviderRequests['secrets']): string {
  const masked = secrets.reduce<string>(
    (shown, secret) => (secret && secret.length >= MIN_MASKED_LENGTH ? shown.replaceAll(secret, '********') : shown),
    text,
  );
  const line = masked.replace(/[\s\p{C}]+/gu, ' ').trim();
  const characters = Array.from(line);
  return characters.length > MAX_MESSAGE_CHARACTERS ? `${characters.slice(0, MAX_MESSAGE_CHARACTERS).join('')}…` : line;
}
