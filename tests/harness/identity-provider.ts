import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider from 'oidc-provider';
import { stopLater } from './cleanup.ts';
import { browse, createBrowser } from './oauth-provider.ts';

/** The client that identity providers of tests know. */
export const SIGN_ON_CLIENT = { clientId: 'deckhand', clientSecret: 'a secret of single sign-on, for tests' };

/** The claims of a person at an identity provider, by the person's subject. */
export type Accounts = Map<string, Readonly<Record<string, string | boolean | readonly string[]>>>;

/** An identity provider of a test's own: `oidc-provider`. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly accounts: Accounts;
  /** Signs a person in at a page of the provider. @returns the query of the redirect back. */
  signIn(authorizationUrl: string, subject: string): Promise<string>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts an HTTP server on 127.0.0.1 until the test file ends. @returns its address. */
async function listen(handlerOf: (url: string) => Handler): Promise<string> {
  const server = createServer({ keepAliveTimeout: 60_000 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the provider has no port');
  const url = `http://127.0.0.1:${address.port}`;
  server.on('request', handlerOf(url));
  stopLater({
    stop() {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
  return url;
}

/** Starts a provider. @param redirectUrl where its client is redirected to. */
export async function startIdentityProvider(redirectUrl: string): Promise<IdentityProvider> {
  const accounts: Accounts = new Map();
  let signsIn = '';
  const issuer = await listen((url) => {
    const provider = new Provider(url, {
      clients: [
        {
          client_id: SIGN_ON_CLIENT.clientId,
          client_secret: SIGN_ON_CLIENT.clientSecret,
          redirect_uris: [redirectUrl],
          post_logout_redirect_uris: [redirectUrl.replace('/sso/callback', '/sign-in')],
          response_types: ['code'],
          grant_types: ['authorization_code'],
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId, ...accounts.get(accountId) }) }),
      cookies: { keys: ['a key for cookies of tests'] },
      ttl: { AccessToken: 3_600, Grant: 86_400, IdToken: 3_600, Interaction: 3_600, Session: 86_400 },
    });
    provider.use(async (ctx, next) => {
      if (!ctx.path.startsWith('/interaction/')) {
        await next();
        return;
      }
      const { prompt, params } = await provider.interactionDetails(ctx.req, ctx.res);
      if (prompt.name === 'login') {
        await provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: signsIn } });
      } else {
        const grant = new provider.Grant({ accountId: signsIn, clientId: String(params.client_id) });
        grant.addOIDCScope(String(params.scope));
        await provider.interactionFinished(ctx.req, ctx.res, { consent: { grantId: await grant.save() } });
      }
      ctx.respond = false;
    });
    const handle = provider.callback();
    return (request, response) => void handle(request, response);
  });
  return {
    issuer,
    accounts,
    async signIn(authorizationUrl, subject) {
      signsIn = subject;
      return (await browse(createBrowser(), authorizationUrl, redirectUrl)).search.slice(1);
    },
  };
}

/** A provider that a test writes the responses of. */
export interface HostileProvider {
  readonly issuer: string;
  /** Paths of the requests so far. */
  readonly requests: readonly string[];
  /** The key that it publishes. A test may replace it: a rotation. */
  key: Awaited<ReturnType<typeof createKeyPair>>;
  /** Members of the discovery document that differ. */
  configuration: Readonly<Record<string, unknown>>;
  /** Returns the ID token for a code. */
  idToken: (code: string) => Promise<string>;
  /** Replaces the responses of a path. */
  readonly replaced: Map<string, Handler>;
}

/** Creates a key pair, and its public part as it is published. */
export async function createKeyPair(kid: string) {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  return { kid, privateKey, published: { ...(await exportJWK(publicKey)), kid, use: 'sig' } };
}

/** Signs claims with a key of a provider. */
export function signClaims({ kid, privateKey }: HostileProvider['key'], claims: JWTPayload): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);
}

/** Starts a provider whose responses a test writes. It authenticates nobody. */
export async function startHostileProvider(): Promise<HostileProvider> {
  const requests: string[] = [];
  const key = await createKeyPair('first');
  const replaced = new Map<string, Handler>();
  const state: { provider?: HostileProvider } = {};
  const issuer = await listen((url) => (request, response) => {
    const { pathname } = new URL(request.url ?? '/', url);
    requests.push(pathname);
    const handler = replaced.get(pathname);
    if (handler) handler(request, response);
    else void respond(state.provider, { url, pathname, request, response });
  });
  state.provider = {
    issuer,
    requests,
    key,
    configuration: {},
    idToken: () => Promise.reject(new Error('a test chooses the token')),
    replaced,
  };
  return state.provider;
}

async function respond(
  provider: HostileProvider | undefined,
  given: {
    readonly url: string;
    readonly pathname: string;
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
  },
): Promise<void> {
  const { url, pathname, request, response } = given;
  const send = (body: object): void => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (pathname === '/.well-known/openid-configuration') {
    send({
      issuer: url,
      authorization_endpoint: `${url}/auth`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/jwks`,
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      ...provider?.configuration,
    });
  } else if (pathname === '/jwks') {
    send({ keys: [provider?.key.published] });
  } else if (pathname === '/token') {
    let form = '';
    for await (const chunk of request) form += String(chunk);
    const code = new URLSearchParams(form).get('code') ?? '';
    const idToken = await provider?.idToken(code);
    send({ access_token: 'an access token', token_type: 'Bearer', id_token: idToken });
  } else {
    response.writeHead(404).end();
  }
}
