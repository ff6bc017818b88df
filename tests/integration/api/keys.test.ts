import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listRoutes } from '@deckhand/api';
import { accessLabel, SCOPE_PRESETS } from '@deckhand/contracts';
import { REPOSITORY } from '@deckhand/local';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  addKey,
  type ApiResponse,
  createHook,
  createKey,
  createWorkflow,
  type ErrorMembers,
  type Instance,
  OWNER,
  sendHook,
  startInstance,
  stopAll,
} from '../../harness/index.ts';

let instance: Instance;
let ownerId: string;

beforeAll(async () => {
  instance = await startInstance();
  ownerId = (await instance.db.user.findFirstOrThrow()).id;
});
afterAll(stopAll);

async function codeOf(method: string, path: string, key: string, body?: object): Promise<string> {
  const options = { as: key, ...(body === undefined ? {} : { body }) };
  const answer: ApiResponse<ErrorMembers | null> = await instance.gateway.call(method, path, options);
  return `${answer.status} ${answer.body?.code ?? ''}`.trim();
}

describe('a scope of writing', () => {
  it.each([['*:write'], ['workflows:write'], ['variables:write']])('%s reads nothing', async (scope) => {
    const { key } = await addKey(instance, ownerId, { scopes: [scope] });
    const workflowId = await createWorkflow(instance);
    const paths = [
      `/api/workflows?workspaceId=${instance.workspaceId}`,
      `/api/workflows/${workflowId}`,
      `/api/workflows/${workflowId}/executions`,
      `/api/executions?workspaceId=${instance.workspaceId}`,
      `/api/variables?workspaceId=${instance.workspaceId}`,
    ];
    const answers = await Promise.all(paths.map((path) => codeOf('GET', path, key)));
    expect(answers).toEqual(paths.map(() => '403 INSUFFICIENT_SCOPE'));
  });
});

describe('a key of a preset', () => {
  it.each([
    ['read-only', ['403 INSUFFICIENT_SCOPE', '403 INSUFFICIENT_SCOPE']],
    ['read-write', ['200', '403 INSUFFICIENT_SCOPE']],
    ['read-write-ai', ['200', '200']],
    ['full', ['200', '200']],
  ] as const)('%s: reads variables and lists node types as its label says', async (preset, expected) => {
    const { key } = await addKey(instance, ownerId, { scopes: [...SCOPE_PRESETS[preset].scopes] });
    const paths = [`/api/variables?workspaceId=${instance.workspaceId}`, '/api/node-types'];
    expect(await Promise.all(paths.map((path) => codeOf('GET', path, key)))).toEqual(expected);
  });

  it('of an earlier version keeps its label, and one that holds more or less than a preset keeps its scopes', async () => {
    const readOnly = [
      'workflows:read',
      'executions:read',
      'workspaces:read',
      'monitoring:read',
      'ai:read',
      'credentials:read',
      'audit-log:read',
      'folders:read',
      'variables:read',
    ];
    const writes = ['workflows:write', 'folders:write', 'workspaces:write', 'variables:write', 'executions:write'];
    const given = {
      'Read-only': readOnly,
      'Read + write': [...readOnly, ...writes].reverse(),
      'Read + write + AI agent': [...readOnly, ...writes, 'ai:write'],
      'Full access': ['*'],
      'Custom, with more': [...readOnly, 'approvals:read'],
      'Custom, with less': readOnly.slice(1),
      'Custom, with nothing': [],
    };
    const ids: Record<string, string> = {};
    for (const [name, scopes] of Object.entries(given)) {
      ids[name] = (await addKey(instance, ownerId, { scopes })).id;
    }
    const migration = '20261123170000_scopes_of_presets';
    await instance.db.$executeRawUnsafe(
      await readFile(join(REPOSITORY, 'prisma/migrations', migration, 'migration.sql'), 'utf8'),
    );
    for (const [name, scopes] of Object.entries(given)) {
      const key = await instance.db.apiKey.findUniqueOrThrow({ where: { id: ids[name] ?? '' } });
      expect(accessLabel(key.scopes)).toBe(name.split(',')[0]);
      if (name.startsWith('Custom')) expect(key.scopes).toEqual(scopes);
    }
  });
});

describe('deleting a workspace', () => {
  it('is not for the preset Read + write, but for a key with all of workspaces', async () => {
    const remove = async (options: object) => {
      const { body } = await instance.gateway.call('POST', '/api/workspaces', {
        as: instance.session,
        body: { name: 'To be deleted' },
      });
      const key = await createKey(instance.gateway, instance.session, options);
      const path = `/api/workspaces/${body.id}` as const;
      expect((await instance.gateway.call('GET', path, { as: key })).status).toBe(200);
      return instance.gateway.call('DELETE', path, { as: key });
    };
    const refusal = { status: 403, body: { code: 'INSUFFICIENT_SCOPE', required: 'workspaces:*' } };
    expect(await remove({ preset: 'read-write' })).toMatchObject(refusal);
    expect(await remove({ preset: 'read-write-ai' })).toMatchObject(refusal);
    expect(await remove({ scopes: ['workspaces:read', 'workspaces:write'] })).toMatchObject(refusal);
    expect((await remove({ scopes: ['workspaces:*'] })).status).toBe(204);
    expect((await remove({ preset: 'full' })).status).toBe(204);
  });
});

describe('an area that is closed to keys', () => {
  it.each([
    ['POST', '/api/auth/login'],
    ['POST', '/api/auth/setup'],
    ['GET', '/api/auth/setup'],
    ['POST', '/api/auth/accept-invite'],
    ['GET', '/api/auth/nothing/here'],
    ['GET', '/api/auth'],
    ['PUT', '/api/auth/me'],
    ['DELETE', '/api/api-keys'],
    ['GET', '/api/api-keys/nothing'],
    ['GET', '/API/Admin/nothing/'],
    ['GET', '/api/workspaces/nothing/invites/x/y'],
    ['GET', '/api/workspaces/nothing/membership'],
  ])('403: %s %s, whatever the scopes', async (method, path) => {
    expect(await codeOf(method, path, instance.key)).toBe('403 SESSION_REQUIRED');
  });

  it('401: for a key that is not valid, and nothing else is closed', async () => {
    expect(await codeOf('POST', '/api/auth/login', `dk_${'x'.repeat(43)}`, {})).toBe('401 UNAUTHORIZED');
    expect(await codeOf('GET', '/api/authors', instance.key)).toBe('404 NOT_FOUND');
    expect(await codeOf('GET', '/api/workspaces/nothing/members', instance.key)).toBe('404 NOT_FOUND');
  });

  it('holds every route that asks for a session', () => {
    const sessions = listRoutes(instance.gateway.services).filter(({ access }) => access === 'session');
    expect(sessions.map(({ path }) => path)).toEqual(
      sessions.map(() =>
        expect.stringMatching(
          /^\/api\/(api-keys|auth|admin|users|workspaces\/:id\/(invites|membership|callback-secrets)|event-endpoints\/:id\/secrets)/,
        ),
      ),
    );
  });
});

describe('testing a webhook', () => {
  it('is open to a key with full access', async () => {
    const { workflowId } = await createHook(instance, {});
    const { key } = await addKey(instance, ownerId);
    const opened = await instance.gateway.call('POST', `/api/workflows/${workflowId}/webhooks/hook/test`, { as: key });
    expect(opened.status).toBe(200);
    const { pathname } = new URL(opened.body.url);
    const { body } = await sendHook(instance.gateway, pathname, { body: '{}' });
    expect(await instance.db.execution.findUniqueOrThrow({ where: { id: body.executionId } })).toMatchObject({
      executionMode: 'test',
    });
  });
});

describe('a key that is saved as a credential', () => {
  const make = (body: object, as = instance.session) =>
    instance.gateway.call('POST', '/api/api-keys', { as, body: { name: 'k', password: OWNER.password, ...body } });
  const placeOf = async (credentialId: string | null) =>
    credentialId === null
      ? null
      : (await instance.db.credential.findUniqueOrThrow({ where: { id: credentialId } })).workspaceId;
  const addWorkspace = async (): Promise<string> =>
    (await instance.gateway.call('POST', '/api/workspaces', { as: instance.session, body: { name: 'Other' } })).body.id;

  it('is one of the chosen workspace, without a choice of the first one, and of its own if it is bound', async () => {
    const other = await addWorkspace();
    const places = [
      {},
      { credentialWorkspaceId: other },
      { credentialWorkspaceId: null },
      { workspaceId: other },
      { workspaceId: other, credentialWorkspaceId: other.toUpperCase() },
    ].map(async (body) => placeOf((await make(body)).body.credentialId));
    const { workspaceId } = instance;
    expect(await Promise.all(places)).toEqual([workspaceId, other, workspaceId, other, other]);
  });

  it('400 for another workspace than the one that the key is bound to', async () => {
    const body = { workspaceId: instance.workspaceId, credentialWorkspaceId: await addWorkspace() };
    expect(await make(body)).toMatchObject({ status: 400, body: { details: [{ path: 'credentialWorkspaceId' }] } });
  });

  it('403 for a workspace of others', async () => {
    const { id } = await instance.db.workspace.create({ data: { id: uuidv7(), name: 'Of others' } });
    expect(await make({ credentialWorkspaceId: id })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });
});

describe('rotating a key', () => {
  const rotate = (id: string, body: object) =>
    instance.gateway.call('POST', `/api/api-keys/${id}/rotate`, { as: instance.session, body });
  const me = async (key: string) => {
    const { body } = await instance.gateway.call('GET', '/api/me', { as: key });
    if (!('apiKey' in body)) throw new Error('not an API key');
    return body.apiKey;
  };
  const password = OWNER.password;

  it('creates a key with the same scopes, and the old key stays valid for a while', async () => {
    const scopes = ['workflows:read', 'executions:read'];
    const { workspaceId } = instance;
    const key = await createKey(instance.gateway, instance.session, { name: 'Rotated', scopes, workspaceId });
    const { id } = await me(key);
    const rotated = await rotate(id, { password, overlapSeconds: 60 });
    expect(rotated).toMatchObject({
      status: 201,
      body: { name: 'Rotated', scopes, workspaceId, state: 'Active', expiresAt: null },
    });
    expect((await me(rotated.body.key)).expiresAt).toBeNull();
    const left = Date.parse((await me(key)).expiresAt!) - Date.now();
    expect([left > 50_000, left <= 60_000]).toEqual([true, true]);
    await instance.db.apiKey.update({ where: { id }, data: { expiresAt: new Date() } });
    expect(await codeOf('GET', '/api/me', key)).toBe('401 UNAUTHORIZED');
    expect(await codeOf('GET', '/api/me', rotated.body.key)).toBe('200');
    expect((await rotate(id, { password })).body.code).toBe('INVALID_STATE');
  });

  it('puts the successor into the credential that the key is saved as', async () => {
    const { id } = await me(await createKey(instance.gateway, instance.session, { name: 'Saved' }));
    const before = await instance.db.apiKey.findUniqueOrThrow({ where: { id } });
    const sealed = () => instance.db.credential.findUniqueOrThrow({ where: { id: before.credentialId ?? '' } });
    const { secret } = await sealed();
    const { body } = await rotate(id, { password, overlapSeconds: 0 });
    expect(body.credentialId).toBe(before.credentialId);
    const opened = await instance.gateway.services.resources.secretBox.open((await sealed()).secret);
    expect([secret === (await sealed()).secret, JSON.parse(opened)]).toEqual([false, { value: body.key }]);
    expect((await instance.db.apiKey.findUniqueOrThrow({ where: { id } })).credentialId).toBeNull();
  });

  it('takes a date as the end of that day', async () => {
    const { id } = await me(await createKey(instance.gateway, instance.session, { name: 'Dated' }));
    const { body } = await rotate(id, { password, expiresAt: '2099-12-31' });
    expect(body.expiresAt).toBe('2099-12-31T23:59:59.999Z');
  });

  it('asks for the password: 403', async () => {
    const { id } = await me(instance.key);
    expect((await rotate(id, { password: 'a guess' })).status).toBe(403);
    expect(await codeOf('GET', '/api/me', instance.key)).toBe('200');
  });
});

describe('GET /api/me', () => {
  it('says to a key what it is, with any scope at all', async () => {
    const { workspaceId } = instance;
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const scopes = ['approvals:read', 'workflows:execute'];
    const key = await createKey(instance.gateway, instance.session, { name: 'CI', scopes, expiresAt, workspaceId });
    const { status, body } = await instance.gateway.call('GET', '/api/me', { as: key });
    const { id } = await instance.db.apiKey.findFirstOrThrow({ where: { name: 'CI' } });
    expect([status, body]).toEqual([200, { apiKey: { id, name: 'CI', scopes, workspaceId, expiresAt } }]);
  });

  it('403 for a key without scopes, naming the narrowest one', async () => {
    const { key } = await addKey(instance, ownerId, { scopes: [] });
    const { status, body } = await instance.gateway.call('GET', '/api/me', { as: key });
    expect([status, body.code, body.required]).toEqual([403, 'INSUFFICIENT_SCOPE', 'me:read']);
  });

  it('says to a session who it is of, and where that person is a member', async () => {
    const { status, body } = await instance.gateway.call('GET', '/api/me', { as: instance.session });
    const inAuth = await instance.gateway.call('GET', '/api/auth/me', { as: instance.session });
    expect([status, body]).toEqual([200, inAuth.body]);
    expect(body).toMatchObject({ user: { id: ownerId } });
  });
});
