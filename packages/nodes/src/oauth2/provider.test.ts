import type { OAuth2Secret } from '@deckhand/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jwtVerify } from 'jose';
import { generateKeyPairSync } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { type Echo, echoOf, serve, type Served } from '../../../../tests/harness/serve.ts';
import { stopAll } from '../../../../tests/harness/cleanup.ts';
import { createHttpClient } from '../http/client.ts';
import { createProvider, type Provider } from './provider.ts';

/** How the provider responds to the next request, and what it got. */
let respond: RequestListener;
let received: Echo[];
let provider: Served;

beforeAll(async () => {
  provider = await serve((request, response) => {
    void echoOf(request).then((echo) => {
      received.push(echo);
      respond(request, response);
    });
  });
});
beforeEach(() => {
  received = [];
  respond = (_request, response) => json(response, 200, TOKENS);
});
afterAll(stopAll);

const http = createHttpClient({ allowPrivate: true });
const TOKENS = { access_token: 'access-1', token_type: 'Bearer', expires_in: 3_600 };
const CURRENT = { accessToken: 'an old access token', refreshToken: 'a refresh token' };
const SECRET = 'the secret of the client';

function json(response: Parameters<RequestListener>[1], status: number, body: object, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function client(secret: Partial<OAuth2Secret> = {}, signal = AbortSignal.timeout(30_000)): Provider {
  const tokenUrl = `${provider.url}/token`;
  const given = { grant: 'authorizationCode' as const, clientId: 'client', clientSecret: SECRET, tokenUrl, ...secret };
  return createProvider(given, { http, signal });
}

/** The form of the last request. */
const form = () => Object.fromEntries(new URLSearchParams(received.at(-1)?.body));

describe('a request for tokens', () => {
  it('is authenticated as the client is configured', async () => {
    await client().renew(CURRENT);
    const basic = Buffer.from(`client:${SECRET.replaceAll(' ', '+')}`).toString('base64');
    expect(received[0]?.headers.authorization).toBe(`Basic ${basic}`);
    expect(form()).toEqual({ grant_type: 'refresh_token', refresh_token: CURRENT.refreshToken });
    await client({ clientAuthentication: 'post' }).renew(CURRENT);
    expect(form()).toMatchObject({ client_id: 'client', client_secret: SECRET });
    await client({ clientAuthentication: 'none' }).renew(CURRENT);
    expect(form()).toEqual({ grant_type: 'refresh_token', refresh_token: CURRENT.refreshToken, client_id: 'client' });
    expect(received[2]?.headers.authorization).toBeUndefined();
  });

  it('has the scopes, the audience and what else the client is configured with', async () => {
    const more = { scopes: 'read write', audience: 'https://api.example', extraParameters: { tenant: 'a' } };
    const issued = await client({ grant: 'clientCredentials', ...more }).renew(undefined);
    expect(form()).toEqual({
      grant_type: 'client_credentials',
      scope: 'read write',
      audience: 'https://api.example',
      tenant: 'a',
    });
    // A response without a scope grants what was requested.
    expect(issued).toEqual({ tokens: { accessToken: 'access-1' }, lifetimeMs: 3_600_000, scopes: ['read', 'write'] });
  });

  it('is signed by the key of a service account', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().replaceAll('\n', '\\n');
    const account = { grant: 'jwtBearer' as const, clientSecret: undefined, privateKey: pem, keyId: 'k1' };
    await client({ ...account, scopes: 'read', subject: 'ada@example.com' }).renew(undefined);
    const { assertion = '', ...others } = form();
    expect(others).toEqual({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' });
    const expected = { issuer: 'client', audience: `${provider.url}/token`, subject: 'ada@example.com' };
    const { payload, protectedHeader } = await jwtVerify(assertion, publicKey, expected);
    expect(payload).toMatchObject({ scope: 'read' });
    expect(protectedHeader).toMatchObject({ alg: 'RS256', kid: 'k1' });
    const broken = client({ ...account, privateKey: 'not a key' });
    await expect(broken.renew(undefined)).rejects.toMatchObject({ code: 'private_key_invalid', kind: 'lasting' });
  });

  it('keeps a refresh token that the provider does not rotate', async () => {
    expect((await client().renew(CURRENT)).tokens.refreshToken).toBe(CURRENT.refreshToken);
    respond = (_request, response) => json(response, 200, { ...TOKENS, refresh_token: 'next' });
    expect((await client().renew(CURRENT)).tokens.refreshToken).toBe('next');
    await expect(client().renew({ accessToken: 'a' })).rejects.toMatchObject({ kind: 'refused' });
  });

  it.each([
    ['a bot of Slack', { token_type: 'bot', scope: 'chat:write,users:read' }, ['chat:write', 'users:read']],
    ['scopes in a list', { scope: ['read', 'write'] }, ['read', 'write']],
    ['an identity that is not asked for', { id_token: 'not.a.token' }, []],
  ])('accepts %s', async (_what, more, scopes) => {
    respond = (_request, response) => json(response, 200, { ...TOKENS, ...more });
    expect(await client().renew(CURRENT)).toMatchObject({ tokens: { accessToken: 'access-1' }, scopes });
  });

  it.each<[string, number, unknown, Record<string, string>, object]>([
    ['a refused token', 400, { error: 'invalid_grant' }, {}, { code: 'invalid_grant', kind: 'refused' }],
    ['a refused token of Slack', 200, { ok: false, error: 'invalid_refresh_token' }, {}, { kind: 'refused' }],
    ['a refused token of GitHub', 200, { error: 'bad_refresh_token' }, {}, { kind: 'refused' }],
    [
      'a refused client',
      401,
      { error: 'invalid_client' },
      { 'www-authenticate': 'Basic realm="x"' },
      { code: 'invalid_client', kind: 'lasting' },
    ],
    ['an outage', 503, 'down', {}, { code: 'status', kind: 'passing' }],
    ['an outage with an error', 500, { error: 'server_error' }, {}, { code: 'server_error', kind: 'passing' }],
    ['too many requests', 429, {}, {}, { kind: 'passing' }],
    ['text', 200, 'hello', {}, { code: 'response_invalid', kind: 'lasting' }],
    ['a list', 200, ['a'], {}, { code: 'response_invalid' }],
    ['no token', 200, { token_type: 'bearer' }, {}, { code: 'response_invalid' }],
    ['a token of another kind', 200, { access_token: 'a', token_type: 'mac' }, {}, { code: 'response_invalid' }],
    [
      'a token that is not text',
      200,
      { access_token: { a: 1 }, token_type: 'bearer' },
      {},
      { code: 'response_invalid' },
    ],
    ['a negative lifetime', 200, { ...TOKENS, expires_in: -1 }, {}, { code: 'response_invalid' }],
    ['a name that is not one', 400, { error: '<script>' }, {}, { code: 'error' }],
    ['too much', 200, { ...TOKENS, padding: 'x'.repeat(300_000) }, {}, { code: 'response_invalid', kind: 'lasting' }],
  ])('fails for %s', async (_what, status, body, headers, expected) => {
    respond = (_request, response) => {
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    await expect(client().renew(CURRENT)).rejects.toMatchObject({ name: 'OAuth2Error', ...expected });
  });

  it('shows neither secrets nor lines of what the provider says', async () => {
    const description = `<b>no</b>\n${SECRET} ${CURRENT.refreshToken}\u0000 ${'x'.repeat(1_000)}`;
    respond = (_request, response) => json(response, 400, { error: 'invalid_grant', error_description: description });
    const error: unknown = await client()
      .renew(CURRENT)
      .catch((thrown: unknown) => thrown);
    const message = error instanceof Error ? error.message : '';
    expect(message).toMatch(/^The provider responded with invalid_grant: <b>no<\/b> \*{8} \*{8} x{200,}…$/);
    expect(message.length).toBeLessThan(400);
    // Not even in what a logger would write of its causes.
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(SECRET);
  });

  it('follows no redirect, reaches no private address, and gives a silent server up', async () => {
    respond = (_request, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/metadata' }).end();
    await expect(client().renew(CURRENT)).rejects.toMatchObject({ code: 'redirected' });
    expect(received).toHaveLength(1);

    const guarded = createProvider(
      { grant: 'clientCredentials', clientId: 'c', clientSecret: 's', tokenUrl: `${provider.url}/token` },
      { http: createHttpClient({ allowPrivate: false }), signal: AbortSignal.timeout(30_000) },
    );
    await expect(guarded.renew(undefined)).rejects.toMatchObject({ code: 'address_refused', kind: 'lasting' });
    expect(received).toHaveLength(1);

    const patience = new AbortController();
    respond = () => patience.abort();
    await expect(client({}, patience.signal).renew(CURRENT)).rejects.toMatchObject({
      code: 'timeout',
      kind: 'passing',
    });

    respond = (request) => request.socket.destroy();
    await expect(client().renew(CURRENT)).rejects.toMatchObject({ code: 'unreachable', kind: 'passing' });
  });
});

describe('a redirect', () => {
  const request = { redirectUrl: 'https://deckhand.example/oauth/callback', state: 's', codeVerifier: 'v'.repeat(43) };
  const page = { authorizationUrl: 'https://login.example/authorize?tenant=a', scopes: 'read' };

  it('leads to the page of the provider, with a proof', async () => {
    const extraParameters = { access_type: 'offline' };
    const url = new URL(await client({ ...page, extraParameters }).authorizationUrl(request));
    expect(url.origin + url.pathname).toBe('https://login.example/authorize');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      tenant: 'a',
      access_type: 'offline',
      scope: 'read',
      response_type: 'code',
      client_id: 'client',
      redirect_uri: request.redirectUrl,
      state: 's',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  it.each([
    ['the issuer, though none is configured', { iss: 'https://login.example' }, undefined, true],
    ['no issuer, and none is configured', {}, undefined, true],
    ['another issuer, though none is configured', { iss: 'https://evil.example' }, undefined, false],
    ['the configured issuer', { iss: 'https://issuer.example' }, 'https://issuer.example', true],
    ['no issuer, though one is configured', {}, 'https://issuer.example', false],
    ['another state', { state: 'other' }, undefined, false],
  ])('back that names %s', async (_what, more, issuer, isAccepted) => {
    const parameters = new URLSearchParams({ code: 'c', state: 's', ...more });
    const exchange = client({ ...page, issuer }).exchange(parameters, request);
    if (isAccepted) {
      expect((await exchange).tokens.accessToken).toBe('access-1');
      expect(form()).toMatchObject({
        code: 'c',
        code_verifier: request.codeVerifier,
        redirect_uri: request.redirectUrl,
      });
    } else {
      await expect(exchange).rejects.toMatchObject({ code: 'redirect_invalid' });
      expect(received).toEqual([]);
    }
  });
});

describe('an authorization on another device', () => {
  const device = () => client({ grant: 'deviceCode', deviceAuthorizationUrl: `${provider.url}/device` });
  const offer = {
    device_code: 'd',
    user_code: 'ABCD',
    verification_uri: 'https://login.example/device',
    expires_in: 900,
  };

  it('is offered, pending, and allowed', async () => {
    respond = (_request, response) => json(response, 200, offer);
    expect(await device().startDevice()).toEqual({
      deviceCode: 'd',
      userCode: 'ABCD',
      verificationUrl: 'https://login.example/device',
      pollSeconds: 5,
      lifetimeSeconds: 900,
    });
    for (const [status, error, expected] of [
      [400, 'authorization_pending', 'pending'],
      [400, 'slow_down', 'slower'],
      // GitHub reports errors with the status 200.
      [200, 'slow_down', 'slower'],
      [503, 'down', 'slower'],
    ] as const) {
      respond = (_request, response) => json(response, status, { error });
      expect(await device().pollDevice('d')).toBe(expected);
    }
    respond = (request) => request.socket.destroy();
    expect(await device().pollDevice('d')).toBe('slower');
    respond = (_request, response) => json(response, 400, { error: 'access_denied' });
    await expect(device().pollDevice('d')).rejects.toMatchObject({ code: 'access_denied' });
    respond = (_request, response) => json(response, 200, TOKENS);
    expect(await device().pollDevice('d')).toMatchObject({ tokens: { accessToken: 'access-1' } });
  });

  it('has a page that does not run in ours', async () => {
    respond = (_request, response) => json(response, 200, { ...offer, verification_uri: 'javascript:alert(1)' });
    await expect(device().startDevice()).rejects.toMatchObject({ code: 'response_invalid' });
  });
});
