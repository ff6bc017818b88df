import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addPerson,
  countLockWaits,
  createKey,
  createWorkflow,
  type Gateway,
  type Instance,
  startInstance,
  stopAll,
  until,
} from '../../harness/index.ts';
import { chatAt } from '../../harness/connectors.ts';
import { serve } from '../../harness/serve.ts';

let instance: Instance;
let gateway: Gateway;

beforeAll(async () => {
  instance = await startInstance(undefined, { env: { HTTP_NODE_ALLOW_PRIVATE: 'true' } });
  ({ gateway } = instance);
});
afterAll(stopAll);

const SECRET = 'a-very-secret-value';
const create = (body: object, as = instance.key) =>
  gateway.call('POST', '/api/credentials', {
    as,
    body: { workspaceId: instance.workspaceId, name: 'Mail', type: 'bearer', secret: { token: SECRET }, ...body },
  });
const list = (as: string) =>
  gateway.call('GET', `/api/credentials?workspaceId=${instance.workspaceId}&includeTotal=true`, { as });

describe('credentials', () => {
  it('never give their secret back, are kept encrypted, and leave nothing in logs', async () => {
    const created = await create({});
    expect(created.status).toBe(201);
    const shown = ['id', 'workspaceId', 'name', 'type', 'ownerId', 'visibility', 'allowedHosts', 'allowedWorkflowIds'];
    expect(Object.keys(created.body)).toEqual([
      ...shown,
      'rateLimit',
      'circuit',
      'connection',
      'lastTest',
      'createdAt',
      'updatedAt',
    ]);
    const path = `/api/credentials/${created.body.id}`;
    const read = await gateway.call('GET', path, { as: instance.key });
    expect(read).toMatchObject({ status: 200, body: created.body });
    const changed = await gateway.call('PATCH', path, {
      as: instance.key,
      body: { name: 'Post', secret: { token: `${SECRET}-2` } },
    });
    expect(changed).toMatchObject({ status: 200, body: { id: created.body.id, name: 'Post', type: 'bearer' } });
    const listed = await list(instance.key);
    expect(listed.body.data).toContainEqual(changed.body);
    const kept = [
      await instance.db.credential.findMany(),
      await instance.db.auditEntry.findMany(),
      [created, read, changed, listed].map(({ text }) => text),
      gateway.log,
    ];
    expect(JSON.stringify(kept)).not.toContain(SECRET);
    expect((await gateway.call('DELETE', path, { as: instance.key })).status).toBe(204);
    expect((await gateway.call('GET', path, { as: instance.key })).status).toBe(404);
  });

  it.each([
    ['apiKey', { value: 'v' }],
    ['apiKey', { header: 'X-Key', value: 'v' }],
    ['basic', { username: 'u', password: 'p' }],
    ['bearer', { token: 't' }],
    ['header', { name: 'X-Token', value: 'v' }],
    ['postgres', { connectionString: 'postgres://u:p@db.example/x' }],
    ['s3', { accessKeyId: 'k', secretAccessKey: 's', endpoint: 'https://s3.example', pathStyle: true, bucket: 'b-1' }],
    ['sftp', { host: 'files.example', username: 'u', password: 'p', fingerprint: `SHA256:${'A'.repeat(43)}` }],
    ['smtp', { host: 'mail.example', port: 587, username: 'u', password: 'p', secure: false }],
  ])('201: are created as %s from %j', async (type, secret) => {
    expect((await create({ type, secret })).status).toBe(201);
  });

  it.each([
    ['basic', { username: 'u' }, 'secret.password'],
    ['bearer', { token: 't', tokne: SECRET }, 'secret.tokne'],
    ['header', { name: 'not a header', value: 'v' }, 'secret.name'],
    ['postgres', { connectionString: SECRET }, 'secret.connectionString'],
    ['s3', { accessKeyId: 'k', secretAccessKey: SECRET, bucket: 'a/b' }, 'secret.bucket'],
    ['s3', { accessKeyId: 'k', secretAccessKey: SECRET, endpoint: 'https://:1' }, 'secret.endpoint'],
    ['sftp', { host: 'files.example', username: 'u', password: SECRET }, 'secret.fingerprint'],
    ['smtp', { host: 'mail.example', port: '587' }, 'secret.port'],
    ['bearer', SECRET, 'secret'],
    ['oauth', { token: 't' }, 'type'],
  ])('400: are not created as %s from %j', async (type, secret, path) => {
    const { status, body, text } = await create({ type, secret });
    expect([status, body.code, body.details?.[0]?.path]).toEqual([400, 'VALIDATION_FAILED', path]);
    expect(text).not.toContain(SECRET);
  });

  it('400: keep their type, and take no secret of another one', async () => {
    const { body } = await create({});
    const path = `/api/credentials/${body.id}`;
    for (const changes of [{ type: 'basic' }, { secret: { username: 'u', password: 'p' } }, {}]) {
      expect((await gateway.call('PATCH', path, { as: instance.key, body: changes })).status).toBe(400);
    }
  });

  it('400: take no placeholder for a secret, which everybody knows', async () => {
    const { id } = (await create({})).body;
    const change = (secret: object) =>
      gateway.call('PATCH', `/api/credentials/${id}`, { as: instance.key, body: { secret } });
    const refusal = (name: string) => ({ status: 400, body: { details: [{ path: `secret.${name}` }] } });
    expect(await change({ token: 'new', nextToken: '********' })).toMatchObject(refusal('nextToken'));
    expect(await change({ token: '********', nextToken: '********' })).toMatchObject(refusal('nextToken'));
    expect(await create({ secret: { token: '********' } })).toMatchObject(refusal('token'));
    expect(await create({ type: 'basic', secret: { username: 'u', password: '********' } })).toMatchObject(
      refusal('password'),
    );
  });

  it('412: keep a token that was not replaced meanwhile', async () => {
    const { id } = (await create({})).body;
    const kept = { secret: { token: '********', nextToken: 'next' } };
    const change = (as = instance.key) => gateway.call('PATCH', `/api/credentials/${id}`, { as, body: kept });
    const { pending: late } = await instance.db.$transaction(async (tx) => {
      await tx.credential.update({ where: { id }, data: { secret: 'replaced', updatedAt: new Date(0) } });
      const pending = change();
      await until(async () => (await countLockWaits(instance.db)) > 0);
      return { pending };
    });
    expect(await late).toMatchObject({ status: 412, body: { code: 'PRECONDITION_FAILED' } });
    // What cannot be decrypted cannot be kept.
    expect(await change()).toMatchObject({ status: 400, body: { details: [{ path: 'secret.token' }] } });
    const viewer = await addPerson(instance, 'viewer');
    expect((await change(viewer.session)).status).toBe(403);
  });

  it('are read by viewers and changed by editors: 403 below, 404 for strangers by id', async () => {
    const viewer = await addPerson(instance, 'viewer');
    const stranger = await addPerson(instance);
    const { body } = await create({});
    const path = `/api/credentials/${body.id}`;
    expect((await list(viewer.session)).status).toBe(200);
    expect((await create({}, viewer.session)).body.code).toBe('FORBIDDEN');
    expect((await list(stranger.session)).body.code).toBe('FORBIDDEN');
    expect((await gateway.call('GET', path, { as: stranger.session })).status).toBe(404);
    for (const [as, expected] of [
      [viewer.session, 403],
      [stranger.session, 404],
    ] as const) {
      expect((await gateway.call('PATCH', path, { as, body: { name: 'x' } })).status).toBe(expected);
      expect((await gateway.call('DELETE', path, { as })).status).toBe(expected);
    }
    expect((await gateway.call('GET', '/api/credentials/none', { as: viewer.session })).status).toBe(404);
  });

  it('are shared and without limits unless their owner says otherwise', async () => {
    const me = await gateway.call('GET', '/api/auth/me', { as: instance.session });
    const none = { allowedHosts: null, allowedWorkflowIds: null, rateLimit: null, circuit: null };
    const everywhere = { visibility: 'shared', ...none };
    expect((await create({})).body).toMatchObject({ ...everywhere, ownerId: me.body.user.id });
    const limits = { visibility: 'private', allowedHosts: ['api.example.com', '*.example.org:8443'] };
    expect((await create(limits)).body).toMatchObject(limits);
    const traffic = { rateLimit: { requests: 100, per: 'minute', burst: 10 }, circuit: { openSeconds: 30 } };
    const { body } = await create(traffic);
    expect(body).toMatchObject(traffic);
    const changed = { rateLimit: null, circuit: { failurePercent: 50, openSeconds: 60 } };
    const path = `/api/credentials/${body.id}`;
    expect((await gateway.call('PATCH', path, { as: instance.key, body: changed })).body).toMatchObject(changed);
    expect((await gateway.call('GET', path, { as: instance.key })).body).toMatchObject(changed);
  });

  it('400: limits of requests are for credentials that are sent by HTTP', async () => {
    const secret = { connectionString: 'postgres://u:p@db.example/app' };
    const { status, body } = await create({ type: 'postgres', secret, rateLimit: { requests: 1, per: 'second' } });
    expect([status, body.details?.[0]?.path]).toEqual([400, 'rateLimit']);
    const { body: kept } = await create({ type: 'postgres', secret, circuit: null });
    const path = `/api/credentials/${kept.id}`;
    const change = await gateway.call('PATCH', path, { as: instance.key, body: { circuit: { openSeconds: 1 } } });
    expect([change.status, change.body.details?.[0]?.path]).toEqual([400, 'circuit']);
  });

  it.each([
    ['allowedHosts[0]', { allowedHosts: ['https://api.example.com'] }],
    ['allowedHosts', { allowedHosts: [] }],
    ['allowedWorkflowIds[0]', { allowedWorkflowIds: ['019a8e5c-7a31-7cc0-9f3e-6d1f0c2b4a58'] }],
    ['visibility', { visibility: 'public' }],
    ['rateLimit.requests', { rateLimit: { requests: 0, per: 'second' } }],
    ['circuit.openSeconds', { circuit: { failuresInRow: 1 } }],
  ])('400: take no wrong %s', async (path, limits) => {
    const refusal = { status: 400, body: { details: expect.arrayContaining([expect.objectContaining({ path })]) } };
    expect(await create(limits)).toMatchObject(refusal);
    const { body } = await create({});
    const change = await gateway.call('PATCH', `/api/credentials/${body.id}`, { as: instance.key, body: limits });
    expect(change).toMatchObject(refusal);
  });

  it('403: private ones are changed by their owner alone, and deleted by admins besides', async () => {
    const [owner, editor, admin] = [
      await addPerson(instance, 'editor'),
      await addPerson(instance, 'editor'),
      await addPerson(instance, 'admin'),
    ];
    const { body } = await create({ visibility: 'private' }, owner.session);
    const path = `/api/credentials/${body.id}`;
    const changeAs = async (as: string, change: object) =>
      (await gateway.call('PATCH', path, { as, body: change })).status;
    for (const change of [
      { name: 'x' },
      { secret: { token: 'x' } },
      { visibility: 'shared' },
      { allowedHosts: null },
    ]) {
      expect([await changeAs(editor.session, change), await changeAs(admin.session, change)]).toEqual([403, 403]);
    }
    expect(await changeAs(owner.session, { name: 'Mine' })).toBe(200);
    expect((await gateway.call('DELETE', path, { as: editor.session })).status).toBe(403);
    expect((await gateway.call('DELETE', path, { as: admin.session })).status).toBe(204);
  });

  it('403: limits of a shared one are changed by its owner and admins, and nobody makes it private but its owner', async () => {
    const [owner, editor, admin] = [
      await addPerson(instance, 'editor'),
      await addPerson(instance, 'editor'),
      await addPerson(instance, 'admin'),
    ];
    const { body } = await create({ allowedHosts: ['api.example.com'] }, owner.session);
    const changeAs = async (as: string, change: object) =>
      (await gateway.call('PATCH', `/api/credentials/${body.id}`, { as, body: change })).status;
    expect(await changeAs(editor.session, { name: 'Ours', secret: { token: 'new' } })).toBe(200);
    expect(await changeAs(editor.session, { allowedHosts: null })).toBe(403);
    expect(await changeAs(editor.session, { rateLimit: null })).toBe(403);
    expect(await changeAs(editor.session, { circuit: null })).toBe(403);
    expect(await changeAs(admin.session, { allowedHosts: ['other.example.com'] })).toBe(200);
    expect(await changeAs(admin.session, { visibility: 'private' })).toBe(403);
    expect(await changeAs(owner.session, { visibility: 'private', allowedHosts: null })).toBe(200);
  });

  it('403: are not changed by a Read-only key', async () => {
    const key = await createKey(gateway, instance.session, {});
    expect((await list(key)).status).toBe(200);
    expect((await create({}, key)).body).toMatchObject({ required: 'credentials:write' });
  });
});

describe('a test of a credential', () => {
  const test = (id: string, body: object, as = instance.key) =>
    gateway.call('POST', `/api/credentials/${id}/test`, { as, body });
  /** A service that refuses each token but one, and repeats what it got. */
  const startService = () =>
    serve(({ headers: { authorization = '' } }, response) =>
      response.writeHead(authorization === `Bearer ${SECRET}` ? 200 : 401).end(`refused: ${authorization}\0`),
    );

  it('is remembered with it until its secret is replaced, without the secret', async () => {
    const { url } = await startService();
    const { body: credential } = await create({});
    const path = `/api/credentials/${credential.id}`;
    const passed = await test(credential.id, { url });
    const ok = { ok: true, code: null, message: null, testedAt: expect.any(String) };
    expect([passed.status, passed.body]).toEqual([200, ok]);
    const tested = await gateway.call('GET', path, { as: instance.key });
    expect(tested.body).toEqual({ ...credential, lastTest: passed.body });
    const other = `${SECRET}-that-was-revoked`;
    const changed = await gateway.call('PATCH', path, { as: instance.key, body: { secret: { token: other } } });
    expect(changed.body).toMatchObject({ lastTest: null });
    const failed = await test(credential.id, { url });
    const message = `GET ${url}/ answered 401: refused: Bearer ********`;
    expect(failed.body).toMatchObject({ ok: false, code: 'HTTP_STATUS', message });
    const kept = await gateway.call('GET', path, { as: instance.key });
    expect(kept.body).toMatchObject({ lastTest: failed.body });
    const entries = await instance.db.auditEntry.findMany({ where: { action: 'credential.test' } });
    const entry = expect.objectContaining({ resourceId: credential.id, details: { name: 'Mail', origin: url } });
    expect(entries).toEqual(expect.arrayContaining([entry, entry]));
    expect(JSON.stringify([entries, gateway.log])).not.toContain(SECRET);
  });

  it('that was not sent because of a limit is not its last one', async () => {
    const { url } = await startService();
    const { id } = (await create({ rateLimit: { requests: 1, per: 'minute', maxWaitSeconds: 0 } })).body;
    const passed = await test(id, { url });
    expect(passed.body).toMatchObject({ ok: true });
    expect((await test(id, { url })).body).toMatchObject({ ok: false, code: 'RATE_LIMITED' });
    const kept = await gateway.call('GET', `/api/credentials/${id}`, { as: instance.key });
    expect(kept.body).toMatchObject({ lastTest: passed.body });
  });

  it('403: with a key that may not use it in workflows, nor list choices with it', async () => {
    const { body: credential } = await create({});
    const [all, ...others] = await Promise.all(
      [['credentials:write', 'connectors:write', 'workflows:write'], ['credentials:write'], ['connectors:write']].map(
        (scopes) => createKey(gateway, instance.session, { scopes }),
      ),
    );
    const names = { connector: 'absent', version: '1.0.0', operation: 'a.b', field: 'body.a' };
    const body = { workspaceId: instance.workspaceId, credentialId: credential.id, ...names };
    const both = async (as = '') => [
      (await test(credential.id, {}, as)).status,
      (await gateway.call('POST', '/api/connectors/options', { as, body })).status,
    ];
    expect(await both(all)).toEqual([400, 422]);
    for (const key of others) expect(await both(key)).toEqual([403, 403]);
  });

  it('connects to the server that the credential names', async () => {
    const of = async (connectionString: string) =>
      (await create({ type: 'postgres', secret: { connectionString } })).body.id;
    expect((await test(await of(instance.databaseUrl), {})).body).toMatchObject({ ok: true });
    const absent = new URL(instance.databaseUrl);
    absent.pathname = '/absent';
    expect((await test(await of(absent.href), {})).body).toMatchObject({
      ok: false,
      code: 'POSTGRES_FAILED',
      message: '3D000: database "absent" does not exist',
    });
  });

  it.each([
    [{}, 'url'],
    [{ url: 'file:///etc/passwd' }, 'url'],
    [{ url: 'https://api.example.com', connector: 'slack', version: '1.0.0' }, 'url'],
    [{ connector: 'slack' }, 'version'],
    [{ connector: 'absent', version: '1.0.0' }, 'connector'],
  ])('400: with %j', async (body, path) => {
    const { body: credential } = await create({});
    expect(await test(credential.id, body)).toMatchObject({ status: 400, body: { details: [{ path }] } });
  });

  it('400: with an address for a credential that names its server', async () => {
    const { body } = await create({ type: 'smtp', secret: { host: 'mail.example.com', port: 25 } });
    const refused = await test(body.id, { url: 'https://evil.example' });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'url' }] } });
  });

  it('sends it only where, and for whom, it may be used', async () => {
    const { url } = await startService();
    const [editor, viewer, stranger] = [
      await addPerson(instance, 'editor'),
      await addPerson(instance, 'viewer'),
      await addPerson(instance),
    ];
    const workflowId = await createWorkflow(instance);
    const shared = (await create({ allowedHosts: ['api.example.com'] })).body.id;
    const own = (await create({ visibility: 'private' })).body.id;
    const ofWorkflow = (await create({ allowedWorkflowIds: [workflowId] })).body.id;
    const statusOf = async (id: string, as: string) => (await test(id, { url }, as)).status;
    expect((await test(shared, { url })).body).toMatchObject({ ok: false, code: 'CREDENTIAL_HOST' });
    for (const id of [shared, own, ofWorkflow])
      expect([await statusOf(id, viewer.session), await statusOf(id, stranger.session)]).toEqual([403, 404]);
    expect(await statusOf(shared, editor.session)).toBe(200);
    expect(await statusOf(own, editor.session)).toBe(403);
    expect(await statusOf(ofWorkflow, editor.session)).toBe(403);
    expect(await statusOf(ofWorkflow, instance.session)).toBe(200);
  });
});

describe('choices of a field of a connector', () => {
  /** A page of sixty channels, and another one with one. */
  const startService = () =>
    serve(({ url = '', headers: { authorization = '' } }, response) => {
      const isLast = url.includes('cursor=last');
      const channels = Array.from({ length: isLast ? 1 : 60 }, (_, at) => ({
        id: `C${isLast ? 99 : at}`,
        name: `c-${at}`,
      }));
      const body =
        authorization === `Bearer ${SECRET}` ? { channels, next: isLast ? '' : 'last' } : { error: authorization };
      response.writeHead('error' in body ? 403 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });

  it('are those that its service lists for people who may use the credential, page by page', async () => {
    const { url } = await startService();
    const { workspaceId } = instance;
    const body = { workspaceId, ...chatAt(url) };
    expect((await gateway.call('POST', '/api/connectors', { as: instance.key, body })).status).toBe(201);
    const credentialId = (await create({ visibility: 'private' })).body.id;
    const field = { connector: 'chat', version: '1.0.0', operation: 'message.send', field: 'body.channel' };
    const choices = (more: object = {}, as = instance.key) =>
      gateway.call('POST', '/api/connectors/options', { as, body: { workspaceId, ...field, credentialId, ...more } });
    const first = await choices();
    expect(first).toMatchObject({ status: 200, body: { data: { length: 60 }, next: expect.any(String) } });
    const entry = await instance.db.auditEntry.findFirst({ where: { action: 'credential.list_choices' } });
    const { connector, version, field: path } = field;
    const details = { name: 'Mail', connector, version, field: path };
    expect(entry).toMatchObject({ resourceId: credentialId, details });
    const second = await choices({ cursor: first.body.next });
    expect(second.body).toEqual({ data: [{ value: 'C99', label: 'c-0' }], next: null });
    const found = await choices({ search: 'C-59' });
    expect(found.body).toEqual({ data: [{ value: 'C59', label: 'c-59' }], next: null });
    for (const cursor of ['x', first.body.next?.replace(/.$/, '')])
      expect(await choices({ cursor })).toMatchObject({ status: 400, body: { details: [{ path: 'cursor' }] } });
    const moved = await choices({ cursor: first.body.next, values: { body: {} } });
    expect(moved).toMatchObject({ status: 400, body: { details: [{ path: 'cursor' }] } });
    expect(await choices({ field: 'body.text' })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'field' }] },
    });
    const editor = await addPerson(instance, 'editor');
    expect((await choices({}, editor.session)).status).toBe(403);
    const tested = await gateway.call('POST', `/api/credentials/${credentialId}/test`, {
      as: instance.key,
      body: { connector: 'chat', version: '1.0.0' },
    });
    expect(tested.body).toMatchObject({ ok: true });
    const other = (await create({ secret: { token: 'another-secret' } })).body.id;
    expect(await choices({ credentialId: other })).toMatchObject({
      status: 422,
      body: { code: 'CONNECTOR_FAILED', error: expect.stringContaining('answered 403: Bearer ********') },
    });
  });
});
