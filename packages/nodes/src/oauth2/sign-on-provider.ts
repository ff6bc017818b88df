import { isJsonObject, type JsonObject, parseJson } from '@deckhand/contracts';
import type { HttpClient, HttpResponse } from '@deckhand/engine';
import * as oauth from 'oauth4webapi';
import { OAuth2Error, plainText, type ProviderRequests, sendToProvider } from './provider-request.ts';

/** How long the provider's configuration is kept, in ms. Keys are read at every sign-in, so that a rotation is seen. */
const CONFIGURATION_LIFETIME_MS = 300_000;
/** How far the provider's clock may differ from ours, in seconds. */
const CLOCK_TOLERANCE_SECONDS = 60;
/** Subjects have at most 255 ASCII characters (OpenID Connect Core, section 2). */
const MAX_SUBJECT_LENGTH = 255;
/** Signatures that only the provider can make. `none`, and HMACs with the client's secret, are refused. */
const SIGNATURES = new Set(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512']);

/** The client that the identity provider knows. */
export interface SignOnClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** Separated by spaces; `openid` is among them. */
  readonly scopes: string;
  /** Where the provider redirects to. */
  readonly redirectUrl: string;
  /** How long all requests of one sign-in may take, in ms. */
  readonly timeoutMs: number;
}

/** The secrets of one sign-in. */
export interface SignOnAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Who the provider says that a person is, after every check of the standard. */
export interface SignedOn {
  readonly issuer: string;
  readonly subject: string;
  /** Claims of the ID token, and of the userinfo endpoint if there is one. Those of the token count. */
  readonly claims: JsonObject;
  /** Those of the one document that names the address: neither says whether the address of the other is verified. */
  readonly addressClaims: JsonObject;
  readonly idToken: string;
}

/** Requests to an OpenID Connect provider, by the authorization code flow with PKCE. All throw OAuth2Error. */
export interface SignOnProvider {
  /** Returns the page where a person signs in. */
  authorizationUrl(attempt: SignOnAttempt): Promise<string>;
  /** Exchanges the code of a redirect, and checks the ID token: issuer, audience, times, nonce and signature. */
  signOn(parameters: URLSearchParams, attempt: SignOnAttempt): Promise<SignedOn>;
  /** Returns the page that ends the provider's own session; undefined if the provider has none. */
  endSessionUrl(options: {
    readonly idToken: string | undefined;
    readonly returnUrl: string;
  }): Promise<string | undefined>;
}

/** Creates the provider's requests. @param now a clock in ms. */
export function createSignOnProvider(
  client: SignOnClient,
  { http, now = Date.now }: { readonly http: HttpClient; readonly now?: () => number },
): SignOnProvider {
  const { issuer, clientId, clientSecret, redirectUrl, timeoutMs } = client;
  const known: oauth.Client = { client_id: clientId, [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
  // Only an issuer on this machine is http: the settings are checked at the start.
  const schemes = issuer.startsWith('http:') ? /^https?:$/ : /^https:$/;
  let kept: { readonly configuration: oauth.AuthorizationServer; readonly readAt: number } | undefined;

  const optionsOf = (signal: AbortSignal, ...secrets: string[]) => ({
    [oauth.customFetch]: openIdFetch({ http, signal, secrets: [clientSecret, ...secrets] }),
    // oxlint-disable-next-line typescript/no-deprecated -- the library's warning to those who have not checked
    [oauth.allowInsecureRequests]: schemes.test('http:'),
  });

  async function configurationOf(signal: AbortSignal): Promise<oauth.AuthorizationServer> {
    if (kept && now() - kept.readAt < CONFIGURATION_LIFETIME_MS) return kept.configuration;
    const url = new URL(issuer);
    const response = await checked(oauth.discoveryRequest(url, optionsOf(signal)));
    const configuration = await checked(oauth.processDiscoveryResponse(url, response));
    requireLists(configuration);
    for (const endpoint of [configuration.authorization_endpoint, configuration.end_session_endpoint])
      if (endpoint !== undefined) requireScheme(endpoint, schemes);
    kept = { configuration, readAt: now() };
    return configuration;
  }

  return {
    async authorizationUrl({ state, nonce, codeVerifier }) {
      const configuration = await configurationOf(AbortSignal.timeout(timeoutMs));
      if (configuration.authorization_endpoint === undefined) throw invalid('names no authorization endpoint');
      const url = new URL(configuration.authorization_endpoint);
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUrl,
        scope: client.scopes,
        state,
        nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },
    async signOn(parameters, { state, nonce, codeVerifier }) {
      const signal = AbortSignal.timeout(timeoutMs);
      const options = optionsOf(signal, codeVerifier, parameters.get('code') ?? '');
      const as = withSafeSignatures(await configurationOf(signal));
      const validated = await checked(async () => oauth.validateAuthResponse(as, known, parameters, state));
      const response = await checked(
        oauth.authorizationCodeGrantRequest(
          as,
          known,
          authenticationOf(as, clientSecret),
          validated,
          redirectUrl,
          codeVerifier,
          options,
        ),
      );
      const expected = { expectedNonce: nonce, requireIdToken: true };
      const tokens = await checked(oauth.processAuthorizationCodeResponse(as, known, response, expected));
      await checked(oauth.validateApplicationLevelSignature(as, response, options));
      const claims = oauth.getValidatedIdTokenClaims(tokens);
      if (claims === undefined || tokens.id_token === undefined) throw invalid('has no ID token');
      const subject = claims.sub;
      if (subject === '' || subject.length > MAX_SUBJECT_LENGTH || !/^[\x20-\x7e]+$/.test(subject))
        throw invalid('names a person by a subject that the standard does not allow');
      const more = await userInfo(as, { subject, accessToken: tokens.access_token, options });
      const own = toJson(claims);
      const addressClaims = Object.hasOwn(own, 'email') ? own : more;
      return { issuer: as.issuer, subject, claims: { ...more, ...own }, addressClaims, idToken: tokens.id_token };
    },
    async endSessionUrl({ idToken, returnUrl }) {
      const { end_session_endpoint: page } = await configurationOf(AbortSignal.timeout(timeoutMs));
      if (page === undefined) return undefined;
      const url = new URL(page);
      url.searchParams.set('client_id', clientId);
      url.searchParams.set('post_logout_redirect_uri', returnUrl);
      if (idToken !== undefined) url.searchParams.set('id_token_hint', idToken);
      return url.href;
    },
  };

  async function userInfo(
    as: oauth.AuthorizationServer,
    given: { subject: string; accessToken: string; options: ReturnType<typeof optionsOf> },
  ): Promise<JsonObject> {
    if (as.userinfo_endpoint === undefined) return {};
    const response = await checked(oauth.userInfoRequest(as, known, given.accessToken, given.options));
    return toJson(await checked(oauth.processUserInfoResponse(as, known, given.subject, response)));
  }
}

/**
 * Returns a copy of the configuration, which accepts no other signatures than those that are named here. The library
 * keeps keys by the object: with a copy, it reads them again at each sign-in.
 */
function withSafeSignatures(configuration: oauth.AuthorizationServer): oauth.AuthorizationServer {
  const offered = configuration.id_token_signing_alg_values_supported ?? ['RS256'];
  return { ...configuration, id_token_signing_alg_values_supported: offered.filter((alg) => SIGNATURES.has(alg)) };
}

function authenticationOf(as: oauth.AuthorizationServer, clientSecret: string | undefined): oauth.ClientAuth {
  if (clientSecret === undefined) return oauth.None();
  // The default of the standard is Basic.
  const methods = as.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const usesPost = !methods.includes('client_secret_basic') && methods.includes('client_secret_post');
  return usesPost ? oauth.ClientSecretPost(clientSecret) : oauth.ClientSecretBasic(clientSecret);
}

/** What the library sets of a request. */
interface FetchInit {
  readonly method?: string | undefined;
  readonly headers?: Record<string, string> | undefined;
  readonly body?: unknown;
}

/**
 * Returns a function that sends requests of the library by our client, which bounds responses and follows no redirect.
 * Responses other than a JSON object of a success are errors here, so that no error of the library contains one.
 */
function openIdFetch(requests: ProviderRequests): (url: string, init: FetchInit) => Promise<Response> {
  return async (url, init) => {
    const answer = await sendToProvider(requests, url, init);
    const body = readObject(answer);
    if (answer.status !== 200) {
      const code = body?.error;
      const reason = typeof code === 'string' && /^[\w.-]{1,64}$/.test(code) ? code : `the status ${answer.status}`;
      throw new OAuth2Error('refused', `The identity provider responded with ${reason}`, 'lasting');
    }
    if (!body) throw invalid('is not a JSON object');
    return Response.json(body);
  };
}

function readObject({ body }: HttpResponse): JsonObject | undefined {
  try {
    const value = parseJson(new TextDecoder().decode(body));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns claims as plain JSON without their types. */
function toJson(claims: object): JsonObject {
  const value = parseJson(JSON.stringify(claims));
  return isJsonObject(value) ? value : {};
}

/** The library does not check them. */
function requireLists({
  id_token_signing_alg_values_supported: signatures,
  token_endpoint_auth_methods_supported: methods,
}: oauth.AuthorizationServer): void {
  for (const list of [signatures, methods])
    if (list !== undefined && !Array.isArray(list)) throw invalid('has a text where the standard has a list');
}

/** Another scheme, such as `javascript:`, would run in our page. */
function requireScheme(url: string, schemes: RegExp): void {
  if (URL.canParse(url) && schemes.test(new URL(url).protocol)) return;
  throw invalid('names an address that is not https');
}

function invalid(problem: string): OAuth2Error {
  return new OAuth2Error('response_invalid', `The response of the identity provider ${problem}`, 'lasting');
}

/** What the library found wrong with a response, by its codes. */
const PROBLEMS: Readonly<Record<string, string>> = {
  [oauth.JWT_TIMESTAMP_CHECK]: 'has expired, is not valid yet, or the clocks differ',
  [oauth.KEY_SELECTION]: 'is signed with a key that the provider does not publish',
  [oauth.JSON_ATTRIBUTE_COMPARISON]: 'names another issuer or subject',
  [oauth.HTTP_REQUEST_FORBIDDEN]: 'names an address that is not https',
};

/** Replaces errors of the library, which contain responses, by our own without them. */
async function checked<T>(work: Promise<T> | (() => Promise<T>)): Promise<T> {
  try {
    return await (typeof work === 'function' ? work() : work);
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) {
      const code = /^[\w.-]{1,64}$/.test(error.error) ? error.error : 'error';
      const description = plainText(error.error_description ?? '', []);
      const message = `The identity provider redirected with ${code}${description && `: ${description}`}`;
      throw new OAuth2Error(code, message, 'lasting');
    }
    if (!(error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError))
      throw error;
    throw invalid(problemOf(error));
  }
}

function problemOf({ code, cause }: { readonly code?: string; readonly cause?: unknown }): string {
  if (code === oauth.JWT_CLAIM_COMPARISON) {
    const claim = isJsonObject(cause) ? cause.claim : undefined;
    const names = ['iss', 'aud', 'azp', 'nonce'];
    return `has another ${typeof claim === 'string' && names.includes(claim) ? claim : 'claim'} than expected`;
  }
  return PROBLEMS[code ?? ''] ?? 'is not in the form of OpenID Connect';
}
