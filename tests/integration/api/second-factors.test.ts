import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createPasswordResetByOperator } from '@deckhand/db';
import { createSecretBox } from '@deckhand/runtime';
import { createAuthenticator } from '../../harness/authenticator.ts';
import { chatAt } from '../../harness/connectors.ts';
import {
  addPerson,
  addSession,
  type ApiResponse,
  countLockWaits,
  type Gateway,
  type Instance,
  OWNER,
  type Person,
  startGateway,
  startInstance,
  stopAll,
  TEST_ENCRYPTION_KEY,
  until,
} from '../../harness/index.ts';
import { codeOf } from '../../harness/second-factors.ts';

let instance: Instance;
let gateway: Gateway;
let replica: Gateway;

beforeAll(async () => {
  instance = await startInstance();
  ({ gateway } = instance);
  replica = await startGateway(instance, { env: { TRUSTED_PROXIES: 'loopback' } });
});
// The tests together send more from this machine than the limits of a network allow.
beforeEach(async () => {
  const { redis } = gateway.services.monitoring;
  const counters = await redis.keys('*');
  const limits = counters.filter((key) => /:(second-factor|sign-on|login):/.test(key));
  if (limits.length > 0) await redis.del(limits);
});
afterAll(stopAll);

function outcome({ status, body }: ApiResponse): unknown {
  return [status, body !== null && typeof body === 'object' && 'code' in body ? body.code : undefined];
}

/** A person whose password is that of the owner. */
async function addPersonWithPassword(): Promise<Person> {
  const person = await addPerson(instance, 'editor');
  const { passwordHash } = await instance.db.user.findFirstOrThrow({ where: { email: OWNER.email.toLowerCase() } });
  await instance.db.user.update({ where: { id: person.userId }, data: { passwordHash } });
  return person;
}

/** Adds an authenticator app by the code of the step before the present one, which stays unused. */
async function addApp(person: Person) {
  const started = await gateway.call('POST', '/api/auth/authenticator', { as: person.session });
  if (started.status !== 201) throw new Error(started.text);
  const { secret } = started.body;
  const confirmed = await gateway.call('POST', '/api/auth/authenticator/confirm', {
    ...{ as: person.session, body: { code: codeOf(secret, Date.now() - 30_000) } },
  });
  if (confirmed.status !== 200) throw new Error(confirmed.text);
  return { secret, recoveryCodes: confirmed.body.recoveryCodes ?? [] };
}

/** Adds a passkey. */
async function addPasskey(person: Person, authenticator = createAuthenticator()) {
  const started = await gateway.call('POST', '/api/auth/passkeys/options', { as: person.session });
  if (started.status !== 200) throw new Error(started.text);
  const { state, options } = started.body;
  const added = await gateway.call('POST', '/api/auth/passkeys', {
    ...{ as: person.session, body: { state, name: 'Key', passkey: authenticator.create(options.challenge) } },
  });
  if (added.status !== 201) throw new Error(added.text);
  return { authenticator, id: added.body.id, recoveryCodes: added.body.recoveryCodes ?? [] };
}

/** Enters the password. @returns the state of the second step, and the cookie of the browser. */
async function enterPassword({ email }: Person, at: Gateway = gateway, headers: Record<string, string> = {}) {
  const response = await at.call('POST', '/api/auth/login', { body: { email, password: OWNER.password }, headers });
  const cookie = (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const pending = JSON.parse(response.text) as {
    state: string;
    methods: string[];
    passkeyRequest: { challenge: string; allowCredentials?: { id: string }[] } | null;
  };
  return { response, cookie, ...pending };
}

const finish = (body: object, cookie: string, at: Gateway = gateway, headers: Readonly<Record<string, string>> = {}) =>
  at.call('POST', '/api/auth/login/second-factor', { body, headers: { cookie, ...headers } });

const isIn = async (token: string) => (await replica.call('GET', '/api/auth/me', { as: token })).status === 200;

/** Lets the time pass in which a proof counts. */
const age = ({ userId }: Person) =>
  instance.db.session.updateMany({
    where: { userId },
    data: { createdAt: new Date(Date.now() - 660_000), confirmedAt: null },
  });

describe('an authenticator app', () => {
  it('is asked for after the password: no session before its code', async () => {
    const person = await addPersonWithPassword();
    const { secret } = await addApp(person);
    const sessions = () => instance.db.session.count({ where: { userId: person.userId } });
    const before = await sessions();
    const { response, cookie, state, methods } = await enterPassword(person);
    expect([response.status, methods]).toEqual([202, ['code', 'recoveryCode']]);
    expect(response.text).not.toContain('"token"');
    expect(await sessions()).toBe(before);
    expect(await isIn(state)).toBe(false);
    expect(outcome(await finish({ state, code: '000000' }, cookie))).toEqual([401, 'UNAUTHORIZED']);
    // Another replica knows the state.
    const done = await finish({ state, code: codeOf(secret) }, cookie, replica);
    expect([done.status, done.body.user.email]).toEqual([200, person.email]);
    expect(await isIn(done.body.token)).toBe(true);
  });

  it('is bound to the browser that gave the password', async () => {
    const person = await addPersonWithPassword();
    const { secret } = await addApp(person);
    const { state, cookie } = await enterPassword(person);
    const other = await enterPassword(await addPersonWithPassword(), gateway);
    const code = codeOf(secret);
    for (const stolen of ['', other.cookie, `${cookie.slice(0, -1)}_`]) {
      expect(outcome(await finish({ state, code }, stolen))).toEqual([401, 'UNAUTHORIZED']);
    }
    expect((await finish({ state, code }, cookie)).status).toBe(200);
  });

  it('has codes that work once, also of two requests at the same time, and the state does too', async () => {
    const person = await addPersonWithPassword();
    const { secret } = await addApp(person);
    const [one, two] = [await enterPassword(person), await enterPassword(person)];
    const code = codeOf(secret);
    const answers = await Promise.all([one, two].map(({ state, cookie }) => finish({ state, code }, cookie)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const used = answers[0]?.status === 200 ? one : two;
    expect(
      outcome(await finish({ state: used.state, code: codeOf(secret, Date.now() + 30_000) }, used.cookie)),
    ).toEqual([401, 'UNAUTHORIZED']);
    // An earlier code than the last one is used up, too.
    const third = await enterPassword(person);
    const earlier = codeOf(secret, Date.now() - 30_000);
    expect(outcome(await finish({ state: third.state, code: earlier }, third.cookie))).toEqual([401, 'UNAUTHORIZED']);
  });

  it('counts only once a code of it was entered, and replaces one that does not count yet', async () => {
    const person = await addPersonWithPassword();
    const first = await gateway.call('POST', '/api/auth/authenticator', { as: person.session });
    const second = await gateway.call('POST', '/api/auth/authenticator', { as: person.session });
    expect((await enterPassword(person)).response.status).toBe(200);
    const confirm = (code: string) =>
      gateway.call('POST', '/api/auth/authenticator/confirm', { as: person.session, body: { code } });
    expect(outcome(await confirm(codeOf(first.body.secret)))).toEqual([403, 'FORBIDDEN']);
    const confirmed = await confirm(codeOf(second.body.secret));
    expect(confirmed.body.recoveryCodes).toHaveLength(10);
    expect(outcome(await confirm(codeOf(second.body.secret)))).toEqual([409, 'INVALID_STATE']);
    expect(outcome(await gateway.call('POST', '/api/auth/authenticator', { as: person.session }))).toEqual([
      409,
      'INVALID_STATE',
    ]);
  });

  it('is kept encrypted, and nothing of it is in the log', async () => {
    const person = await addPersonWithPassword();
    const { secret, recoveryCodes } = await addApp(person);
    const kept = await instance.db.authenticator.findUniqueOrThrow({ where: { userId: person.userId } });
    expect(kept.secret).not.toContain(secret);
    expect(await createSecretBox(TEST_ENCRYPTION_KEY).open(kept.secret)).toBe(secret);
    const codes = await instance.db.recoveryCode.findMany({ where: { userId: person.userId } });
    expect(codes).toHaveLength(10);
    const log = gateway.log.join('');
    for (const text of [secret, ...recoveryCodes]) {
      expect(log).not.toContain(text);
      expect(codes.map(({ codeHash }) => codeHash)).not.toContain(text);
    }
  });

  it('ends the other sessions when it is the first factor, and a sign-in that was begun before', async () => {
    const person = await addPersonWithPassword();
    const other = await addSession(instance, person.userId);
    // The row is locked as the addition does, while a session is being created.
    let login: Promise<ApiResponse> | undefined;
    await instance.db.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT 1 FROM users WHERE id = ${person.userId}::uuid FOR NO KEY UPDATE`;
      login = gateway.call('POST', '/api/auth/login', { body: { email: person.email, password: OWNER.password } });
      await until(async () => (await countLockWaits(instance.db)) > 0, 'the sign-in waits for the addition');
      await tx.authenticator.create({ data: { userId: person.userId, secret: '-', confirmedAt: new Date() } });
    });
    expect(outcome((await login)!)).toEqual([401, 'UNAUTHORIZED']);
    await instance.db.authenticator.delete({ where: { userId: person.userId } });
    await addApp(person);
    expect(await Promise.all([isIn(other.token), isIn(person.session)])).toEqual([false, true]);
  });

  it.each(['of a session that is ended meanwhile', 'of a person who is deactivated meanwhile'])(
    'is not added by a request %s',
    async (ended) => {
      const person = await addPersonWithPassword();
      const { userId, session } = person;
      const { body } = await gateway.call('POST', '/api/auth/passkeys/options', { as: session });
      const passkey = createAuthenticator().create(body.options.challenge);
      let added: Promise<ApiResponse> | undefined;
      await instance.db.$transaction(async (tx) => {
        await tx.$executeRaw`SELECT 1 FROM users WHERE id = ${userId}::uuid FOR NO KEY UPDATE`;
        added = gateway.call('POST', '/api/auth/passkeys', {
          ...{ as: session, body: { state: body.state, name: 'Key', passkey } },
        });
        await until(async () => (await countLockWaits(instance.db)) > 0, 'the request waits for the lock');
        if (ended.includes('session')) await tx.session.deleteMany({ where: { userId } });
        else await tx.user.update({ where: { id: userId }, data: { deactivatedAt: new Date() } });
      });
      expect(outcome((await added)!)).toEqual([401, 'UNAUTHORIZED']);
      expect(await instance.db.passkey.count({ where: { userId } })).toBe(0);
    },
  );
});

describe('guessing codes', () => {
  it('is slowed down for a network, and for all together, while recovery codes and passkeys let the owner in', async () => {
    const person = await addPersonWithPassword();
    const { secret, recoveryCodes } = await addApp(person);
    await age(person);
    await gateway.call('POST', '/api/auth/confirm', { as: person.session, body: { code: codeOf(secret) } });
    const { authenticator } = await addPasskey(person);
    const { state, cookie } = await enterPassword(person, replica);
    const guess = (network: number) =>
      finish({ state, code: '000000' }, cookie, replica, { 'x-forwarded-for': `203.0.113.${network}` });
    const first = await Promise.all(Array.from({ length: 12 }, () => guess(1)));
    expect(first.map(({ status }) => status).sort()).toEqual([...Array(10).fill(401), 429, 429]);
    expect(first.find(({ status }) => status === 429)?.headers.get('retry-after')).toMatch(/^\d+$/);
    const more = await Promise.all(Array.from({ length: 30 }, (_, index) => guess(10 + index)));
    expect(more.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(20);
    const own = { 'x-forwarded-for': '198.51.100.7' };
    const next = codeOf(secret, Date.now() + 30_000);
    expect(outcome(await finish({ state, code: next }, cookie, replica, own))).toEqual([429, 'RATE_LIMITED']);
    const recoveryCode = recoveryCodes[0] ?? '';
    expect((await finish({ state, recoveryCode }, cookie, replica, own)).status).toBe(200);
    const again = await enterPassword(person, replica);
    const passkey = authenticator.get(again.passkeyRequest?.challenge ?? '');
    expect((await finish({ state: again.state, passkey }, again.cookie, replica, own)).status).toBe(200);
  });
});

describe('a recovery code', () => {
  it('works once, as people type it, also of two requests at the same time', async () => {
    const person = await addPersonWithPassword();
    const { recoveryCodes } = await addApp(person);
    const recoveryCode = (recoveryCodes[0] ?? '').toUpperCase().replaceAll('-', ' ');
    const [one, two] = [await enterPassword(person), await enterPassword(person)];
    const answers = await Promise.all([one, two].map(({ state, cookie }) => finish({ state, recoveryCode }, cookie)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const { body } = await gateway.call('GET', '/api/auth/second-factors', { as: person.session });
    expect(body.recoveryCodesLeft).toBe(9);
  });

  it('is replaced by new ones, and belongs to its person', async () => {
    const [person, other] = [await addPersonWithPassword(), await addPersonWithPassword()];
    const former = (await addApp(person)).recoveryCodes;
    await addApp(other);
    const replaced = await gateway.call('POST', '/api/auth/recovery-codes', { as: person.session });
    const codes = replaced.body.recoveryCodes ?? [];
    expect([replaced.status, codes.length]).toEqual([201, 10]);
    const ofOther = await enterPassword(other);
    const theirs = await finish({ state: ofOther.state, recoveryCode: codes[0] }, ofOther.cookie);
    expect(outcome(theirs)).toEqual([401, 'UNAUTHORIZED']);
    const { state, cookie } = await enterPassword(person);
    expect(outcome(await finish({ state, recoveryCode: former[0] }, cookie))).toEqual([401, 'UNAUTHORIZED']);
    expect((await finish({ state, recoveryCode: codes[0] }, cookie)).status).toBe(200);
  });

  it('ends with the last second factor', async () => {
    const person = await addPersonWithPassword();
    await addApp(person);
    const { id } = await addPasskey(person);
    const left = async () =>
      (await gateway.call('GET', '/api/auth/second-factors', { as: person.session })).body.recoveryCodesLeft;
    expect((await gateway.call('DELETE', '/api/auth/authenticator', { as: person.session })).status).toBe(204);
    expect(await left()).toBe(10);
    expect((await gateway.call('DELETE', `/api/auth/passkeys/${id}`, { as: person.session })).status).toBe(204);
    expect(await left()).toBe(0);
    expect((await enterPassword(person)).response.status).toBe(200);
  });
});

describe('a passkey', () => {
  const start = async (at: Gateway = gateway) => {
    const response = await at.call('POST', '/api/auth/login/passkey');
    const cookie = (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    return { ...response.body, cookie, challenge: response.body.passkeyRequest?.challenge ?? '' };
  };

  it('signs in without a name and a password, once for each challenge', async () => {
    const person = await addPersonWithPassword();
    const { authenticator } = await addPasskey(person);
    const { state, cookie, challenge, passkeyRequest } = await start();
    expect(passkeyRequest).toMatchObject({ rpId: 'deckhand.example', userVerification: 'required' });
    expect(passkeyRequest?.allowCredentials).toBeUndefined();
    const passkey = authenticator.get(challenge);
    expect(outcome(await finish({ state, passkey }, ''))).toEqual([401, 'UNAUTHORIZED']);
    const done = await finish({ state, passkey }, cookie, replica);
    expect([done.status, done.body.user.email]).toEqual([200, person.email]);
    expect(outcome(await finish({ state, passkey }, cookie))).toEqual([401, 'UNAUTHORIZED']);
  });

  it('is a second factor after the password', async () => {
    const person = await addPersonWithPassword();
    const { authenticator } = await addPasskey(person);
    const { state, cookie, methods, passkeyRequest } = await enterPassword(person);
    expect(methods).toEqual(['passkey', 'recoveryCode']);
    expect(passkeyRequest?.allowCredentials?.map(({ id }) => id)).toEqual([authenticator.id]);
    const passkey = authenticator.get(passkeyRequest?.challenge ?? '', { isVerified: false });
    expect((await finish({ state, passkey }, cookie)).status).toBe(200);
  });

  it.each([
    ['another origin', { origin: 'https://deckhand.example.evil' }],
    ['another host', { rpId: 'evil.example' }],
    ['another purpose', { type: 'webauthn.create' }],
    ['an authenticator that has not verified the person', { isVerified: false }],
    ['a counter that was used: it was copied', { counter: 1 }],
  ])('is refused from %s', async (_, claims) => {
    const person = await addPersonWithPassword();
    const { authenticator } = await addPasskey(person);
    const { state, cookie, challenge } = await start();
    expect(outcome(await finish({ state, passkey: authenticator.get(challenge, claims) }, cookie))).toEqual([
      401,
      'UNAUTHORIZED',
    ]);
    expect((await finish({ state, passkey: authenticator.get(challenge) }, cookie)).status).toBe(200);
  });

  it('is refused with the challenge of another sign-in, a changed signature, and the id of somebody else', async () => {
    const [person, other] = [await addPersonWithPassword(), await addPersonWithPassword()];
    const [{ authenticator }, ofOther] = [await addPasskey(person), await addPasskey(other)];
    const [first, second] = [await start(), await start()];
    const wrong = [
      authenticator.get(second.challenge),
      { ...authenticator.get(first.challenge), ...{ id: ofOther.authenticator.id, rawId: ofOther.authenticator.id } },
      createAuthenticator().get(first.challenge),
    ];
    for (const passkey of wrong) {
      expect(outcome(await finish({ state: first.state, passkey }, first.cookie))).toEqual([401, 'UNAUTHORIZED']);
    }
    // After the password of one person, the passkey of another.
    const entered = await enterPassword(person);
    const passkey = ofOther.authenticator.get(entered.passkeyRequest?.challenge ?? '');
    expect(outcome(await finish({ state: entered.state, passkey }, entered.cookie))).toEqual([401, 'UNAUTHORIZED']);
  });

  it('is not added for another origin, host or challenge, nor twice, nor by another session', async () => {
    const [person, other] = [await addPersonWithPassword(), await addPersonWithPassword()];
    const authenticator = createAuthenticator();
    const begin = async (as: string) => (await gateway.call('POST', '/api/auth/passkeys/options', { as })).body;
    const add = (as: string, state: string, passkey: object) =>
      gateway.call('POST', '/api/auth/passkeys', { as, body: { state, name: 'Key', passkey } });
    for (const claims of [{ origin: 'https://evil.example' }, { rpId: 'evil.example' }, { type: 'webauthn.get' }]) {
      const { state, options } = await begin(person.session);
      const passkey = authenticator.create(options.challenge, claims);
      expect(outcome(await add(person.session, state, passkey))).toEqual([403, 'FORBIDDEN']);
    }
    const [one, two] = [await begin(person.session), await begin(person.session)];
    const crossed = authenticator.create(two.options.challenge);
    expect(outcome(await add(person.session, one.state, crossed))).toEqual([403, 'FORBIDDEN']);
    expect(outcome(await add(other.session, two.state, crossed))).toEqual([403, 'FORBIDDEN']);
    expect((await add(person.session, two.state, crossed)).status).toBe(201);
    const { state, options } = await begin(other.session);
    expect(outcome(await add(other.session, state, authenticator.create(options.challenge)))).toEqual([
      409,
      'CONFLICT',
    ]);
  });

  it('does not replace a provider: a person without a password is sent there', async () => {
    const person = await addPersonWithPassword();
    const { authenticator } = await addPasskey(person);
    await instance.db.user.update({ where: { id: person.userId }, data: { passwordHash: null } });
    const { state, cookie, challenge } = await start();
    expect(outcome(await finish({ state, passkey: authenticator.get(challenge) }, cookie))).toEqual([
      403,
      'SSO_REQUIRED',
    ]);
  });

  it('is removed by its owner only, and is worth nothing then, nor for a deactivated person', async () => {
    const [person, other] = [await addPersonWithPassword(), await addPersonWithPassword()];
    const { authenticator, id } = await addPasskey(person);
    const remove = (as: string) => gateway.call('DELETE', `/api/auth/passkeys/${id}`, { as });
    expect(outcome(await remove(other.session))).toEqual([404, 'NOT_FOUND']);
    const tryIt = async () => {
      const { state, cookie, challenge } = await start();
      return outcome(await finish({ state, passkey: authenticator.get(challenge) }, cookie));
    };
    await instance.db.user.update({ where: { id: person.userId }, data: { deactivatedAt: new Date() } });
    expect(await tryIt()).toEqual([401, 'UNAUTHORIZED']);
    await instance.db.user.update({ where: { id: person.userId }, data: { deactivatedAt: null } });
    expect(await tryIt()).toEqual([200, undefined]);
    expect((await remove(person.session)).status).toBe(204);
    expect(await tryIt()).toEqual([401, 'UNAUTHORIZED']);
  });
});

describe('a person with a second factor', () => {
  it('proves it again before keys, credentials and members, and not for the rest', async () => {
    const person = await addPersonWithPassword();
    await instance.db.membership.updateMany({ where: { userId: person.userId }, data: { role: 'admin' } });
    const { secret } = await addApp(person);
    await age(person);
    const { workspaceId } = instance;
    const as = person.session;
    const createKey = () =>
      gateway.call('POST', '/api/api-keys', { as, body: { name: 'k', password: OWNER.password } });
    const addCredential = () =>
      gateway.call('POST', '/api/credentials', {
        ...{ as, body: { workspaceId, name: 'c', type: 'bearer', secret: { token: 't' } } },
      });
    const invite = () =>
      gateway.call('POST', `/api/workspaces/${workspaceId}/invites`, { as, body: { role: 'viewer' } });
    // A connector of the workspace chooses where it sends a credential.
    const connector = { workspaceId, ...chatAt('http://127.0.0.1:1') };
    expect((await gateway.call('POST', '/api/connectors', { as: instance.key, body: connector })).status).toBe(201);
    const stored = await gateway.call('POST', '/api/credentials', {
      ...{ as: instance.key, body: { workspaceId, name: 'c', type: 'bearer', secret: { token: 't' } } },
    });
    const field = { connector: 'chat', version: '1.0.0', operation: 'message.send', field: 'body.channel' };
    const listChoices = () =>
      gateway.call('POST', '/api/connectors/options', {
        ...{ as, body: { workspaceId, credentialId: stored.body.id, ...field } },
      });
    expect(outcome(await listChoices())).toEqual([403, 'CONFIRMATION_REQUIRED']);
    const addApps = () => gateway.call('POST', '/api/auth/recovery-codes', { as });
    for (const act of [createKey, addCredential, invite, addApps]) {
      expect(outcome(await act())).toEqual([403, 'CONFIRMATION_REQUIRED']);
    }
    expect((await gateway.call('GET', '/api/workspaces', { as })).status).toBe(200);
    const confirm = (body: object) => gateway.call('POST', '/api/auth/confirm', { as, body });
    expect(outcome(await confirm({ password: OWNER.password }))).toEqual([400, 'VALIDATION_FAILED']);
    expect(outcome(await confirm({ code: '000000' }))).toEqual([403, 'FORBIDDEN']);
    expect(outcome(await createKey())).toEqual([403, 'CONFIRMATION_REQUIRED']);
    expect((await confirm({ code: codeOf(secret) })).status).toBe(204);
    for (const act of [createKey, addCredential, invite, addApps]) expect((await act()).status).toBe(201);
    expect(outcome(await listChoices())).toEqual([422, 'CONNECTOR_FAILED']);
    // The proof counts for this session only.
    const other = await addSession(instance, person.userId);
    await instance.db.session.update({ where: { id: other.id }, data: { createdAt: new Date(Date.now() - 660_000) } });
    const elsewhere = await gateway.call('POST', '/api/auth/recovery-codes', { as: other.token });
    expect(outcome(elsewhere)).toEqual([403, 'CONFIRMATION_REQUIRED']);
  });

  it('proves it by a passkey, once for each challenge', async () => {
    const person = await addPersonWithPassword();
    const { authenticator } = await addPasskey(person);
    const as = person.session;
    const { body } = await gateway.call('POST', '/api/auth/confirm/options', { as });
    expect(body.methods).toEqual(['passkey', 'recoveryCode']);
    const passkey = authenticator.get(body.passkeyRequest?.challenge ?? '');
    const confirm = () => gateway.call('POST', '/api/auth/confirm', { as, body: { state: body.state, passkey } });
    await age(person);
    expect((await confirm()).status).toBe(204);
    expect(outcome(await confirm())).toEqual([403, 'FORBIDDEN']);
    expect((await gateway.call('POST', '/api/auth/recovery-codes', { as })).status).toBe(201);
  });

  it('keeps it after a new password by a link', async () => {
    const person = await addPersonWithPassword();
    await addApp(person);
    const token = randomBytes(32).toString('base64url');
    const tokenHash = createHash('sha256').update(token).digest('hex');
    await createPasswordResetByOperator(instance.db, { email: person.email, tokenHash });
    const newPassword = 'another correct horse';
    const redeemed = await gateway.call('POST', '/api/auth/password-resets/redeem', { body: { token, newPassword } });
    expect(redeemed.status).toBeLessThan(300);
    expect(redeemed.text).not.toContain('"token"');
    const login = (password: string) =>
      gateway.call('POST', '/api/auth/login', { body: { email: person.email, password } });
    expect((await login(OWNER.password)).status).toBe(401);
    expect((await login(newPassword)).status).toBe(202);
  });
});

describe('a person without one', () => {
  it('confirms by the password before one is added, when the sign-in is long ago', async () => {
    const person = await addPersonWithPassword();
    await age(person);
    const as = person.session;
    const begin = () => gateway.call('POST', '/api/auth/passkeys/options', { as });
    expect(outcome(await begin())).toEqual([403, 'CONFIRMATION_REQUIRED']);
    expect(outcome(await gateway.call('POST', '/api/auth/authenticator', { as }))).toEqual([
      403,
      'CONFIRMATION_REQUIRED',
    ]);
    const options = await gateway.call('POST', '/api/auth/confirm/options', { as });
    expect(options.body).toEqual({ methods: ['password'], state: null, passkeyRequest: null });
    const confirm = (password: string) => gateway.call('POST', '/api/auth/confirm', { as, body: { password } });
    expect(outcome(await confirm('a wrong password'))).toEqual([403, 'FORBIDDEN']);
    expect(outcome(await begin())).toEqual([403, 'CONFIRMATION_REQUIRED']);
    expect((await confirm(OWNER.password)).status).toBe(204);
    expect((await begin()).status).toBe(200);
    const credential = { workspaceId: instance.workspaceId, name: 'c', type: 'bearer', secret: { token: 't' } };
    await age(person);
    expect((await gateway.call('POST', '/api/credentials', { as, body: credential })).status).toBe(201);
  });
});

describe('an instance that requires second factors', () => {
  const requiring = (rule: string, more = {}) =>
    startGateway(instance, { env: { SECOND_FACTOR_REQUIRED: rule, ...more } });

  it('lets people without one only add one, and those whom it does not concern do everything', async () => {
    const strict = await requiring('administrators, editor');
    const [editor, viewer] = [await addPersonWithPassword(), await addPerson(instance, 'viewer')];
    const get = (as: string, path = '/api/workspaces') => strict.call('GET', path, { as });
    for (const path of ['/api/workspaces', '/api/me', '/api/api-keys', `/api/workspaces/${instance.workspaceId}`]) {
      expect(outcome(await get(editor.session, path))).toEqual([403, 'SECOND_FACTOR_REQUIRED']);
    }
    expect(outcome(await get(instance.session))).toEqual([403, 'SECOND_FACTOR_REQUIRED']);
    expect((await get(viewer.session)).status).toBe(200);
    expect((await get(editor.session, '/api/auth/me')).status).toBe(200);
    expect((await strict.call('GET', '/api/auth/second-factors', { as: editor.session })).body.isRequired).toBe(true);
    // A key would go around it.
    const device = await strict.call('POST', '/api/auth/devices', {
      body: { name: 'laptop', codeChallenge: 'a'.repeat(43) },
    });
    const approved = await strict.call('POST', `/api/auth/devices/${device.body.id}/approve`, {
      ...{ as: editor.session, body: { workspaceId: instance.workspaceId, password: OWNER.password } },
    });
    expect(outcome(approved)).toEqual([403, 'SECOND_FACTOR_REQUIRED']);
    await addApp(editor);
    expect((await get(editor.session)).status).toBe(200);
    expect((await strict.call('GET', '/api/auth/second-factors', { as: editor.session })).body.isRequired).toBe(false);
  });

  it('trusts an identity provider, unless the settings say otherwise', async () => {
    const [strict, stricter] = [
      await requiring('everybody'),
      await requiring('everybody', { SECOND_FACTOR_AFTER_SSO: 'true' }),
    ];
    const person = await addPerson(instance, 'viewer');
    const { id } = await instance.db.identity.create({
      data: { id: person.userId, userId: person.userId, issuer: 'https://login.example', subject: person.userId },
    });
    const get = (at: Gateway) => at.call('GET', '/api/workspaces', { as: person.session });
    expect(outcome(await get(strict))).toEqual([403, 'SECOND_FACTOR_REQUIRED']);
    await instance.db.session.updateMany({ where: { userId: person.userId }, data: { identityId: id } });
    expect((await get(strict)).status).toBe(200);
    expect(outcome(await get(stricter))).toEqual([403, 'SECOND_FACTOR_REQUIRED']);
  });
});
