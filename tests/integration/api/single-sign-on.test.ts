import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  addKey,
  addPerson,
  type ApiResponse,
  type Gateway,
  type Instance,
  OWNER,
  startGateway,
  startInstance,
  startStores,
  stopAll,
  until,
} from '../../harness/index.ts';
import { createHash } from 'node:crypto';
import { type IdentityProvider, SIGN_ON_CLIENT, startIdentityProvider } from '../../harness/identity-provider.ts';

const REDIRECT = 'https://deckhand.example/sso/callback';

let provider: IdentityProvider;
let instance: Instance;
let gateway: Gateway;
let replica: Gateway;

/** The settings of single sign-on of every gateway here. */
function settings(more: Readonly<Record<string, string>> = {}) {
  return {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: SIGN_ON_CLIENT.clientId,
    OIDC_CLIENT_SECRET: SIGN_ON_CLIENT.clientSecret,
    OIDC_ALLOWED_DOMAINS: 'example.com, corp.example',
    ...more,
  };
}

beforeAll(async () => {
  provider = await startIdentityProvider(REDIRECT);
  instance = await startInstance(undefined, { env: settings() });
  ({ gateway } = instance);
  replica = await startGateway(instance, { env: settings({ OIDC_LABEL: 'Sign in with Corp' }) });
});
// The tests together send more from this machine than the limit of a network allows.
beforeEach(async () => {
  const { redis } = gateway.services.monitoring;
  const counters = await redis.keys('*:sign-on:*');
  if (counters.length > 0) await redis.del(counters);
});
afterAll(stopAll);

const hashSecret = (text: string) => createHash('sha256').update(text).digest('hex');

interface Started {
  readonly authorizationUrl: string;
  readonly cookie: string;
  readonly setCookie: string;
}

/** Starts a sign-in in a new browser, or one with a cookie. */
async function start(at: Gateway = gateway, cookie?: string, body?: object): Promise<Started> {
  const answer = await at.call('POST', '/api/auth/sso/start', {
    ...(cookie === undefined ? {} : { headers: { cookie } }),
    ...(body === undefined ? {} : { body }),
  });
  if (answer.status !== 200) throw new Error(answer.text);
  const setCookie = answer.headers.get('set-cookie') ?? '';
  return { authorizationUrl: answer.body.authorizationUrl, cookie: setCookie.split(';')[0] ?? '', setCookie };
}

const finish = (parameters: string, cookie: string, at: Gateway = gateway) =>
  at.call('POST', '/api/auth/sso/finish', { body: { parameters }, headers: { cookie } });

/** Signs a person in through the provider. */
async function signIn(subject: string, at: Gateway = gateway) {
  const { authorizationUrl, cookie } = await start(at);
  return finish(await provider.signIn(authorizationUrl, subject), cookie, at);
}

function outcome({ status, body }: ApiResponse): unknown {
  return [status, body !== null && typeof body === 'object' && 'code' in body ? body.code : undefined];
}

/** Adds a person to the provider. */
function person(subject: string, email: string, more: Readonly<Record<string, string | boolean | string[]>> = {}) {
  provider.accounts.set(subject, { email, email_verified: true, name: `Name of ${subject}`, ...more });
}

describe('single sign-on', () => {
  it('is announced with its label, and with null where it is off', async () => {
    const off = await startGateway(instance);
    const labels = await Promise.all(
      [replica, off].map(async (one) => (await one.call('GET', '/api/auth/methods')).body),
    );
    expect(labels.map(({ singleSignOn }) => singleSignOn)).toEqual([{ label: 'Sign in with Corp' }, null]);
    expect(outcome(await off.call('POST', '/api/auth/sso/start'))).toEqual([404, 'NOT_FOUND']);
    expect(outcome(await finish('a=b', '', off))).toEqual([404, 'NOT_FOUND']);
  });

  it('creates an account of a new person, and finds it again though name and address changed', async () => {
    person('s-new', 'New.Person@example.com');
    const first = await signIn('s-new');
    expect(first.status).toBe(200);
    expect(first.body.user).toMatchObject({ email: 'new.person@example.com', name: 'Name of s-new', isAdmin: false });
    expect((await replica.call('GET', '/api/auth/me', { as: first.body.token })).body.workspaces).toEqual([]);
    person('s-new', 'married@example.com');
    const second = await signIn('s-new', replica);
    expect(second.body.user).toEqual(first.body.user);
    expect(await instance.db.user.count({ where: { email: { contains: 'married' } } })).toBe(0);
  });

  it('creates no account before the setup, which would then be over without an administrator', async () => {
    const fresh = await startStores();
    const at = await startGateway(fresh, { env: settings() });
    person('s-first', 'first@example.com');
    expect(outcome(await signIn('s-first', at))).toEqual([403, 'SSO_REFUSED']);
    expect(await fresh.db.user.count()).toBe(0);
  });

  it('opens no session of an identity that is disconnected meanwhile', async () => {
    person('s-gone', 'gone@example.com');
    const { id } = (await signIn('s-gone')).body.user;
    let second: ReturnType<typeof signIn> | undefined;
    await instance.db.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT 1 FROM users WHERE id = ${id}::uuid FOR UPDATE`;
      second = signIn('s-gone');
      await until(async () => {
        const [row] = await instance.db.$queryRaw<{ waiting: bigint }[]>`
          SELECT count(*) AS waiting FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return Number(row?.waiting) > 0;
      }, 'the session waits for the person');
      await tx.identity.deleteMany({ where: { userId: id } });
    });
    expect(second && outcome(await second)).toEqual([403, 'SSO_REFUSED']);
  });

  it('makes one account of two first sign-ins at the same time', async () => {
    person('s-twice', 'twice@example.com');
    const answers = await Promise.all([signIn('s-twice'), signIn('s-twice', replica)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await instance.db.identity.count({ where: { subject: 's-twice' } })).toBe(1);
  });

  it('goes on to the page that it was started for, and to no other site', async () => {
    person('s-next', 'next@example.com');
    const next = '/w/1/runs?status=failed';
    const { authorizationUrl, cookie } = await start(gateway, undefined, { next });
    const { body } = await finish(await provider.signIn(authorizationUrl, 's-next'), cookie);
    expect(body.next).toBe(next);
    for (const bad of ['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)']) {
      const answer = await gateway.call('POST', '/api/auth/sso/start', { body: { next: bad } });
      expect([bad, ...[outcome(answer)].flat()]).toEqual([bad, 400, 'VALIDATION_FAILED']);
    }
  });

  it('connects an account that has the verified address, and takes its password and sessions away', async () => {
    const invite = await gateway.call('POST', `/api/workspaces/${instance.workspaceId}/invites`, {
      as: instance.session,
      body: { role: 'editor' },
    });
    const account = { email: 'early@example.com', name: 'Somebody', password: 'a password of somebody' };
    const joined = await gateway.call('POST', '/api/auth/accept-invite', {
      body: { token: invite.body.token, ...account },
    });
    const userId = joined.body.user!.id;
    const key = await addKey(instance, userId);
    const passkey = { id: userId, userId, credentialId: 'of-somebody', publicKey: new Uint8Array([1]), name: 'Key' };
    await instance.db.passkey.create({ data: passkey });
    await instance.db.authenticator.create({ data: { userId, secret: '-', confirmedAt: new Date() } });
    person('s-early', 'early@example.com');
    const { body } = await signIn('s-early');
    expect(await instance.db.passkey.count({ where: { userId } })).toBe(0);
    expect(await instance.db.authenticator.count({ where: { userId } })).toBe(0);
    expect(body.user.id).toBe(joined.body.user!.id);
    const { email, password } = account;
    const login = await gateway.call('POST', '/api/auth/login', { body: { email, password } });
    expect(outcome(login)).toEqual([401, 'UNAUTHORIZED']);
    expect((await gateway.call('GET', '/api/auth/me', { as: joined.body.token })).status).toBe(401);
    expect((await gateway.call('GET', '/api/auth/me', { as: body.token })).body.workspaces).toMatchObject([
      { role: 'editor' },
    ]);
    // Runs and scripts that use the key go on.
    expect((await gateway.call('GET', '/api/me', { as: key.key })).status).toBe(200);
  });

  it('asks for a second factor, too, if the settings say so, and otherwise trusts the provider', async () => {
    const strict = await startGateway(instance, { env: settings({ SECOND_FACTOR_AFTER_SSO: 'true' }) });
    person('s-factor', 'factor@example.com');
    const { id: userId } = (await signIn('s-factor')).body.user;
    expect((await signIn('s-factor', strict)).status).toBe(200);
    await instance.db.recoveryCode.create({ data: { userId, codeHash: hashSecret('k3mw07dz9qpxt1ca') } });
    await instance.db.authenticator.create({ data: { userId, secret: '-', confirmedAt: new Date() } });
    expect((await signIn('s-factor')).status).toBe(200);
    const { authorizationUrl, cookie } = await start(strict);
    const pending = await finish(await provider.signIn(authorizationUrl, 's-factor'), cookie, strict);
    expect([pending.status, pending.text.includes('"token"')]).toEqual([202, false]);
    const { state } = JSON.parse(pending.text) as { state: string };
    const body = { state, recoveryCode: 'k3mw-07dz-9qpx-t1ca' };
    const done = await strict.call('POST', '/api/auth/login/second-factor', { body, headers: { cookie } });
    expect([done.status, done.body.user.id]).toEqual([200, userId]);
    const session = await instance.db.session.findFirst({ where: { userId }, orderBy: { createdAt: 'desc' } });
    expect(session?.identityId).not.toBeNull();
  });

  it('leaves a break-glass address the password', async () => {
    const { passwordHash } = await instance.db.user.findFirstOrThrow({ where: { isAdmin: true } });
    const { userId } = await addPerson(instance);
    const email = 'glass@example.com';
    await instance.db.user.update({ where: { id: userId }, data: { email, passwordHash } });
    const at = await startGateway(instance, { env: settings({ OIDC_BREAK_GLASS: 'Glass@example.com' }) });
    person('s-glass', email);
    expect((await signIn('s-glass', at)).body.user.id).toBe(userId);
    const login = await at.call('POST', '/api/auth/login', { body: { email, password: OWNER.password } });
    expect(login.status).toBe(200);
  });

  it('ends a link to a new password that was sent before, and records how many keys stay', async () => {
    const { userId, email } = await addPerson(instance);
    await addKey(instance, userId);
    await instance.db.user.update({ where: { id: userId }, data: { email: 'link@example.com' } });
    const expiresAt = new Date(Date.now() + 60_000);
    await instance.db.passwordReset.create({ data: { userId, tokenHash: email, expiresAt } });
    person('s-link', 'link@example.com');
    expect((await signIn('s-link')).status).toBe(200);
    expect(await instance.db.passwordReset.count({ where: { userId } })).toBe(0);
    const entry = await instance.db.auditEntry.findFirstOrThrow({
      where: { resourceId: userId, action: 'user.connectIdentity' },
    });
    expect(entry.details).toMatchObject({ issuer: provider.issuer, keptKeys: 1 });
  });

  it('leaves an administrator the password, to get in while the provider is down', async () => {
    person('s-owner', OWNER.email);
    const { body } = await signIn('s-owner');
    expect(body.user).toMatchObject({ email: OWNER.email.toLowerCase(), isAdmin: true });
    const login = await gateway.call('POST', '/api/auth/login', {
      body: { email: OWNER.email, password: OWNER.password },
    });
    expect(login.status).toBe(200);
    expect((await gateway.call('GET', '/api/auth/me', { as: instance.session })).status).toBe(200);
  });
});

describe('an address', () => {
  it.each([
    ['that is not verified', { email_verified: false }],
    ['of which the provider says nothing', { email_verified: 'no' }],
  ])('%s connects no account and creates none', async (_case, claims) => {
    const users = await instance.db.user.count();
    for (const email of [OWNER.email, 'unverified@example.com']) {
      person(`s-unverified-${email}`, email, claims);
      expect(outcome(await signIn(`s-unverified-${email}`))).toEqual([403, 'SSO_REFUSED']);
    }
    expect(await instance.db.user.count()).toBe(users);
  });

  it('of an allowed domain counts only while it is verified, also of a person who is known', async () => {
    person('s-known', 'known@example.com');
    expect((await signIn('s-known')).status).toBe(200);
    person('s-known', 'known@example.com', { email_verified: false });
    expect(outcome(await signIn('s-known'))).toEqual([403, 'SSO_REFUSED']);
  });

  it('with a control character is refused', async () => {
    person('s-control', 'nul\u0000@example.com');
    expect(outcome(await signIn('s-control'))).toEqual([403, 'SSO_REFUSED']);
  });

  it('that another person got at the provider finds no account', async () => {
    person('s-leaver', 'reused@example.com');
    const { body } = await signIn('s-leaver');
    person('s-leaver', 'former@example.com');
    person('s-joiner', 'reused@example.com');
    const answer = await signIn('s-joiner');
    expect(outcome(answer)).toEqual([403, 'SSO_REFUSED']);
    expect((await signIn('s-leaver')).body.user.id).toBe(body.user.id);
  });

  it('of a domain that is not allowed gets nothing, not even an account that exists', async () => {
    for (const [index, email] of [
      'eve@evil.example',
      'eve@example.com.evil.example',
      'eve@sub.example.com',
    ].entries()) {
      person(`s-domain-${index}`, email);
      expect(outcome(await signIn(`s-domain-${index}`))).toEqual([403, 'SSO_REFUSED']);
    }
  });

  it('is verified by another claim, where the settings name it', async () => {
    const other = await startGateway(instance, { env: settings({ OIDC_VERIFIED_CLAIM: 'groups' }) });
    person('s-claim', 'claim@example.com', { groups: 'true', email_verified: false });
    expect((await signIn('s-claim', other)).status).toBe(200);
  });

  it('without an account gets none where no domains are allowed', async () => {
    const closed = await startGateway(instance, { env: settings({ OIDC_ALLOWED_DOMAINS: '' }) });
    person('s-closed', 'nobody@elsewhere.example');
    expect(outcome(await signIn('s-closed', closed))).toEqual([403, 'SSO_REFUSED']);
    expect(await instance.db.user.count({ where: { email: 'nobody@elsewhere.example' } })).toBe(0);
  });
});

describe('the redirect back', () => {
  it('works once: the code is worth nothing then, nor are two requests at the same time', async () => {
    person('s-once', 'once@example.com');
    const { authorizationUrl, cookie } = await start();
    const parameters = await provider.signIn(authorizationUrl, 's-once');
    const answers = await Promise.all([finish(parameters, cookie), finish(parameters, cookie, replica)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    expect(outcome(await finish(parameters, cookie))).toEqual([422, 'SSO_FAILED']);
  });

  it('is refused in another browser, and can still be finished in its own', async () => {
    person('s-browser', 'browser@example.com');
    const [mine, other] = [await start(), await start()];
    const parameters = await provider.signIn(mine.authorizationUrl, 's-browser');
    for (const cookie of ['', other.cookie, `${mine.cookie}x`, mine.cookie.replace('__Host-', '')]) {
      expect(outcome(await finish(parameters, cookie))).toEqual([422, 'SSO_FAILED']);
    }
    expect((await finish(parameters, mine.cookie)).status).toBe(200);
  });

  it('of one of two tabs of a browser finishes its own sign-in', async () => {
    person('s-tabs', 'tabs@example.com');
    const first = await start();
    const second = await start(replica, first.cookie);
    expect(second.cookie).toBe(first.cookie);
    const parameters = await provider.signIn(first.authorizationUrl, 's-tabs');
    expect((await finish(parameters, second.cookie)).status).toBe(200);
  });

  it('names the issuer: another one is refused before the code is sent anywhere', async () => {
    person('s-iss', 'iss@example.com');
    const { authorizationUrl, cookie } = await start();
    const parameters = new URLSearchParams(await provider.signIn(authorizationUrl, 's-iss'));
    expect(parameters.get('iss')).toBe(provider.issuer);
    parameters.set('iss', 'https://evil.example');
    expect(outcome(await finish(parameters.toString(), cookie))).toEqual([422, 'SSO_FAILED']);
  });

  it('with a code of another sign-in is refused: its proof differs', async () => {
    person('s-mixed', 'mixed@example.com');
    const first = await start();
    const second = await start(gateway, first.cookie);
    const code = new URLSearchParams(await provider.signIn(first.authorizationUrl, 's-mixed')).get('code') ?? '';
    const parameters = new URLSearchParams(await provider.signIn(second.authorizationUrl, 's-mixed'));
    parameters.set('code', code);
    expect(outcome(await finish(parameters.toString(), first.cookie))).toEqual([422, 'SSO_FAILED']);
  });

  it('that reports an error shows its code, and no more than a line of its text', async () => {
    const { authorizationUrl, cookie } = await start();
    const state = new URL(authorizationUrl).searchParams.get('state') ?? '';
    const iss = provider.issuer;
    const parameters = new URLSearchParams({ error: 'access_denied', error_description: 'No\n way', state, iss });
    const { status, body } = await finish(parameters.toString(), cookie);
    expect([status, body]).toMatchObject([
      422,
      { error: 'The identity provider redirected with access_denied: No way' },
    ]);
  });
});

describe('the cookie of a browser', () => {
  it('is for this host alone, not for scripts, and ends after ten minutes', async () => {
    const { setCookie } = await start();
    expect(setCookie).toMatch(/^__Host-deckhand-sign-on=[\w-]{43}; Max-Age=600; Path=\/; /);
    for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Lax']) expect(setCookie).toContain(`; ${attribute}`);
    expect(setCookie).not.toContain('Domain');
  });

  it('is all that the service keeps in clear: state, nonce and proof are encrypted in Redis', async () => {
    const { authorizationUrl } = await start();
    const { searchParams } = new URL(authorizationUrl);
    expect(searchParams.get('code_challenge_method')).toBe('S256');
    const { redis } = gateway.services.monitoring;
    const keys = await redis.keys('*sign-on:*');
    const values = await Promise.all(keys.filter((key) => !key.includes('network')).map((key) => redis.get(key)));
    const kept = [...keys, ...values].join(' ');
    for (const name of ['state', 'nonce']) expect(kept).not.toContain(searchParams.get(name));
  });
});

describe('signing out', () => {
  it('ends the session here, and names the page that ends the one of the provider', async () => {
    person('s-out', 'out@example.com');
    const { body } = await signIn('s-out');
    const answer = await gateway.call('POST', '/api/auth/sso/logout', { as: body.token });
    const url = new URL(answer.body.endSessionUrl ?? '');
    expect(url.href.startsWith(`${provider.issuer}/session/end?`)).toBe(true);
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe('https://deckhand.example/sign-in');
    const page = await fetch(url);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<form')]);
    expect((await replica.call('GET', '/api/auth/me', { as: body.token })).status).toBe(401);
  });

  it('ends the session also when its ID token cannot be decrypted any more', async () => {
    person('s-old-key', 'old-key@example.com');
    const { body } = await signIn('s-old-key');
    await instance.db.session.updateMany({ where: { userId: body.user.id }, data: { sealedIdToken: 'of a lost key' } });
    const answer = await gateway.call('POST', '/api/auth/sso/logout', { as: body.token });
    expect(answer.status).toBe(200);
    const url = new URL(answer.body.endSessionUrl ?? '');
    expect(url.searchParams.has('id_token_hint')).toBe(false);
    expect((await replica.call('GET', '/api/auth/me', { as: body.token })).status).toBe(401);
  });

  it('of a session of a password names no page', async () => {
    const login = await gateway.call('POST', '/api/auth/login', {
      body: { email: OWNER.email, password: OWNER.password },
    });
    const { body } = await gateway.call('POST', '/api/auth/sso/logout', { as: login.body.token });
    expect(body).toEqual({ endSessionUrl: null });
    expect((await replica.call('GET', '/api/auth/me', { as: login.body.token })).status).toBe(401);
  });
});

describe('roles', () => {
  const roleIn = async (token: string) =>
    (await gateway.call('GET', '/api/auth/me', { as: token })).body.workspaces.map(({ role }) => role);

  it('follow the claims at every sign-in, and are taken away by them', async () => {
    const mapped = await startGateway(instance, {
      env: settings({
        OIDC_WORKSPACE_ID: instance.workspaceId,
        OIDC_ROLE: `{{ $trigger.groups.includes('makers') ? 'editor' : $trigger.groups.includes('readers') ? 'viewer' : null }}`,
      }),
    });
    const roles = [];
    let userId = '';
    for (const groups of [['readers'], ['makers', 'readers'], ['others'], ['makers']]) {
      person('s-role', 'role@example.com', { groups });
      const { body } = await signIn('s-role', mapped);
      userId = body.user.id;
      roles.push(await roleIn(body.token));
    }
    expect(roles).toEqual([['viewer'], ['editor'], [], ['editor']]);
    const actions = await instance.db.auditEntry.findMany({
      where: { resourceId: userId, action: { startsWith: 'member.' } },
      orderBy: { id: 'asc' },
    });
    expect(actions.map(({ action }) => action)).toEqual(['member.add', 'member.update', 'member.remove', 'member.add']);
  });

  it('never make an owner, and never change one', async () => {
    const mapped = await startGateway(instance, {
      env: settings({ OIDC_WORKSPACE_ID: instance.workspaceId, OIDC_ROLE: '{{ $trigger.groups }}' }),
    });
    person('s-rise', 'rise@example.com', { groups: 'owner' });
    expect(outcome(await signIn('s-rise', mapped))).toEqual([403, 'SSO_REFUSED']);
    person('s-rise', 'rise@example.com', { groups: '' });
    expect(outcome(await signIn('s-rise', mapped))).toEqual([403, 'SSO_REFUSED']);
    person('s-owner', OWNER.email, { groups: 'viewer' });
    expect(await roleIn((await signIn('s-owner', mapped)).body.token)).toEqual(['owner']);
  });

  it('of a new account are the default one, which later sign-ins leave to people', async () => {
    const joining = await startGateway(instance, {
      env: settings({ OIDC_WORKSPACE_ID: instance.workspaceId, OIDC_DEFAULT_ROLE: 'editor' }),
    });
    person('s-default', 'default@example.com');
    const { body } = await signIn('s-default', joining);
    expect(await roleIn(body.token)).toEqual(['editor']);
    await instance.db.membership.deleteMany({ where: { userId: body.user.id } });
    expect(await roleIn((await signIn('s-default', joining)).body.token)).toEqual([]);
  });

  it('are not given by an expression that takes too long', async () => {
    const slow = await startGateway(instance, {
      env: settings({
        OIDC_WORKSPACE_ID: instance.workspaceId,
        OIDC_ROLE: `{{ 'x'.repeat(200000).split('').map(c => c + c).join('') }}`,
      }),
    });
    person('s-slow', 'slow@example.com');
    expect(outcome(await signIn('s-slow', slow))).toEqual([403, 'SSO_REFUSED']);
  });
});

describe('a domain of single sign-on alone', () => {
  it('has its passwords refused, whether there is such an account or not, except for the addresses of the settings', async () => {
    const strict = await startGateway(instance, {
      env: settings({ OIDC_ONLY_DOMAINS: 'example.com', OIDC_BREAK_GLASS: 'OWNER@example.com' }),
    });
    const login = (email: string, password: string) =>
      strict.call('POST', '/api/auth/login', { body: { email, password } });
    person('s-strict', 'strict@example.com');
    expect((await signIn('s-strict', strict)).status).toBe(200);
    for (const email of ['strict@example.com', 'Nobody@Example.COM', 'twice@example.com'])
      expect(outcome(await login(email, 'a password'))).toEqual([403, 'SSO_REQUIRED']);
    expect((await login(OWNER.email, OWNER.password)).status).toBe(200);
    expect(outcome(await login('someone@elsewhere.example', 'a password'))).toEqual([401, 'UNAUTHORIZED']);
  });

  it('has no account of a password created by an invite', async () => {
    const strict = await startGateway(instance, {
      env: settings({ OIDC_ONLY_DOMAINS: 'corp.example', OIDC_BREAK_GLASS: 'root@corp.example' }),
    });
    const { body } = await strict.call('POST', `/api/workspaces/${instance.workspaceId}/invites`, {
      as: instance.session,
      body: { role: 'viewer' },
    });
    const account = { email: 'x@corp.example', name: 'X', password: 'a long password' };
    const answer = await strict.call('POST', '/api/auth/accept-invite', { body: { token: body.token, ...account } });
    expect(outcome(answer)).toEqual([403, 'SSO_REQUIRED']);
  });
});

describe('a person without a password', () => {
  it('creates an API key within ten minutes of a sign-in, whatever is sent as the password, and not later', async () => {
    person('s-key', 'key@example.com');
    const { body } = await signIn('s-key');
    const create = () =>
      gateway.call('POST', '/api/api-keys', { as: body.token, body: { name: 'mine', password: '' } });
    // None of them counts as a wrong password.
    for (let created = 0; created < 12; created += 1) expect((await create()).status).toBe(201);
    const createdAt = new Date(Date.now() - 601_000);
    await instance.db.session.updateMany({ where: { userId: body.user.id }, data: { createdAt } });
    expect(outcome(await create())).toEqual([403, 'FORBIDDEN']);
    const login = await gateway.call('POST', '/api/auth/login', { body: { email: 'key@example.com', password: '' } });
    expect(outcome(login)).toEqual([401, 'UNAUTHORIZED']);
  });
});

describe('many requests', () => {
  it('429: of one network are refused for a while, with the time to wait', async () => {
    const proxied = await startGateway(instance, { env: settings({ TRUSTED_PROXIES: 'loopback' }) });
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const answers = await Promise.all(
      Array.from({ length: 101 }, () =>
        proxied.call('POST', '/api/auth/sso/finish', { body: { parameters: 'state=x' }, headers }),
      ),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(1);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
