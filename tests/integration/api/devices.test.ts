import type { Role } from '@deckhand/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import {
  addPerson,
  type Gateway,
  type Instance,
  OWNER,
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

/** Starts a client. @returns what it may do, each through the replica that is given. */
async function startClient(name = 'laptop') {
  const codeVerifier = randomBytes(32).toString('base64url');
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const { status, body } = await gateway.call('POST', '/api/auth/devices', { body: { name, codeChallenge } });
  expect(status).toBe(201);
  const { id } = body;
  return {
    ...body,
    fetchKey: (proof = codeVerifier, from = replica) =>
      from.call('POST', `/api/auth/devices/${id}/key`, {
        body: { codeVerifier: proof },
      }),
    allow: (given: object = {}, as = instance.session) =>
      gateway.call('POST', `/api/auth/devices/${id}/approve`, {
        as,
        body: { workspaceId: instance.workspaceId, password: OWNER.password, ...given },
      }),
  };
}

/** Adds a person with the password of the owner. */
async function addPersonWithPassword(role: Role) {
  const { db } = instance;
  const { passwordHash } = await db.user.findFirstOrThrow({ where: { passwordHash: { not: '-' } } });
  const person = await addPerson(instance, role);
  await db.user.update({ where: { id: person.userId }, data: { passwordHash } });
  return person;
}

describe('a client that signs in by the browser', () => {
  it('gets a key once, for one workspace and 90 days, after a person has allowed it', async () => {
    const client = await startClient();
    const pending = await client.fetchKey();
    expect({ status: pending.status, body: pending.body }).toEqual({ status: 202, body: { state: 'pending' } });
    const shown = await replica.call('GET', `/api/auth/devices/${client.id}`, { as: instance.session });
    expect(shown.body).toMatchObject({
      code: client.code,
      name: 'laptop',
      address: expect.stringMatching(/127\.0\.0\.1/),
    });
    expect(shown.text).not.toContain('codeChallenge');
    expect((await client.allow()).status).toBe(204);
    const { status, body } = await client.fetchKey();
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'Command line: laptop', workspaceId: instance.workspaceId, credentialId: null });
    expect(Math.round((Date.parse(body.expiresAt ?? '') - Date.now()) / 86_400_000)).toBe(90);
    const me = await gateway.call('GET', '/api/me', { as: body.key });
    expect(me.status).toBe(200);
    for (const again of await Promise.all([client.fetchKey(), client.allow()])) expect(again.status).toBe(404);
  });

  it('gets one key of two requests at the same time', async () => {
    const client = await startClient();
    await client.allow();
    const answers = await Promise.all([client.fetchKey(undefined, gateway), client.fetchKey()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 404]);
  });

  it('gets nothing without the proof, though the id and the code are known', async () => {
    const client = await startClient();
    await client.allow();
    const stranger = await client.fetchKey(randomBytes(32).toString('base64url'));
    expect({ status: stranger.status, code: stranger.body.code }).toEqual({ status: 404, code: 'NOT_FOUND' });
    expect((await client.fetchKey()).status).toBe(201);
  });

  it('gets nothing for what somebody else has written to Redis', async () => {
    const redis = gateway.services.monitoring.redis;
    const keyOf = (id: string): string => `{deckhand}:device-authorization:${id}`;
    const [client, victim] = [await startClient(), await startClient()];
    const { userId } = await instance.db.membership.findFirstOrThrow();
    const approval = JSON.stringify({ userId, workspaceId: instance.workspaceId });
    await redis.set(`${keyOf(client.id)}:approval`, approval);
    expect((await client.fetchKey()).status).toBe(202);
    await redis.set(`${keyOf(client.id)}:approval`, Buffer.from(`${'x'.repeat(32)}${approval}`).toString('base64url'));
    expect((await client.fetchKey()).status).toBe(202);
    // What a person has allowed another client.
    await victim.allow();
    await redis.set(`${keyOf(client.id)}:approval`, (await redis.get(`${keyOf(victim.id)}:approval`)) ?? '');
    expect((await client.fetchKey()).status).toBe(202);
    await redis.set(keyOf(victim.id), (await redis.get(keyOf(client.id))) ?? '');
    expect((await victim.fetchKey()).status).toBe(404);
  });

  it('gets nothing after ten minutes, allowed or not', async () => {
    const redis = gateway.services.monitoring.redis;
    const [waiting, allowed] = [await startClient(), await startClient()];
    await allowed.allow();
    for (const { id } of [waiting, allowed]) {
      const key = `{deckhand}:device-authorization:${id}`;
      expect(await redis.ttl(key)).toBeGreaterThan(590);
      expect(await redis.ttl(key)).toBeLessThanOrEqual(600);
      await redis.expire(key, 0);
    }
    expect((await waiting.allow()).status).toBe(404);
    for (const client of [waiting, allowed]) expect((await client.fetchKey()).status).toBe(404);
  });

  it('has the rights of the person in the workspace, and appears in its audit log', async () => {
    const viewer = await addPersonWithPassword('viewer');
    const client = await startClient('pc of a viewer');
    expect((await client.allow({}, viewer.session)).status).toBe(204);
    const { key } = (await client.fetchKey()).body;
    const { workspaceId } = instance;
    const read = await gateway.call('GET', `/api/variables?workspaceId=${workspaceId}`, { as: key });
    expect(read.status).toBe(200);
    const write = await gateway.call('POST', '/api/variables', {
      as: key,
      body: { workspaceId, name: 'a', value: 'b' },
    });
    expect(write.status).toBe(403);
    const log = await gateway.call('GET', `/api/audit-log?workspaceId=${workspaceId}`, { as: instance.session });
    expect(log.body.data[0]).toMatchObject({
      action: 'apiKey.create',
      details: { name: 'Command line: pc of a viewer' },
    });
  });

  it('gets nothing if the person has left the workspace meanwhile', async () => {
    const person = await addPersonWithPassword('editor');
    const client = await startClient();
    await client.allow({}, person.session);
    await instance.db.membership.deleteMany({ where: { userId: person.userId } });
    expect((await client.fetchKey()).status).toBe(404);
    expect(await instance.db.apiKey.count({ where: { userId: person.userId } })).toBe(0);
  });
});

describe('a person', () => {
  it.each([
    ['the wrong password', { password: 'not this one' }, 403],
    ['a workspace of others', { workspaceId: uuidv7() }, 404],
  ])('allows nothing with %s', async (_, given, status) => {
    const client = await startClient();
    expect((await client.allow(given)).status).toBe(status);
    expect((await client.fetchKey()).status).toBe(202);
  });

  it('has to be signed in: an API key allows nothing', async () => {
    const client = await startClient();
    await client.allow();
    const { key } = (await client.fetchKey()).body;
    const other = await startClient();
    const path = `/api/auth/devices/${other.id}/approve`;
    const body = { workspaceId: instance.workspaceId, password: OWNER.password };
    expect((await gateway.call('POST', path, { body })).status).toBe(401);
    expect((await gateway.call('POST', path, { as: key, body })).status).toBe(403);
    expect((await other.fetchKey()).status).toBe(202);
  });

  it('who answers second changes nothing', async () => {
    const person = await addPersonWithPassword('viewer');
    const client = await startClient();
    await client.allow();
    expect((await client.allow({}, person.session)).status).toBe(404);
    await client.fetchKey();
    expect(await instance.db.apiKey.count({ where: { userId: person.userId } })).toBe(0);
  });
});

it('429: starting clients is limited for each network, with the time to wait', async () => {
  const body = { name: 'many', codeChallenge: 'a'.repeat(43) };
  let answer = await gateway.call('POST', '/api/auth/devices', { body });
  for (let count = 0; count < 30 && answer.status === 201; count += 1) {
    answer = await gateway.call('POST', '/api/auth/devices', { body });
  }
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
});
