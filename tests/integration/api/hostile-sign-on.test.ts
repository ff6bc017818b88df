import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SignJWT, UnsecuredJWT } from 'jose';
import { type Gateway, startGateway, startStores, stopAll, type Stores } from '../../harness/index.ts';
import {
  createKeyPair,
  type HostileProvider,
  SIGN_ON_CLIENT,
  signClaims,
  startHostileProvider,
} from '../../harness/identity-provider.ts';

let stores: Stores;
let gateway: Gateway;
let provider: HostileProvider;
let first: HostileProvider['key'];

beforeAll(async () => {
  [stores, provider] = await Promise.all([startStores(), startHostileProvider()]);
  first = provider.key;
  // The setup is over: before it, nobody signs in.
  const owner = {
    id: '01900000-0000-7000-8000-0000000000bb',
    email: 'owner@example.com',
    name: 'Owner',
    isAdmin: true,
  };
  await stores.db.user.create({ data: owner });
  gateway = await startGateway(stores, { env: settings() });
});
beforeEach(() => {
  provider.key = first;
  provider.replaced.clear();
});
afterAll(stopAll);

function settings(more: Readonly<Record<string, string>> = {}) {
  return {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: SIGN_ON_CLIENT.clientId,
    OIDC_CLIENT_SECRET: SIGN_ON_CLIENT.clientSecret,
    OIDC_ALLOWED_DOMAINS: '*',
    ...more,
  };
}

type Claims = Readonly<Record<string, unknown>>;

/** Signs in with an ID token that is made from the claims of a right one. */
async function signIn(makeToken: (claims: Claims) => Promise<string>, at: Gateway = gateway) {
  const started = await at.call('POST', '/api/auth/sso/start');
  if (started.status !== 200) return started;
  const { searchParams } = new URL(started.body.authorizationUrl);
  const now = Math.floor(Date.now() / 1_000);
  provider.idToken = () =>
    makeToken({
      ...{ iss: provider.issuer, aud: SIGN_ON_CLIENT.clientId, sub: 'mallory', nonce: searchParams.get('nonce') },
      ...{ iat: now, exp: now + 60, email: 'mallory@example.com', email_verified: true },
    });
  const parameters = new URLSearchParams({ code: 'a code', state: searchParams.get('state') ?? '' });
  const cookie = (started.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return at.call('POST', '/api/auth/sso/finish', { body: { parameters: parameters.toString() }, headers: { cookie } });
}

const signed = (claims: Claims) => signClaims(provider.key, claims);

async function expectRefused(makeToken: (claims: Claims) => Promise<string>, at?: Gateway): Promise<void> {
  const { status, text } = await signIn(makeToken, at);
  expect([status, text]).toEqual([422, expect.stringContaining('"SSO_FAILED"')]);
  expect(text).not.toContain(SIGN_ON_CLIENT.clientSecret);
  expect(await stores.db.session.count()).toBe(0);
}

/** Signs in as others do, so that a refusal is one of what differs. */
async function expectAccepted(makeToken = signed, at?: Gateway): Promise<void> {
  const { status, text } = await signIn(makeToken, at);
  expect([status, text]).toEqual([200, expect.stringContaining('mallory@example.com')]);
  await stores.db.session.deleteMany();
}

describe('an ID token', () => {
  it('is accepted as the standard has it, within a minute of the clock', async () => {
    await expectAccepted();
    const now = Math.floor(Date.now() / 1_000);
    await expectAccepted((claims) => signed({ ...claims, iat: now - 90, exp: now - 30 }));
  });

  it.each<[string, Claims]>([
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for another client', { aud: 'another client' }],
    ['for several clients, without saying which', { aud: [SIGN_ON_CLIENT.clientId, 'another client'] }],
    ['of several clients, for another one', { aud: [SIGN_ON_CLIENT.clientId, 'another'], azp: 'another' }],
    ['of another sign-in: its nonce differs', { nonce: 'replayed' }],
    ['without a nonce', { nonce: undefined }],
    ['that has expired for two minutes', { exp: Math.floor(Date.now() / 1_000) - 120 }],
    ['that is valid in ten minutes', { nbf: Math.floor(Date.now() / 1_000) + 600 }],
    ['without an end', { exp: undefined }],
    ['without a subject', { sub: undefined }],
    ['with an empty subject', { sub: '' }],
    ['with a subject that is too long', { sub: 'x'.repeat(256) }],
    ['with a subject that is not text', { sub: 7 }],
  ])('%s is refused', async (_case, change) => {
    await expectRefused((claims) => signed({ ...claims, ...change }));
  });

  it('without a signature is refused, though the provider claims to send such', async () => {
    await expectRefused((claims) => Promise.resolve(new UnsecuredJWT({ ...claims }).encode()));
  });

  it('signed with a text that the client knows, or everybody does, is refused', async () => {
    const secrets = [SIGN_ON_CLIENT.clientSecret, JSON.stringify(first.published), ''];
    for (const secret of secrets) {
      await expectRefused((claims) =>
        new SignJWT({ ...claims })
          .setProtectedHeader({ alg: 'HS256', kid: first.kid })
          .sign(new TextEncoder().encode(secret.padEnd(32))),
      );
    }
  });

  it('signed with a key that the provider does not publish is refused, also under the name of one that it does', async () => {
    const other = await createKeyPair(first.kid);
    await expectRefused((claims) => signClaims(other, claims));
    await expectRefused((claims) => signClaims({ ...other, kid: 'unknown' }, claims));
  });

  it('that brings its own key is refused', async () => {
    const own = await createKeyPair(first.kid);
    await expectRefused((claims) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: own.kid, jwk: own.published })
        .sign(own.privateKey),
    );
  });

  it('whose claims were changed after it was signed is refused', async () => {
    await expectRefused(async (claims) => {
      const [head, , signature] = (await signed(claims)).split('.');
      const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'somebody else' })).toString('base64url');
      return [head, changed, signature].join('.');
    });
  });

  it('of the next key is accepted as soon as the provider publishes it, and of the last one no more', async () => {
    await expectAccepted();
    provider.key = await createKeyPair('second');
    await expectAccepted();
    await expectRefused((claims) => signClaims(first, claims));
  });
});

describe('a provider', () => {
  it('that is another than configured is not used', async () => {
    const other = await startHostileProvider();
    other.configuration = { issuer: provider.issuer };
    const at = await startGateway(stores, { env: settings({ OIDC_ISSUER: other.issuer }) });
    await expectRefused(signed, at);
  });

  it('that leads people to a script instead of a page is not used', async () => {
    const other = await startHostileProvider();
    other.configuration = { authorization_endpoint: 'javascript:alert(document.cookie)' };
    const at = await startGateway(stores, { env: settings({ OIDC_ISSUER: other.issuer }) });
    await expectRefused(signed, at);
  });

  it.each([
    ['id_token_signing_alg_values_supported', 'RS256'],
    ['token_endpoint_auth_methods_supported', 7],
  ])('whose %s is not a list is reported', async (name, value) => {
    const other = await startHostileProvider();
    other.configuration = { [name]: value };
    const at = await startGateway(stores, { env: settings({ OIDC_ISSUER: other.issuer }) });
    const before = provider;
    provider = other;
    try {
      await expectRefused(signed, at);
    } finally {
      provider = before;
    }
  });

  it('that is down, or responds with an error or with what is not JSON, is reported without its response', async () => {
    const responses: [number, string][] = [
      [500, '{"error":"<script>","error_description":"a secret"}'],
      [200, '<html>a secret</html>'],
      [200, '["a secret"]'],
      [302, ''],
    ];
    for (const path of ['/token', '/jwks']) {
      for (const [status, body] of responses) {
        provider.replaced.set(path, (_request, response) =>
          response.writeHead(status, { location: 'https://evil.example' }).end(body),
        );
        const { status: given, text } = await signIn(signed);
        expect([given, text]).toEqual([422, expect.not.stringMatching(/secret|script/)]);
      }
      provider.replaced.clear();
    }
    const down = await startGateway(stores, { env: settings({ OIDC_ISSUER: 'http://127.0.0.1:9' }) });
    await expectRefused(signed, down);
  });

  it('that sends without end is cut off', async () => {
    let sent = 0;
    provider.replaced.set('/token', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = `"${'x'.repeat(65_536)}",`;
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      };
      response.on('drain', more);
      response.write('[');
      more();
    });
    await expectRefused(signed);
    expect(sent).toBeLessThan(20_000_000);
  });

  it('that does not respond is given up after the time of the settings', async () => {
    const at = await startGateway(stores, { env: settings({ OIDC_TIMEOUT_MS: '500' }) });
    await expectAccepted(signed, at);
    provider.replaced.set('/token', () => undefined);
    const { status, text } = await signIn(signed, at);
    expect([status, text]).toEqual([422, expect.stringContaining('did not respond in time')]);
  });

  it('whose userinfo is about somebody else is not believed', async () => {
    const other = await startHostileProvider();
    const at = await startGateway(stores, { env: settings({ OIDC_ISSUER: other.issuer }) });
    other.configuration = { userinfo_endpoint: `${other.issuer}/userinfo` };
    provider = other;
    try {
      let about = 'mallory';
      other.replaced.set('/userinfo', (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ sub: about, email: 'victim@example.com' }));
      });
      await expectAccepted(signed, at);
      about = 'victim';
      await expectRefused(signed, at);
    } finally {
      provider = await startHostileProvider();
    }
  });
});

describe('an address', () => {
  it.each<[string, Claims, Claims]>([
    [
      'of the ID token is not verified by the userinfo',
      { email_verified: undefined },
      { email: 'mallory@example.com', email_verified: true },
    ],
    ['of the userinfo is not verified by the ID token', { email: undefined }, { email: 'victim@example.com' }],
  ])('%s', async (_case, inToken, inUserInfo) => {
    const other = await startHostileProvider();
    const at = await startGateway(stores, { env: settings({ OIDC_ISSUER: other.issuer }) });
    other.configuration = { userinfo_endpoint: `${other.issuer}/userinfo` };
    other.replaced.set('/userinfo', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ sub: 'mallory', ...inUserInfo }));
    });
    const before = provider;
    provider = other;
    try {
      const { status, text } = await signIn((claims) => signed({ ...claims, ...inToken }), at);
      expect([status, text]).toEqual([403, expect.stringContaining('"SSO_REFUSED"')]);
    } finally {
      provider = before;
    }
  });
});

describe('settings', () => {
  const readAs = (more: Readonly<Record<string, string>>) => startGateway(stores, { env: settings(more) });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['an issuer without TLS', { OIDC_ISSUER: 'http://login.example' }, 'OIDC_ISSUER must be https'],
    ['no client', { OIDC_CLIENT_ID: '' }, 'OIDC_CLIENT_ID'],
    [
      'domains of single sign-on alone without an issuer',
      { OIDC_ISSUER: '', OIDC_ONLY_DOMAINS: 'a.example' },
      'OIDC_ISSUER',
    ],
    ['domains of single sign-on alone, and no other way in', { OIDC_ONLY_DOMAINS: 'a.example' }, 'OIDC_BREAK_GLASS'],
    ['a domain with an @', { OIDC_ALLOWED_DOMAINS: '@example.com' }, 'OIDC_ALLOWED_DOMAINS'],
    [
      'an expression that is not one',
      { OIDC_WORKSPACE_ID: '01900000-0000-7000-8000-000000000001', OIDC_ROLE: '{{ $trigger. }}' },
      'OIDC_ROLE',
    ],
    [
      'an expression over what there is not',
      { OIDC_WORKSPACE_ID: '01900000-0000-7000-8000-000000000001', OIDC_ROLE: '{{ $vars.a }}' },
      'OIDC_ROLE',
    ],
    ['roles without a workspace', { OIDC_ROLE: 'viewer' }, 'OIDC_WORKSPACE_ID'],
    ['the role owner', { OIDC_DEFAULT_ROLE: 'owner' }, 'OIDC_DEFAULT_ROLE'],
    ['scopes without openid', { OIDC_SCOPES: 'email' }, 'OIDC_SCOPES'],
    ['a secret and a file', { OIDC_CLIENT_SECRET_FILE: '/dev/null' }, 'OIDC_CLIENT_SECRET_FILE'],
    [
      'a file that is not there',
      { OIDC_CLIENT_SECRET: '', OIDC_CLIENT_SECRET_FILE: '/nowhere' },
      'OIDC_CLIENT_SECRET_FILE',
    ],
  ])('with %s stop the start', async (_case, more, named) => {
    await expect(readAs(more)).rejects.toThrow(named);
  });
});
