import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addPerson,
  chain,
  createWorkflow,
  countLockWaits,
  digestTables,
  type Instance,
  startInstance,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
});
afterAll(stopAll);

const valued = (value: number) => chain({ id: 'a', type: 'set', parameters: { fields: { value } } });

interface Options {
  readonly etag?: string | undefined;
  readonly as?: string;
}

const request = (slug: string, rest: object, { etag, as = instance.session }: Options) => ({
  as,
  body: { workspaceId: instance.workspaceId, slug, name: slug, ...rest },
  ...(etag === undefined ? {} : { headers: { 'if-match': etag } }),
});
const apply = (slug: string, rest: object, options: Options = {}) =>
  instance.gateway.call('POST', '/api/workflows/apply', request(slug, rest, options));
const tryApplying = (slug: string, rest: object, options: Options = {}) =>
  instance.gateway.call('POST', '/api/workflows/apply?dryRun=true', request(slug, rest, options));

const read = (id: string) => instance.gateway.call('GET', `/api/workflows/${id}`, { as: instance.session });

async function versionsOf(id: string): Promise<number> {
  const { body } = await instance.gateway.call('GET', `/api/workflows/${id}/versions`, { as: instance.session });
  return body.data.length;
}

/** @returns the id and the ETag of a new workflow. */
async function create(slug: string, rest: object = {}) {
  const made = await apply(slug, rest);
  expect(made.status).toBe(201);
  return { id: made.body.id, etag: made.headers.get('etag') ?? '' };
}

describe('applying a workflow', () => {
  it('creates it with its definition and activates it, at once', async () => {
    const made = await apply('created', { status: 'active', managed: true, definition: valued(1) });
    expect(made).toMatchObject({
      status: 201,
      body: { slug: 'created', managed: true, status: 'active', isNew: true, warnings: [], definition: valued(1) },
    });
    expect(made.body.activeVersionId).toBe(made.body.latestVersionId);
    expect(made.body.savedVersionId).toBe(made.body.latestVersionId);
    const again = await apply('created', { name: 'Other' });
    expect([again.status, again.body.code]).toEqual([409, 'CONFLICT']);
  });

  it('saves a version only if the definition changed, and activates it', async () => {
    const { id, etag } = await create('changed', { status: 'active', definition: valued(1) });
    const same = await apply('changed', { name: 'Renamed', status: 'active', definition: valued(1) }, { etag });
    expect(same.body).toMatchObject({ id, name: 'Renamed', isNew: false, savedVersionId: null });
    const reversed = {
      edges: valued(1).edges,
      nodes: valued(1).nodes.map((node) => Object.fromEntries(Object.entries(node).reverse())),
    };
    const ordered = await apply('changed', { definition: reversed }, { etag: same.headers.get('etag') ?? '' });
    expect(ordered.body.savedVersionId).toBeNull();
    const next = await apply(
      'changed',
      { status: 'active', definition: valued(2) },
      { etag: ordered.headers.get('etag') ?? '' },
    );
    expect(next.body.savedVersionId).not.toBeNull();
    expect(next.body.activeVersionId).toBe(next.body.savedVersionId);
    expect(await versionsOf(id)).toBe(2);
    // What is left out stays.
    const named = await apply('changed', {}, { etag: '*' });
    expect(named.body).toMatchObject({ status: 'active', definition: valued(2), savedVersionId: null });
  });

  it('is refused as a whole: 412 for what somebody changed since, 400 for a part that is wrong', async () => {
    const { id, etag } = await create('refused', { definition: valued(1) });
    await instance.gateway.call('PATCH', `/api/workflows/${id}`, { as: instance.session, body: { description: 'B' } });
    const late = await apply('refused', { definition: valued(2) }, { etag });
    expect([late.status, late.body.code]).toEqual([412, 'PRECONDITION_FAILED']);
    const current = (await read(id)).headers.get('etag') ?? '';
    const wrong = await apply(
      'refused',
      { name: 'New', definition: valued(2), errorWorkflowId: instance.workspaceId },
      { etag: current },
    );
    expect(wrong).toMatchObject({ status: 400, body: { details: [{ path: 'errorWorkflowId' }] } });
    expect((await read(id)).body).toMatchObject({ name: 'refused', definition: valued(1) });
    expect(await versionsOf(id)).toBe(1);
    const missing = await apply('missing', {}, { etag: '*' });
    expect([missing.status, missing.body.code]).toEqual([412, 'PRECONDITION_FAILED']);
    const draft = await apply('no-version', { status: 'active' });
    expect([draft.status, draft.body.code]).toEqual([409, 'NO_ACTIVE_VERSION']);
    expect((await apply('no-version', { definition: valued(1) })).status).toBe(201);
  });

  it('lets one of many win who have read the same, and one of many who create it', async () => {
    const { id, etag } = await create('race', { definition: valued(0) });
    const updates = await Promise.all(
      Array.from({ length: 8 }, (_, n) => apply('race', { definition: valued(n + 1) }, { etag })),
    );
    expect(updates.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 412)]);
    expect(await versionsOf(id)).toBe(2);
    const creations = await Promise.all(Array.from({ length: 8 }, () => apply('created-once', {})));
    expect(creations.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
  });

  it('keeps secrets whose placeholder is sent, and does not take them for a change', async () => {
    const hook = (secret: string) => ({
      nodes: [{ id: 'hook', type: 'trigger.webhook', parameters: { secret } }],
      edges: [],
    });
    const { etag } = await create('hooked', { definition: hook('first') });
    const kept = await apply('hooked', { definition: hook('********') }, { etag });
    expect(kept.body.savedVersionId).toBeNull();
    const replaced = await apply('hooked', { definition: hook('second') }, { etag: kept.headers.get('etag') ?? '' });
    expect(replaced.body.savedVersionId).not.toBeNull();
    const elsewhere = await apply('unhooked', { definition: hook('********') });
    expect(elsewhere).toMatchObject({ status: 400, body: { details: [{ nodeId: 'hook' }] } });
  });

  it('writes nothing that is there already', async () => {
    const rest = { description: 'D', managed: true, status: 'active', errorWorkflowId: 'none', definition: valued(1) };
    const { id, etag } = await create('applied', rest);
    const before = await digestTables(instance.db);
    const again = await apply('applied', rest, { etag });
    expect(again).toMatchObject({ status: 201, body: { id, isNew: false, savedVersionId: null, ...rest } });
    expect(again.headers.get('etag')).toBe(etag);
    expect(await digestTables(instance.db)).toEqual(before);
  });

  it('records what was changed, and nothing else', async () => {
    const { id, etag } = await create('recorded', { description: 'D', definition: valued(1) });
    const latest = async () => {
      const { body } = await instance.gateway.call(
        'GET',
        `/api/audit-log?workspaceId=${instance.workspaceId}&resourceId=${id}`,
        { as: instance.session },
      );
      return body.data.map(({ action, details }) => [action, details.changed]);
    };
    const before = await latest();
    await apply('recorded', { description: 'E', managed: false, definition: valued(1) }, { etag });
    await apply('recorded', { description: 'E', definition: valued(2) }, { etag: '*' });
    expect(await latest()).toEqual([['workflow.save', undefined], ['workflow.update', ['description']], ...before]);
  });

  it('keeps the secret that somebody else saves meanwhile', async () => {
    const hook = (secret: string) => ({
      nodes: [
        { id: 'hook', type: 'trigger.webhook', parameters: { secret, method: secret === '********' ? 'PUT' : 'GET' } },
      ],
      edges: [],
    });
    const { id } = await create('secret', { definition: hook('first') });
    const save = (secret: string) =>
      instance.gateway.call('POST', `/api/workflows/${id}/versions`, {
        as: instance.session,
        body: { definition: hook(secret) },
      });
    const secrets = async () =>
      (await instance.db.workflowVersion.findMany({ where: { workflowId: id }, orderBy: { number: 'asc' } })).map(
        ({ sealedSecrets }) => sealedSecrets,
      );
    const masked = [() => save('********'), () => apply('secret', { definition: hook('********') }, { etag: '*' })];
    for (const saveMasked of masked) {
      const answers: Promise<{ readonly status: number }>[] = [];
      // They wait for the lock, and get it in the order in which they came.
      await instance.db.$transaction(async (tx) => {
        await tx.$queryRaw`SELECT 1 FROM workflows WHERE id = ${id}::uuid FOR UPDATE`;
        for (const ask of [() => save('next'), saveMasked]) {
          answers.push(ask());
          await until(async () => (await countLockWaits(instance.db)) === answers.length);
        }
      });
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([201, 201]);
      const [earlier, changed, kept] = (await secrets()).slice(-3);
      expect(changed).not.toEqual(earlier);
      expect(kept).toEqual(changed);
    }
  });

  it('has the ETag of what was applied, also when the request is repeated after another change', async () => {
    const ask = () =>
      instance.gateway.call('POST', '/api/workflows/apply', {
        as: instance.session,
        body: { workspaceId: instance.workspaceId, slug: 'tagged', name: 'Tagged' },
        headers: { 'idempotency-key': 'tagged' },
      });
    const first = await ask();
    expect(first.headers.get('etag')).toBe(`"${first.body.updatedAt}"`);
    const path = `/api/workflows/${first.body.id}`;
    await instance.gateway.call('PATCH', path, { as: instance.session, body: { description: 'B' } });
    const second = await ask();
    expect([second.headers.get('idempotency-replayed'), second.headers.get('etag')]).toEqual([
      'true',
      first.headers.get('etag'),
    ]);
  });

  it('saves nothing with dryRun, and finds what would be refused', async () => {
    const { etag } = await create('dry', { definition: valued(1) });
    const before = await digestTables(instance.db);
    const change = { status: 'active', definition: valued(2) };
    expect((await tryApplying('dry', change, { etag })).body).toEqual({ valid: true, warnings: [] });
    expect((await tryApplying('dry', change)).status).toBe(409);
    expect((await tryApplying('dry-new', change)).status).toBe(200);
    expect(await digestTables(instance.db)).toEqual(before);
  });

  it('is for editors of the workspace, and a slug of another workspace is none', async () => {
    const viewer = await addPerson(instance, 'viewer');
    const stranger = await addPerson(instance);
    const { etag } = await create('private');
    for (const person of [viewer, stranger]) {
      expect((await apply('private', { name: 'X' }, { etag, as: person.session })).status).toBe(403);
    }
    const { id: workspaceId } = (
      await instance.gateway.call('POST', '/api/workspaces', { as: instance.session, body: { name: 'Second' } })
    ).body;
    expect((await apply('private', { workspaceId }, { etag })).status).toBe(412);
    expect((await apply('private', { workspaceId })).status).toBe(201);
  });
});

describe('a slug', () => {
  it('may be chosen when a workflow is created, unless another one of the workspace has it', async () => {
    const { workspaceId } = instance;
    const make = (slug: string, query = '') =>
      instance.gateway.call('POST', `/api/workflows${query}`, {
        as: instance.session,
        body: { workspaceId, name: 'Chosen', slug },
      });
    const made = await make('chosen');
    expect(made).toMatchObject({ status: 201, body: { slug: 'chosen', managed: false } });
    expect((await apply('chosen', {}, { etag: '*' })).body).toMatchObject({ id: made.body.id });
    const taken = { status: 409, body: { code: 'CONFLICT', error: 'Another workflow of the workspace has this slug' } };
    expect(await make('chosen')).toMatchObject(taken);
    expect(await make('chosen', '?dryRun=true')).toMatchObject(taken);
    expect(await make('Not A Slug')).toMatchObject({ status: 400, body: { details: [{ path: 'slug' }] } });
  });

  it('is given and changed by PATCH, and is unique in its workspace', async () => {
    const id = await createWorkflow(instance);
    const patch = (body: object) =>
      instance.gateway.call('PATCH', `/api/workflows/${id}`, { as: instance.session, body });
    expect((await read(id)).body).toMatchObject({ slug: null, managed: false });
    await create('taken');
    expect(await patch({ slug: 'taken' })).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    expect(await patch({ slug: 'Not A Slug' })).toMatchObject({ status: 400, body: { details: [{ path: 'slug' }] } });
    expect((await patch({ slug: 'given', managed: true })).body).toMatchObject({ slug: 'given', managed: true });
    await patch({ slug: 'renamed' });
    expect((await apply('given', {}, { etag: '*' })).status).toBe(412);
    expect((await apply('renamed', { name: 'N' }, { etag: '*' })).body).toMatchObject({ id, name: 'N' });
  });
});
