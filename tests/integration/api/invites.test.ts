import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addPerson, type Gateway, type Instance, startGateway, startInstance, stopAll } from '../../harness/index.ts';

let instance: Instance;
let gateway: Gateway;
let replica: Gateway;
let path: `/api/workspaces/${string}/invites`;

beforeAll(async () => {
  instance = await startInstance();
  ({ gateway } = instance);
  replica = await startGateway(instance);
  path = `/api/workspaces/${instance.workspaceId}/invites`;
});
afterAll(stopAll);

const invite = (body: object, as = instance.session) => gateway.call('POST', path, { as, body });
const accept = (body: object, as?: string, at = gateway) => at.call('POST', '/api/auth/accept-invite', { as, body });

/** Creates an invite for anyone with the link. */
async function openInvite(role = 'editor'): Promise<string> {
  const { status, body, text } = await invite({ role });
  if (status !== 201) throw new Error(text);
  return body.token;
}

const PERSON = { name: 'Linus', password: 'a long enough one' };

describe('an invite', () => {
  it('shows its token once, and is kept as a hash for seven days', async () => {
    const { status, body } = await invite({ email: 'New@Test.local', role: 'viewer' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ email: 'new@test.local', role: 'viewer', state: 'Pending', acceptedAt: null });
    const lifetime = Date.parse(body.expiresAt) - Date.parse(body.createdAt);
    expect(Math.round(lifetime / 86_400_000)).toBe(7);
    const listed = await gateway.call('GET', `${path}?includeTotal=true`, { as: instance.session });
    expect(listed.body.data[0]).toMatchObject({ id: body.id, state: 'Pending' });
    const kept = [
      listed.text,
      gateway.log,
      await instance.db.invite.findMany(),
      await instance.db.auditEntry.findMany(),
    ];
    expect(JSON.stringify(kept)).not.toContain(body.token);
  });

  it('201: gives a new person an account, a session and the role, once', async () => {
    const { body } = await invite({ email: 'linus@test.local', role: 'editor' });
    const accepted = await accept({ token: body.token, ...PERSON });
    expect(accepted).toMatchObject({
      status: 201,
      body: { workspaceId: instance.workspaceId, role: 'editor', user: { email: 'linus@test.local', isAdmin: false } },
    });
    const me = await gateway.call('GET', '/api/auth/me', { as: accepted.body.token });
    expect(me.body.workspaces).toMatchObject([{ workspaceId: instance.workspaceId, role: 'editor' }]);
    expect((await accept({ token: body.token, ...PERSON })).status).toBe(404);
    const login = { email: 'linus@test.local', password: PERSON.password };
    expect((await gateway.call('POST', '/api/auth/login', { body: login })).status).toBe(200);
  });

  it('200: lets a signed-in person join; 409 for a member, who leaves it unused', async () => {
    const person = await addPerson(instance);
    const token = await openInvite();
    expect((await accept({ token }, instance.session)).body.code).toBe('CONFLICT');
    const accepted = await accept({ token }, person.session);
    expect(accepted).toMatchObject({ status: 200, body: { workspaceId: instance.workspaceId, role: 'editor' } });
    expect((await accept({ token }, (await addPerson(instance)).session)).status).toBe(404);
  });

  it('lets in one of many who accept it at once', async () => {
    const token = await openInvite();
    const people = await Promise.all([1, 2, 3, 4].map(() => addPerson(instance)));
    const answers = await Promise.all([
      ...people.map(({ session }, index) => accept({ token }, session, index % 2 === 0 ? gateway : replica)),
      accept({ token, email: 'race@test.local', ...PERSON }),
    ]);
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(4);
  });

  it('403: is for its own address only', async () => {
    const person = await addPerson(instance);
    const { body } = await invite({ email: 'somebody@test.local', role: 'viewer' });
    expect((await accept({ token: body.token }, person.session)).body.code).toBe('FORBIDDEN');
    const other = await accept({ token: body.token, email: 'else@test.local', ...PERSON });
    expect(other.body.code).toBe('FORBIDDEN');
    expect(await instance.db.user.count({ where: { email: 'else@test.local' } })).toBe(0);
  });

  it('404 once it is revoked or expired', async () => {
    const withdrawn = await invite({ role: 'viewer' });
    const at = `${path}/${withdrawn.body.id}`;
    expect((await gateway.call('DELETE', at, { as: instance.session })).status).toBe(204);
    expect((await gateway.call('DELETE', at, { as: instance.session })).status).toBe(404);
    const expired = await invite({ role: 'viewer' });
    await instance.db.invite.update({ where: { id: expired.body.id }, data: { expiresAt: new Date() } });
    const person = await addPerson(instance);
    for (const { body } of [withdrawn, expired]) {
      expect((await accept({ token: body.token }, person.session)).status).toBe(404);
      expect((await accept({ token: body.token, email: 'x@test.local', ...PERSON })).status).toBe(404);
    }
  });

  it('creates nobody from what is missing, taken or unknown: 400 and 409, and can still be used', async () => {
    const token = await openInvite();
    const member = await addPerson(instance, 'viewer');
    const missing = await accept({ token });
    expect(missing.status).toBe(400);
    expect(missing.body.details?.map((issue) => issue.path)).toEqual(['email', 'name', 'password']);
    expect((await accept({ token, email: member.email, ...PERSON })).body.code).toBe('CONFLICT');
    expect((await accept({ token, email: 'y@test.local', ...PERSON, password: 'short' })).status).toBe(400);
    expect((await accept({ token, email: 'y@test.local', ...PERSON, admin: true })).status).toBe(400);
    expect((await accept({ token, name: 'Me' }, (await addPerson(instance)).session)).status).toBe(400);
    expect((await accept({ token, email: 'y@test.local', ...PERSON })).status).toBe(201);
  });

  it('403: is made by admins with a session, and for owners by owners', async () => {
    const viewer = await addPerson(instance, 'viewer');
    const admin = await addPerson(instance, 'admin');
    expect((await invite({ role: 'viewer' }, viewer.session)).body.code).toBe('FORBIDDEN');
    expect((await gateway.call('GET', path, { as: viewer.session })).body.code).toBe('FORBIDDEN');
    expect((await invite({ role: 'owner' }, admin.session)).body.code).toBe('FORBIDDEN');
    expect((await invite({ role: 'admin' }, admin.session)).status).toBe(201);
    expect((await invite({ role: 'viewer' }, instance.key)).body.code).toBe('SESSION_REQUIRED');
    expect((await accept({ token: await openInvite() }, instance.key)).body.code).toBe('SESSION_REQUIRED');
    expect((await invite({ role: 'viewer' }, (await addPerson(instance)).session)).status).toBe(404);
    expect((await invite({ role: 'viewer', mail: 'x' })).status).toBe(400);
  });
});
