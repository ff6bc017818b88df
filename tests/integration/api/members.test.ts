import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addPerson, type Gateway, type Instance, type Person, startInstance, stopAll } from '../../harness/index.ts';

let instance: Instance;
let gateway: Gateway;
let path: `/api/workspaces/${string}`;
let owner: Person;
let admin: Person;
let viewer: Person;

beforeAll(async () => {
  instance = await startInstance();
  ({ gateway } = instance);
});
beforeEach(async () => {
  const { body } = await gateway.call('POST', '/api/workspaces', { as: instance.session, body: { name: 'Team' } });
  path = `/api/workspaces/${body.id}`;
  const team = { ...instance, workspaceId: body.id };
  [owner, admin, viewer] = [
    await addPerson(team, 'owner'),
    await addPerson(team, 'admin'),
    await addPerson(team, 'viewer'),
  ];
  await gateway.call('DELETE', `${path}/membership`, { as: instance.session });
});
afterAll(stopAll);

const add = (as: string, body: object) => gateway.call('POST', `${path}/members`, { as, body });
const setRole = (as: string, { userId }: Person, role: string) =>
  gateway.call('PATCH', `${path}/members/${userId}`, { as, body: { role } });
const remove = (as: string, { userId }: Person) => gateway.call('DELETE', `${path}/members/${userId}`, { as });
const leave = (as: string) => gateway.call('DELETE', `${path}/membership`, { as });

describe('members', () => {
  it('are listed for every member, added by e-mail, changed and removed', async () => {
    const person = await addPerson(instance);
    const added = await add(admin.session, { email: person.email.toUpperCase(), role: 'viewer' });
    expect(added).toMatchObject({
      status: 201,
      body: { userId: person.userId, email: person.email, name: 'Grace', role: 'viewer' },
    });
    const changed = await setRole(admin.session, person, 'editor');
    expect(changed).toMatchObject({ status: 200, body: { userId: person.userId, role: 'editor' } });
    const { body } = await gateway.call('GET', `${path}/members?includeTotal=true`, { as: viewer.session });
    expect(body.total).toBe(4);
    expect(body.data).toContainEqual(changed.body);
    expect((await remove(admin.session, person)).status).toBe(204);
    expect((await remove(admin.session, person)).status).toBe(404);
    expect((await gateway.call('GET', path, { as: person.session })).status).toBe(404);
  });

  it('404 for an e-mail that nobody has, saying to invite; 409 for a member', async () => {
    const unknown = await add(admin.session, { email: 'nobody@test.local', role: 'viewer' });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'NOT_FOUND']);
    expect(unknown.body.error).toContain('invite');
    const again = await add(admin.session, { email: viewer.email, role: 'viewer' });
    expect([again.status, again.body.code]).toEqual([409, 'CONFLICT']);
  });

  it('403: are changed by admins only, and owners by owners only', async () => {
    const person = await addPerson(instance);
    const refused = [
      await add(viewer.session, { email: person.email, role: 'viewer' }),
      await setRole(viewer.session, viewer, 'admin'),
      await remove(viewer.session, admin),
      await add(admin.session, { email: person.email, role: 'owner' }),
      await setRole(admin.session, admin, 'owner'),
      await setRole(admin.session, owner, 'viewer'),
      await remove(admin.session, owner),
    ];
    expect(refused.map(({ status, body }) => `${status} ${body.code}`)).toEqual(refused.map(() => '403 FORBIDDEN'));
    expect((await setRole(owner.session, admin, 'owner')).status).toBe(200);
  });

  it('409: keep their last owner, who can be neither demoted nor removed nor leave', async () => {
    const refused = [
      await setRole(owner.session, owner, 'admin'),
      await remove(owner.session, owner),
      await leave(owner.session),
    ];
    expect(refused.map(({ status, body }) => `${status} ${body.code}`)).toEqual(refused.map(() => '409 INVALID_STATE'));
  });

  it('keep one owner when two demote each other, or leave, at once', async () => {
    await setRole(owner.session, admin, 'owner');
    const demoted = await Promise.all([
      setRole(owner.session, admin, 'viewer'),
      setRole(admin.session, owner, 'viewer'),
    ]);
    expect(demoted.filter(({ status }) => status === 200)).toHaveLength(1);
    const last = (await setRole(owner.session, owner, 'owner')).status === 200 ? owner : admin;
    const other = last === owner ? admin : owner;
    await setRole(last.session, other, 'owner');
    const left = await Promise.all([leave(owner.session), leave(admin.session)]);
    expect(left.map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  it('leave with a session: 403 for a key by either path, 404 for a stranger', async () => {
    const { body } = await gateway.call('GET', '/api/auth/me', { as: instance.session });
    await add(owner.session, { email: body.user.email, role: 'admin' });
    const own = { userId: body.user.id, email: '', session: '' };
    for (const answer of [await leave(instance.key), await remove(instance.key, own)]) {
      expect([answer.status, answer.body.code]).toEqual([403, 'SESSION_REQUIRED']);
    }
    expect((await leave(viewer.session)).status).toBe(204);
    expect((await leave(viewer.session)).status).toBe(404);
  });

  it('400 and 404: bad bodies and ids', async () => {
    expect((await add(admin.session, { email: 'x', rôle: 'viewer' })).status).toBe(400);
    expect((await add(admin.session, { email: viewer.email, role: 'king' })).body.details?.[0]?.path).toBe('role');
    const stranger = await addPerson(instance);
    expect((await gateway.call('GET', `${path}/members`, { as: stranger.session })).status).toBe(404);
    expect((await remove(stranger.session, viewer)).status).toBe(404);
    expect((await gateway.call('DELETE', `${path}/members/me`, { as: admin.session })).status).toBe(404);
    expect((await setRole(admin.session, stranger, 'viewer')).status).toBe(404);
  });
});
