import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addPerson,
  type Gateway,
  type Instance,
  OWNER,
  type Person,
  startGateway,
  startInstance,
  stopAll,
} from '../../harness/index.ts';

let instance: Instance;
let gateway: Gateway;
let replica: Gateway;

beforeAll(async () => {
  instance = await startInstance();
  ({ gateway } = instance);
  replica = await startGateway(instance);
});
afterAll(stopAll);

async function signIn(password = OWNER.password): Promise<string> {
  const { status, body, text } = await gateway.call('POST', '/api/auth/login', {
    body: { email: OWNER.email, password },
    headers: { 'user-agent': 'test browser' },
  });
  if (status !== 200) throw new Error(text);
  return body.token;
}

function isSignedIn(token: string): Promise<boolean> {
  return replica.call('GET', '/api/auth/me', { as: token }).then(({ status }) => status === 200);
}

describe('sessions', () => {
  it('are listed for the person they belong to, the one that asks marked, without tokens', async () => {
    const token = await signIn();
    const { status, body, text } = await gateway.call('GET', '/api/auth/sessions?includeTotal=true', { as: token });
    expect(status).toBe(200);
    expect(body).toMatchObject({ limit: 100, offset: 0, hasMore: false, total: 2 });
    expect(body.data.map(({ current }) => current)).toEqual([true, false]);
    expect(Object.keys(body.data[0]!).sort()).toEqual(
      ['createdAt', 'current', 'expiresAt', 'id', 'lastUsedAt', 'userAgent'].sort(),
    );
    expect(body.data[0]!.userAgent).toBe('test browser');
    expect(text).not.toContain(token);
  });

  it('204: end at once for every replica, and are then a 404', async () => {
    const token = await signIn();
    const { body } = await gateway.call('GET', '/api/auth/sessions', { as: token });
    const path = `/api/auth/sessions/${body.data[0]!.id}`;
    expect((await gateway.call('DELETE', path, { as: instance.session })).status).toBe(204);
    expect(await isSignedIn(token)).toBe(false);
    expect((await gateway.call('DELETE', path, { as: instance.session })).status).toBe(404);
  });

  it('404: of somebody else, which continues', async () => {
    const id = '01900000-0000-7000-8000-000000000001';
    const userId = '01900000-0000-7000-8000-000000000002';
    const expiresAt = new Date(Date.now() + 60_000);
    await instance.db.user.create({ data: { id: userId, email: 'eve@test.local', name: 'Eve', passwordHash: '-' } });
    await instance.db.session.create({ data: { id, userId, tokenHash: 'none', expiresAt } });
    expect((await gateway.call('DELETE', `/api/auth/sessions/${id}`, { as: instance.session })).status).toBe(404);
    expect((await gateway.call('DELETE', '/api/auth/sessions/1', { as: instance.session })).status).toBe(404);
    expect(await instance.db.session.count({ where: { id } })).toBe(1);
  });

  it('that are over are gone once the person signs in again', async () => {
    const id = '01900000-0000-7000-8000-000000000003';
    await signIn();
    const { userId } = await instance.db.session.findFirstOrThrow({ where: { userAgent: 'test browser' } });
    await instance.db.session.create({ data: { id, userId, tokenHash: 'over', expiresAt: new Date(0) } });
    await signIn();
    expect(await instance.db.session.count({ where: { id } })).toBe(0);
  });

  it('403: are closed to API keys', async () => {
    const { status, body } = await gateway.call('GET', '/api/auth/sessions', { as: instance.key });
    expect([status, body.code]).toEqual([403, 'SESSION_REQUIRED']);
  });
});

describe('a change of password', () => {
  const change = (body: object) => gateway.call('POST', '/api/auth/password', { as: instance.session, body });
  const newPassword = 'another horse entirely';

  it.each([
    [{ currentPassword: 'not the password', newPassword }, 403],
    [{ currentPassword: OWNER.password, newPassword: 'short' }, 400],
    [{ currentPassword: OWNER.password, newPassword: 'ä'.repeat(40) }, 400],
    [{ currentPassword: OWNER.password, newPassword, extra: 1 }, 400],
    [{ newPassword }, 400],
  ])('changes nothing with %j: %i', async (body, expected) => {
    const other = await signIn();
    expect((await change(body)).status).toBe(expected);
    expect(await isSignedIn(other)).toBe(true);
    expect(await isSignedIn(await signIn())).toBe(true);
  });

  it('429: slows down guessing of the current password, and counts for the person alone', async () => {
    const [guesser, other] = [await addPerson(instance), await addPerson(instance)];
    const guess = ({ session }: Person) =>
      gateway.call('POST', '/api/auth/password', { as: session, body: { currentPassword: 'a guess', newPassword } });
    const answers = await Promise.all(Array.from({ length: 12 }, () => guess(guesser)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(2);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await guess(other)).status).toBe(403);
  });

  it('204: ends every other session, and only the new password opens one', async () => {
    const other = await signIn();
    expect((await change({ currentPassword: OWNER.password, newPassword })).status).toBe(204);
    expect(await isSignedIn(other)).toBe(false);
    expect(await isSignedIn(instance.session)).toBe(true);
    await expect(signIn()).rejects.toThrow('UNAUTHORIZED');
    expect(await isSignedIn(await signIn(newPassword))).toBe(true);
  });
});
