import { createServer } from 'node:http';
import Provider, { type Configuration } from 'oidc-provider';
import { stopLater } from './cleanup.ts';

/** The client that the provider knows. */
export const OAUTH_CLIENT = { clientId: 'deckhand', clientSecret: 'a secret of the client, for tests only' };

/** A request to the token endpoint. */
export interface TokenRequest {
  readonly grantType: string;
  readonly status: number;
}

/** An authorization server of a test's own: `oidc-provider`, with rotation of refresh tokens. */
export interface OAuthProvider {
  readonly url: string;
  /** The endpoints, as a credential is configured with them. */
  readonly endpoints: {
    readonly authorizationUrl: string;
    readonly deviceAuthorizationUrl: string;
    readonly tokenUrl: string;
    readonly revocationUrl: string;
    readonly issuer: string;
  };
  /** Requests to the token endpoint, in their order. */
  readonly tokenRequests: readonly TokenRequest[];
  /** Number of requests to the revocation endpoint that succeeded. */
  readonly revocations: () => number;
  /** Whether an access token is valid: it was issued, has not expired, and was not revoked. */
  isValid(accessToken: string): Promise<boolean>;
  /** Revokes what a person has allowed, as she could do at the provider. */
  revokeConsent(): Promise<void>;
  /** Opens a page as a person who allows everything. @returns the address that the last redirect leads to. */
  allow(url: string, redirectUrl: string): Promise<URL>;
  /** Enters a code as a person who allows everything. */
  allowDevice(userCode: string): Promise<void>;
}

const ACCOUNT = 'ada';

/** Starts a provider on 127.0.0.1 until the test file ends. @param redirectUrl where its client is redirected to. */
export async function startOAuthProvider(redirectUrl: string): Promise<OAuthProvider> {
  const server = createServer({ keepAliveTimeout: 60_000 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the provider has no port');
  const url = `http://127.0.0.1:${address.port}`;
  const provider = new Provider(url, configuration(redirectUrl));
  const tokenRequests: TokenRequest[] = [];
  const grants = new Set<string>();
  let revocations = 0;
  provider.use(async (ctx, next) => {
    if (ctx.path.startsWith('/interaction/')) {
      const { prompt, params, session } = await provider.interactionDetails(ctx.req, ctx.res);
      if (prompt.name === 'login') {
        await provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: ACCOUNT } });
      } else {
        const grant = new provider.Grant({
          accountId: session?.accountId ?? ACCOUNT,
          clientId: String(params.client_id),
        });
        grant.addOIDCScope(String(params.scope));
        const grantId = await grant.save();
        grants.add(grantId);
        await provider.interactionFinished(ctx.req, ctx.res, { consent: { grantId } });
      }
      ctx.respond = false;
      return;
    }
    await next();
    const grantType: unknown = ctx.oidc?.params?.grant_type;
    if (ctx.path === '/token') tokenRequests.push({ grantType: String(grantType), status: ctx.status });
    if (ctx.path === '/token/revocation' && ctx.status === 200) revocations += 1;
  });
  const handle = provider.callback();
  server.on('request', (request, response) => void handle(request, response));
  stopLater({
    stop() {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
  return {
    url,
    endpoints: {
      authorizationUrl: `${url}/auth`,
      deviceAuthorizationUrl: `${url}/device/auth`,
      tokenUrl: `${url}/token`,
      revocationUrl: `${url}/token/revocation`,
      issuer: url,
    },
    tokenRequests,
    revocations: () => revocations,
    async isValid(accessToken) {
      const found = [await provider.AccessToken.find(accessToken), await provider.ClientCredentials.find(accessToken)];
      return found.some((token) => token !== undefined);
    },
    async revokeConsent() {
      for (const grantId of grants) {
        await provider.RefreshToken.revokeByGrantId(grantId);
        await provider.AccessToken.revokeByGrantId(grantId);
      }
    },
    allow: (page, target) => browse(createBrowser(), page, target),
    async allowDevice(userCode) {
      const browser = createBrowser();
      const form = await (await browser(`${url}/device`)).text();
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(form)?.[1] ?? '';
      const confirmation = new URLSearchParams({ xsrf, user_code: userCode, confirm: 'yes' });
      const answer = await browser(`${url}/device`, confirmation);
      const next = answer.headers.get('location');
      if (next !== null) await browse(browser, new URL(next, url).href, undefined);
    },
  };
}

function configuration(redirectUrl: string): Configuration {
  return {
    clients: [
      {
        client_id: OAUTH_CLIENT.clientId,
        client_secret: OAUTH_CLIENT.clientSecret,
        redirect_uris: [redirectUrl],
        response_types: ['code'],
        grant_types: [
          'authorization_code',
          'refresh_token',
          'client_credentials',
          'urn:ietf:params:oauth:grant-type:device_code',
        ],
      },
    ],
    scopes: ['openid', 'offline_access', 'orders'],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: { enabled: true, allowedPolicy: () => true },
      deviceFlow: { enabled: true },
    },
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    cookies: { keys: ['a key for cookies of tests'] },
    ttl: { AccessToken: 3_600, ClientCredentials: 3_600, RefreshToken: 86_400, Grant: 86_400, Session: 86_400 },
  };
}

/** Requests pages with cookies of its own. */
export type Browser = (url: string, form?: URLSearchParams) => Promise<Response>;

/** Creates a browser, which follows no redirect by itself. */
export function createBrowser(): Browser {
  const cookies = new Map<string, string>();
  return async (url, form) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form && { method: 'POST', body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
}

/** Follows redirects until one leads to the target. @returns the address. */
export async function browse(browser: Browser, first: string, target: string | undefined): Promise<URL> {
  let url = first;
  for (let steps = 0; steps < 10; steps += 1) {
    if (target !== undefined && url.startsWith(target)) return new URL(url);
    const response = await browser(url);
    const next = response.headers.get('location');
    if (next === null && target === undefined) return new URL(url);
    if (next === null) throw new Error(`the provider shows ${url}: ${await response.text()}`);
    url = new URL(next, url).href;
  }
  throw new Error(`the provider redirects for ever, last to ${url}`);
}
