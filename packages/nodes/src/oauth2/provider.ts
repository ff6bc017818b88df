import type { OAuth2Secret } from '@deckhand/contracts';
import type { HttpClient } from '@deckhand/engine';
import { SignJWT } from 'jose';
import { createPrivateKey, type KeyObject, randomUUID } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { OAuth2Error, plainText, providerFetch, type ProviderRequests, sendToProvider } from './provider-request.ts';

/** Lifetime of an assertion, in seconds. Google allows an hour. */
const ASSERTION_SECONDS = 300;
/** A longer lifetime of a token is cut off, in seconds: ten years. */
const MAX_LIFETIME_SECONDS = 315_360_000;
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Addresses were checked when the credential was saved: they are https, or on this machine. */
// oxlint-disable-next-line typescript/no-deprecated -- the library's warning to those who have not checked
const ALLOWS_HTTP = { [oauth.allowInsecureRequests]: true };

/** Tokens, decrypted. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
}

/** What a provider issued. */
export interface Issued {
  readonly tokens: Tokens;
  /** Null if the provider does not say. */
  readonly lifetimeMs: number | null;
  readonly scopes: readonly string[];
}

/** An authorization that a person gives in a browser. */
export interface AuthorizationRequest {
  readonly redirectUrl: string;
  readonly state: string;
  readonly codeVerifier: string;
}

/** An authorization that a person gives on another device. */
export interface DeviceAuthorizationOffer {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly verificationUrl: string;
  readonly pollSeconds: number;
  readonly lifetimeSeconds: number;
}

/** The requests that one configured client sends to its provider. All throw OAuth2Error. */
export interface Provider {
  /** Returns the page where a person allows access. */
  authorizationUrl(request: AuthorizationRequest): Promise<string>;
  /**
   * Exchanges the code of a redirect.
   * @throws OAuth2Error also for another issuer or state, and if the person refused.
   */
  exchange(parameters: URLSearchParams, request: AuthorizationRequest): Promise<Issued>;
  startDevice(): Promise<DeviceAuthorizationOffer>;
  /**
   * Asks whether the person has decided.
   * @returns `slower` if the provider wants to be asked less often, or cannot respond at the moment (RFC 8628, 3.5).
   */
  pollDevice(deviceCode: string): Promise<Issued | 'pending' | 'slower'>;
  /** Requests tokens without a person: by a refresh token, the client's own right, or an assertion. */
  renew(current: Tokens | undefined): Promise<Issued>;
  /** Revokes a token (RFC 7009). */
  revoke(token: string, kind: 'access_token' | 'refresh_token'): Promise<void>;
}

/** Creates the requests of a client. @param requests.secrets further texts that must not be shown. */
export function createProvider(
  secret: OAuth2Secret,
  given: { readonly http: HttpClient; readonly signal: AbortSignal; readonly secrets?: ProviderRequests['secrets'] },
): Provider {
  const as = toServer(secret);
  const client: oauth.Client = { client_id: secret.clientId };
  const authentication = authenticationOf(secret);
  const requestsWith = (...secrets: (string | undefined)[]): ProviderRequests => ({
    http: given.http,
    signal: given.signal,
    secrets: [secret.clientSecret, secret.privateKey, ...(given.secrets ?? []), ...secrets],
  });
  const options = (...secrets: (string | undefined)[]) => ({
    [oauth.customFetch]: providerFetch(requestsWith(...secrets)),
    ...ALLOWS_HTTP,
  });
  const issue = async (request: Promise<Response>, before?: Tokens): Promise<Issued> => {
    const response = await checked(request);
    const result = await checked(oauth.processGenericTokenEndpointResponse(as, client, response, TOKEN_TYPES));
    const refreshToken = result.refresh_token ?? before?.refreshToken;
    return {
      tokens: { accessToken: result.access_token, ...(refreshToken === undefined ? {} : { refreshToken }) },
      lifetimeMs: result.expires_in === undefined ? null : Math.min(result.expires_in, MAX_LIFETIME_SECONDS) * 1_000,
      scopes: (result.scope ?? secret.scopes ?? '').split(/[\s,]+/).filter((scope) => scope !== ''),
    };
  };

  return {
    async authorizationUrl({ redirectUrl, state, codeVerifier }) {
      const url = new URL(secret.authorizationUrl ?? '');
      const parameters = {
        ...requested(secret),
        response_type: 'code',
        client_id: secret.clientId,
        redirect_uri: redirectUrl,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },
    async exchange(parameters, { redirectUrl, state, codeVerifier }) {
      const validated = validateRedirect(as, client, parameters, state, requestsWith(codeVerifier).secrets);
      const code = parameters.get('code') ?? undefined;
      return issue(
        oauth.authorizationCodeGrantRequest(as, client, authentication, validated, redirectUrl, codeVerifier, {
          ...options(code, codeVerifier),
          additionalParameters: targetOf(secret),
        }),
      );
    },
    async startDevice() {
      const parameters = new URLSearchParams(requested(secret));
      const response = await checked(
        oauth.deviceAuthorizationRequest(as, client, authentication, parameters, options()),
      );
      const offer = await checked(oauth.processDeviceAuthorizationResponse(as, client, response));
      return {
        deviceCode: offer.device_code,
        userCode: offer.user_code,
        verificationUrl: webPage(offer.verification_uri_complete ?? offer.verification_uri),
        pollSeconds: Math.min(Math.max(Math.ceil(offer.interval ?? 5), 1), 60),
        lifetimeSeconds: Math.min(Math.max(Math.floor(offer.expires_in), 1), 1_800),
      };
    },
    async pollDevice(deviceCode) {
      try {
        return await issue(oauth.deviceCodeGrantRequest(as, client, authentication, deviceCode, options(deviceCode)));
      } catch (error) {
        if (!(error instanceof OAuth2Error)) throw error;
        if (error.code === 'authorization_pending') return 'pending';
        if (error.kind === 'passing') return 'slower';
        throw error;
      }
    },
    async renew(current) {
      switch (secret.grant) {
        case 'clientCredentials':
          return issue(oauth.clientCredentialsGrantRequest(as, client, authentication, requested(secret), options()));
        case 'jwtBearer': {
          const assertion = await signAssertion(secret);
          const { scope: _, ...others } = requested(secret);
          return issue(
            oauth.genericTokenEndpointRequest(
              as,
              client,
              authentication,
              JWT_BEARER,
              { ...others, assertion },
              options(assertion),
            ),
          );
        }
        default: {
          const refreshToken = current?.refreshToken;
          if (refreshToken === undefined)
            throw new OAuth2Error('no_refresh_token', 'The provider issued no refresh token', 'refused');
          const secrets = options(refreshToken, current?.accessToken);
          return issue(
            oauth.refreshTokenGrantRequest(as, client, authentication, refreshToken, {
              ...secrets,
              additionalParameters: targetOf(secret),
            }),
            current,
          );
        }
      }
    },
    async revoke(token, kind) {
      await checked(
        oauth.revocationRequest(as, client, authentication, token, {
          [oauth.customFetch]: revocationFetch(requestsWith(token)),
          ...ALLOWS_HTTP,
          additionalParameters: { token_type_hint: kind },
        }),
      );
    },
  };
}

/** Slack calls the tokens of its apps by other names; all are sent as Bearer. */
const TOKEN_TYPES = {
  recognizedTokenTypes: { bot: () => undefined, user: () => undefined },
};

function toServer(secret: OAuth2Secret): oauth.AuthorizationServer {
  const { authorizationUrl, deviceAuthorizationUrl, tokenUrl, revocationUrl, issuer } = secret;
  return {
    issuer: issuer ?? new URL(authorizationUrl ?? tokenUrl).origin,
    token_endpoint: tokenUrl,
    ...(authorizationUrl === undefined ? {} : { authorization_endpoint: authorizationUrl }),
    ...(deviceAuthorizationUrl === undefined ? {} : { device_authorization_endpoint: deviceAuthorizationUrl }),
    ...(revocationUrl === undefined ? {} : { revocation_endpoint: revocationUrl }),
    authorization_response_iss_parameter_supported: issuer !== undefined,
  };
}

function authenticationOf({ grant, clientSecret, clientAuthentication }: OAuth2Secret): oauth.ClientAuth {
  // The assertion says who the client is.
  if (grant === 'jwtBearer') return () => undefined;
  if (clientSecret === undefined || clientAuthentication === 'none') return oauth.None();
  return clientAuthentication === 'post' ? oauth.ClientSecretPost(clientSecret) : oauth.ClientSecretBasic(clientSecret);
}

/** The audience and the resource, which tokens are for. */
function targetOf({ audience, resource }: OAuth2Secret): Record<string, string> {
  return { ...(audience === undefined ? {} : { audience }), ...(resource === undefined ? {} : { resource }) };
}

/** What the first request of a grant asks for. */
function requested(secret: OAuth2Secret): Record<string, string> {
  const { scopes, extraParameters } = secret;
  return { ...extraParameters, ...(scopes === undefined ? {} : { scope: scopes }), ...targetOf(secret) };
}

function validateRedirect(
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  parameters: URLSearchParams,
  state: string,
  secrets: ProviderRequests['secrets'],
): URLSearchParams {
  try {
    return oauth.validateAuthResponse(as, client, parameters, state);
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) {
      const description = plainText(error.error_description ?? '', secrets);
      const code = /^[\w.-]{1,64}$/.test(error.error) ? error.error : 'error';
      throw new OAuth2Error(
        code,
        `The provider redirected with ${code}${description && `: ${description}`}`,
        'lasting',
      );
    }
    throw new OAuth2Error(
      'redirect_invalid',
      'The redirect names another issuer or state, or is incomplete',
      'lasting',
    );
  }
}

function revocationFetch(requests: ProviderRequests): ReturnType<typeof providerFetch> {
  return async (url, init) => {
    const { status } = await sendToProvider(requests, url, init);
    if (status >= 400) throw new OAuth2Error('status', `The provider responded with the status ${status}`, 'lasting');
    return new Response();
  };
}

/** Replaces errors of the library, which contain responses, by our own without them. */
async function checked<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError))
      throw error;
    const message = "The provider's response has no usable token, or not in the form of RFC 6749";
    throw new OAuth2Error('response_invalid', message, 'lasting');
  }
}

/** An address of a provider that a person opens. Another scheme, such as `javascript:`, would run in our page. */
function webPage(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new OAuth2Error('response_invalid', 'The page that the provider names is not an https address', 'lasting');
}

async function signAssertion({
  clientId,
  privateKey = '',
  keyId,
  subject,
  tokenUrl,
  scopes,
}: OAuth2Secret): Promise<string> {
  const key = readPrivateKey(privateKey);
  const jwt = new SignJWT(scopes === undefined ? {} : { scope: scopes })
    .setProtectedHeader({
      alg: key.asymmetricKeyType === 'ec' ? 'ES256' : 'RS256',
      typ: 'JWT',
      ...(keyId === undefined ? {} : { kid: keyId }),
    })
    .setIssuer(clientId)
    .setAudience(tokenUrl)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime(`${ASSERTION_SECONDS} s`);
  if (subject !== undefined) jwt.setSubject(subject);
  try {
    return await jwt.sign(key);
  } catch {
    throw unusableKey();
  }
}

function readPrivateKey(pem: string): KeyObject {
  try {
    // Keys are often copied out of a JSON file, with its escaped line breaks.
    return createPrivateKey(pem.replaceAll('\\n', '\n'));
  } catch {
    throw unusableKey();
  }
}

function unusableKey(): OAuth2Error {
  return new OAuth2Error(
    'private_key_invalid',
    'The private key cannot be used: PKCS #8 in PEM is needed, RSA or P-256',
    'lasting',
  );
}
