import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addKey,
  addPerson,
  addSession,
  type ApiResponse,
  createKey,
  createWorkflow,
  type Gateway,
  type Instance,
  OWNER,
  startGateway,
  startInstance,
  stopAll,
  until,
} from '../../harness/index.ts';
import { startMailServer } from '../../harness/mail-server.ts';

let instance: Instance;
let gateway: Gateway;
let replica: Gateway;
let mails: Awaited<ReturnType<typeof startMailServer>>;

beforeAll(async () => {
  mails = await startMailServer();
  const env = { SMTP_URL: `smtp://127.0.0.1:${mails.port}`, SMTP_FROM: 'Deckhand <deckhand@example.com>' };
  instance = await startInstance(undefined, { env });
  ({ gateway } = instance);
  replica = await startGateway(instance, { env: { ...env, TRUSTED_PROXIES: 'loopback' } });
});
afterAll(stopAll);

function outcome({ status, body }: ApiResponse): unknown {
  return [status, body !== null && typeof body === 'object' && 'code' in body ? body.code : undefined];
}

const statusAs = async (as: string, path = '/api/me') => (await replica.call('GET', path, { as })).status;
const administer = (path: string, as = instance.session) => gateway.call('POST', path, { as });

/** Adds an administrator. */
async function addAdministrator() {
  const person = await addPerson(instance);
  await instance.db.user.update({ where: { id: person.userId }, data: { isAdmin: true } });
  return person;
}

describe('a deactivated person', () => {
  it('loses sessions and keys at once, and what the person made stays', async () => {
    const person = await addPerson(instance, 'editor');
    const { key } = await addKey(instance, person.userId);
    const workflowId = await createWorkflow({ ...instance, session: person.session });
    const { status, body } = await gateway.call('POST', `/api/users/${person.userId}/deactivate`, {
      as: instance.session,
    });
    expect([status, body.deactivatedAt]).toEqual([200, expect.any(String)]);
    expect(await Promise.all([statusAs(person.session), statusAs(key)])).toEqual([401, 401]);
    const workflow = await gateway.call('GET', `/api/workflows/${workflowId}`, { as: instance.session });
    expect(workflow.status).toBe(200);
    const members = await gateway.call('GET', `/api/workspaces/${instance.workspaceId}/members`, {
      as: instance.session,
    });
    expect(members.body.data.map(({ userId }) => userId)).toContain(person.userId);
  });

  it('cannot sign in with the right password, alike to a wrong one, and gets no link to a new one', async () => {
    const { passwordHash } = await instance.db.user.findFirstOrThrow({ where: { isAdmin: true } });
    const person = await addPerson(instance);
    await instance.db.user.update({ where: { id: person.userId }, data: { passwordHash } });
    const login = () =>
      gateway.call('POST', '/api/auth/login', { body: { email: person.email, password: OWNER.password } });
    expect((await login()).status).toBe(200);
    await administer(`/api/users/${person.userId}/deactivate`);
    expect(outcome(await login())).toEqual([401, 'UNAUTHORIZED']);
    await gateway.call('POST', '/api/auth/password-resets', { body: { email: person.email } });
    await gateway.services.people.passwordResets?.drain();
    expect(await instance.db.passwordReset.count({ where: { userId: person.userId } })).toBe(0);
    // Also with a session or a key that was written too late.
    const { token } = await addSession(instance, person.userId);
    expect(await statusAs(token)).toBe(401);
    await administer(`/api/users/${person.userId}/activate`);
    expect((await login()).status).toBe(200);
  });

  it('gets neither a session nor a key that was begun before', async () => {
    const { people } = gateway.services;
    const person = await addPerson(instance);
    const hash = people.passwords.hash.bind(people.passwords);
    const { passwordHash } = await instance.db.user.findFirstOrThrow({ where: { isAdmin: true } });
    await instance.db.user.update({ where: { id: person.userId }, data: { passwordHash } });
    expect(await hash('a long password')).not.toBe('');
    // The row is locked as a deactivation does, while a key is being created.
    let created: Promise<unknown> = Promise.resolve();
    await instance.db.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT 1 FROM users WHERE id = ${person.userId}::uuid FOR UPDATE`;
      created = createKey(gateway, person.session, {}).catch((error: unknown) => error);
      await until(async () => {
        const [row] = await instance.db.$queryRaw<{ waiting: bigint }[]>`
          SELECT count(*) AS waiting FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return Number(row?.waiting) > 0;
      }, 'the key waits for the deactivation');
      await tx.user.update({ where: { id: person.userId }, data: { deactivatedAt: new Date() } });
    });
    expect(String(await created)).toContain('UNAUTHORIZED');
    expect(await instance.db.apiKey.count({ where: { userId: person.userId } })).toBe(0);
  });

  it('is never the last administrator: nobody deactivates oneself, and of two who deactivate each other one stays', async () => {
    const own = await instance.db.user.findFirstOrThrow({ where: { email: OWNER.email.toLowerCase() } });
    expect(outcome(await administer(`/api/users/${own.id}/deactivate`))).toEqual([409, 'INVALID_STATE']);
    const [one, two] = [await addAdministrator(), await addAdministrator()];
    const answers = await Promise.all([
      administer(`/api/users/${one.userId}/deactivate`, two.session),
      administer(`/api/users/${two.userId}/deactivate`, one.session),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const active = { id: { in: [one.userId, two.userId] }, deactivatedAt: null };
    expect(await instance.db.user.count({ where: active })).toBe(1);
  });

  it('403: is a matter for administrators, and 403 for keys', async () => {
    const [person, other] = [await addPerson(instance, 'owner'), await addPerson(instance)];
    for (const action of ['deactivate', 'activate']) {
      const path = `/api/users/${other.userId}/${action}`;
      expect(outcome(await administer(path, person.session))).toEqual([403, 'FORBIDDEN']);
      expect(outcome(await administer(path, instance.key))).toEqual([403, 'SESSION_REQUIRED']);
    }
    const identities = `/api/users/${other.userId}/identities`;
    expect(outcome(await gateway.call('DELETE', identities, { as: person.session }))).toEqual([403, 'FORBIDDEN']);
    expect(outcome(await gateway.call('GET', '/api/users', { as: person.session }))).toEqual([403, 'FORBIDDEN']);
    expect(await statusAs(other.session)).toBe(200);
    expect(outcome(await administer('/api/users/01900000-0000-7000-8000-00000000000f/deactivate'))).toEqual([
      404,
      'NOT_FOUND',
    ]);
  });

  it('is listed with everybody, without hashes', async () => {
    const { body, text } = await gateway.call('GET', '/api/users?includeTotal=true', { as: instance.session });
    const owner = body.data.find(({ email }) => email === OWNER.email.toLowerCase());
    expect(owner).toMatchObject({ isAdmin: true, hasPassword: true, issuers: [], deactivatedAt: null });
    expect(text).not.toContain('$2');
  });
});

describe('an identity that an administrator disconnects', () => {
  it('ends its sessions, and the others stay', async () => {
    const person = await addPerson(instance);
    const { userId } = person;
    const identity = { id: '01900000-0000-7000-8000-0000000000aa', issuer: 'https://login.example', subject: 's' };
    await instance.db.identity.create({ data: { ...identity, userId } });
    const signedOn = await addSession(instance, userId);
    await instance.db.session.update({ where: { id: signedOn.id }, data: { identityId: identity.id } });
    const { status, body } = await gateway.call('DELETE', `/api/users/${userId}/identities`, {
      as: instance.session,
    });
    expect([status, body.issuers]).toEqual([200, []]);
    expect(await Promise.all([statusAs(signedOn.token), statusAs(person.session)])).toEqual([401, 200]);
  });
});

describe('a link to a new password', () => {
  const NEW = 'a new password of mine';
  const request = (email: string, at: Gateway = gateway, headers = {}) =>
    at.call('POST', '/api/auth/password-resets', { body: { email }, headers });
  const redeem = (token: string, newPassword = NEW) =>
    gateway.call('POST', '/api/auth/password-resets/redeem', { body: { token, newPassword } });

  /** Requests a link. @returns the token in the message. */
  async function requestLink(email: string): Promise<string> {
    const count = mails.messages.length;
    expect((await request(email)).status).toBe(204);
    await gateway.services.people.passwordResets?.drain();
    const message = (mails.messages[count] ?? '').replaceAll('=\r\n', '');
    return (
      /https:\/\/deckhand\.example\/reset-password#([\w-]{43})/.exec(message.replaceAll('=3D', '='))?.[1] ?? message
    );
  }

  it('is sent to the address, sets the password once, and ends all sessions', async () => {
    const person = await addPerson(instance);
    const token = await requestLink(person.email.toUpperCase());
    expect(mails.messages.at(-1)).toContain(`ENVELOPE ${person.email}`);
    const answers = await Promise.all([redeem(token), redeem(token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
    expect(await statusAs(person.session)).toBe(401);
    const login = await gateway.call('POST', '/api/auth/login', { body: { email: person.email, password: NEW } });
    expect(login.status).toBe(200);
    expect(outcome(await redeem(token))).toEqual([404, 'NOT_FOUND']);
  });

  it('is kept as a hash, ends after an hour, and is replaced by the next', async () => {
    const person = await addPerson(instance);
    const first = await requestLink(person.email);
    const second = await requestLink(person.email);
    const kept = await instance.db.passwordReset.findUniqueOrThrow({ where: { userId: person.userId } });
    expect([first, second]).not.toContain(kept.tokenHash);
    expect(kept.expiresAt.getTime() - kept.createdAt.getTime()).toBe(3_600_000);
    expect(outcome(await redeem(first))).toEqual([404, 'NOT_FOUND']);
    const expiresAt = new Date(Date.now() - 1);
    await instance.db.passwordReset.update({ where: { userId: person.userId }, data: { expiresAt } });
    expect(outcome(await redeem(second))).toEqual([404, 'NOT_FOUND']);
    expect(await statusAs(person.session)).toBe(200);
    expect(gateway.log.join('')).not.toContain(second);
  });

  it('is not made for an address without an account: the response is the same', async () => {
    const count = mails.messages.length;
    const answers = [await request('nobody-here@example.com'), await request((await addPerson(instance)).email)];
    await gateway.services.people.passwordResets?.drain();
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [204, ''],
      [204, ''],
    ]);
    expect(mails.messages.length).toBe(count + 1);
  });

  it('is sent to one address three times an hour, whoever asks', async () => {
    const { email } = await addPerson(instance);
    const count = mails.messages.length;
    for (let asked = 0; asked < 5; asked += 1) {
      const headers = { 'x-forwarded-for': `203.0.113.${asked}` };
      expect((await request(email, replica, headers)).status).toBe(204);
      await replica.services.people.passwordResets?.drain();
    }
    expect(mails.messages.length).toBe(count + 3);
  });

  it('429: is requested and tried by one network twenty times in five minutes', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.7' };
    const body = { token: 'a guess', newPassword: NEW };
    const answers = await Promise.all(
      Array.from({ length: 21 }, () => replica.call('POST', '/api/auth/password-resets/redeem', { body, headers })),
    );
    expect(answers.map(({ status }) => status).filter((status) => status === 429)).toHaveLength(1);
  });

  it('400: sets no password that is too short, and stays valid', async () => {
    const person = await addPerson(instance);
    const token = await requestLink(person.email);
    expect(outcome(await redeem(token, 'short'))).toEqual([400, 'VALIDATION_FAILED']);
    expect((await redeem(token)).status).toBe(204);
  });

  it('is not sent to a person of an identity provider, except for an administrator', async () => {
    const [person, administrator] = [await addPerson(instance), await addAdministrator()];
    for (const { userId } of [person, administrator]) {
      const identity = { id: userId, issuer: 'https://login.example', subject: userId };
      await instance.db.identity.create({ data: { ...identity, userId } });
    }
    const count = mails.messages.length;
    expect((await request(person.email)).status).toBe(204);
    await gateway.services.people.passwordResets?.drain();
    expect(mails.messages.length).toBe(count);
    expect(await requestLink(administrator.email)).toMatch(/^[\w-]{43}$/);
  });

  it('ends when the password is changed', async () => {
    const person = await addPerson(instance);
    const { passwordHash } = await instance.db.user.findFirstOrThrow({ where: { email: OWNER.email.toLowerCase() } });
    await instance.db.user.update({ where: { id: person.userId }, data: { passwordHash } });
    const token = await requestLink(person.email);
    const body = { currentPassword: OWNER.password, newPassword: 'another password of mine' };
    const changed = await gateway.call('POST', '/api/auth/password', { as: person.session, body });
    expect(changed.status).toBeLessThan(300);
    expect(outcome(await redeem(token))).toEqual([404, 'NOT_FOUND']);
  });

  it('404: cannot be requested where the instance sends no e-mails', async () => {
    const silent = await startGateway(instance);
    expect((await silent.call('GET', '/api/auth/methods')).body.passwordReset).toBe(false);
    expect(outcome(await request(OWNER.email, silent))).toEqual([404, 'NOT_FOUND']);
  });

  it('neither is sent nor works where the domain has single sign-on alone', async () => {
    const person = await addPerson(instance);
    const token = await requestLink(person.email);
    const strict = await startGateway(instance, {
      env: {
        ...{ OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'deckhand', OIDC_ONLY_DOMAINS: 'test.local' },
        OIDC_BREAK_GLASS: 'root@test.local',
        ...{ SMTP_URL: `smtp://127.0.0.1:${mails.port}`, SMTP_FROM: 'deckhand@example.com' },
      },
    });
    const count = mails.messages.length;
    expect((await request(person.email, strict)).status).toBe(204);
    await strict.services.people.passwordResets?.drain();
    expect(mails.messages.length).toBe(count);
    const body = { token, newPassword: NEW };
    const answer = await strict.call('POST', '/api/auth/password-resets/redeem', { body });
    expect(outcome(answer)).toEqual([403, 'SSO_REQUIRED']);
  });
});

describe('sessions', () => {
  it('end all at once, except for the one that asks', async () => {
    const person = await addPerson(instance);
    const others = [await addSession(instance, person.userId), await addSession(instance, person.userId)];
    const stranger = await addPerson(instance);
    expect((await gateway.call('DELETE', '/api/auth/sessions', { as: person.session })).status).toBe(204);
    const statuses = await Promise.all(
      [person.session, ...others.map(({ token }) => token), stranger.session].map((one) => statusAs(one)),
    );
    expect(statuses).toEqual([200, 401, 401, 200]);
  });

  it('end without a request for the time of the settings, and after their longest time', async () => {
    const limited = await startGateway(instance, { env: { SESSION_IDLE_MINUTES: '30', SESSION_MAX_HOURS: '8' } });
    const person = await addPerson(instance);
    const recent = await addSession(instance, person.userId);
    const idle = await addSession(instance, person.userId);
    for (const [{ id }, minutes] of [[recent, 29] as const, [idle, 31] as const]) {
      const lastUsedAt = new Date(Date.now() - minutes * 60_000);
      await instance.db.session.update({ where: { id }, data: { lastUsedAt } });
    }
    const { body } = await limited.call('GET', '/api/auth/sessions', { as: person.session });
    const listed = body.data.map(({ id }) => id);
    expect([listed.includes(recent.id), listed.includes(idle.id)]).toEqual([true, false]);
    const asks = [recent, idle].map(({ token }) => limited.call('GET', '/api/me', { as: token }));
    expect((await Promise.all(asks)).map(({ status }) => status)).toEqual([200, 401]);
    const createdAt = new Date(Date.now() - 8 * 3_600_000);
    await instance.db.session.update({ where: { id: recent.id }, data: { createdAt } });
    expect((await limited.call('GET', '/api/me', { as: recent.token })).status).toBe(401);
    expect((await limited.call('GET', '/api/auth/sessions', { as: person.session })).text).not.toContain(recent.id);
    const login = await limited.call('POST', '/api/auth/login', {
      body: { email: OWNER.email, password: OWNER.password },
    });
    const lifetimeMs = Date.parse(login.body.expiresAt) - Date.now();
    expect(lifetimeMs).toBeGreaterThan(7.9 * 3_600_000);
    expect(lifetimeMs).toBeLessThan(8 * 3_600_000 + 1);
  });
});
