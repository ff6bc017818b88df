import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createDatabase, Prisma } from '@deckhand/db';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  chain,
  createTestDatabase,
  OWNER,
  SETUP,
  spawnApp,
  startReceiver,
  startTestRedis,
  stopAll,
  type TestApp,
  until,
} from '../../harness/index.ts';

afterAll(stopAll);

const random = () => randomBytes(18).toString('base64url');

/** Spellings in which a secret could leak. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    encodeURIComponent(secret),
  ];
}

/** Uses every kind of secret, rightly and wrongly, and records everything that anybody can see. */
class Story {
  readonly secrets = new Map<string, string>();
  readonly seen: { where: string; text: string }[] = [];
  readonly api: TestApp;
  constructor(api: TestApp) {
    this.api = api;
  }

  secret(name: string, value = random()): string {
    this.secrets.set(name, value);
    return value;
  }

  /** Sends a request and records its response, unless it may show a secret. */
  async say(method: string, path: string, body?: unknown, options: { as?: string | undefined; shows?: boolean } = {}) {
    const { as = '', shows = false } = options;
    const credentials: Record<string, string> = as.startsWith('dk_')
      ? { 'x-api-key': as }
      : { authorization: `Bearer ${as}` };
    const answer = await fetch(this.api.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...(as === '' ? {} : credentials) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const where = `${method} ${path} → ${answer.status}`;
    if (!shows) this.seen.push({ where, text: `${JSON.stringify([...answer.headers])}\n${text}` });
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
    // Each test defines its shape.

    return { status: answer.status, body: isJson ? JSON.parse(text) : null };
  }

  leaks(): string[] {
    return [...this.secrets].flatMap(([name, secret]) =>
      spellings(secret).flatMap((spelling) =>
        this.seen.filter(({ text }) => text.includes(spelling)).map(({ where }) => `${name} in ${where}`),
      ),
    );
  }
}

describe('nothing secret', () => {
  it('is in an answer, a log line, a run, an export, the audit log or the database', async () => {
    const { url } = await createTestDatabase();
    const env = {
      DATABASE_URL: url,
      REDIS_URL: (await startTestRedis()).url,
      LOG_LEVEL: 'trace',
      ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    };
    const receiver = await startReceiver();
    const [api, worker] = [await spawnApp('api', env), await spawnApp('worker', env)];
    const story = new Story(api);
    story.secret('encryption key', env.ENCRYPTION_KEY);
    const databasePassword = decodeURIComponent(new URL(url).password);
    story.secret('database password', databasePassword);

    // People
    const password = story.secret('password');
    const wrong = story.secret('wrong password');
    const owner = { ...SETUP, password };
    const { body: first } = await story.say('POST', '/api/auth/setup', owner, { shows: true });
    const session = story.secret('session token', first.token);
    await story.say('POST', '/api/auth/setup', owner);
    await story.say('POST', '/api/auth/login', { email: OWNER.email, password: wrong });
    await story.say('POST', '/api/auth/login', { email: OWNER.email, password: 7, newPassword: wrong });
    await story.say('POST', '/api/auth/login', `{"email":"a","password":"${wrong}"`);
    const { body: second } = await story.say(
      'POST',
      '/api/auth/login',
      { email: OWNER.email, password },
      { shows: true },
    );
    story.secret('second session token', second.token);
    const mine = { as: session };
    const newPassword = story.secret('new password');
    await story.say('POST', '/api/auth/password', { currentPassword: wrong, newPassword }, mine);
    expect(
      (await story.say('POST', '/api/auth/password', { currentPassword: password, newPassword }, mine)).status,
    ).toBe(204);
    await story.say('GET', '/api/auth/sessions', undefined, mine);
    const { body: me } = await story.say('GET', '/api/auth/me', undefined, mine);
    const { workspaceId } = me.workspaces[0];
    const inWorkspace = `?workspaceId=${workspaceId}`;
    const { body: invite } = await story.say(
      'POST',
      `/api/workspaces/${workspaceId}/invites`,
      { role: 'editor' },
      { ...mine, shows: true },
    );
    story.secret('invite token', invite.token);
    await story.say('POST', '/api/auth/accept-invite', { token: invite.token, password: wrong });
    await story.say('GET', `/api/workspaces/${workspaceId}/invites`, undefined, mine);

    // Keys
    await story.say('POST', '/api/api-keys', { name: 'No', password: wrong }, mine);
    const { body: created } = await story.say(
      'POST',
      '/api/api-keys',
      { name: 'Key', password: newPassword, preset: 'full' },
      { ...mine, shows: true },
    );
    const key = story.secret('API key', created.key);
    const { body: revoked } = await story.say(
      'POST',
      '/api/api-keys',
      { name: 'Old', password: newPassword },
      { ...mine, shows: true },
    );
    story.secret('revoked API key', revoked.key);
    await story.say('POST', `/api/api-keys/${revoked.id}/revoke`, undefined, mine);
    await story.say('GET', '/api/workspaces', undefined, { as: revoked.key });
    await story.say('GET', '/api/api-keys', undefined, mine);
    await story.say('GET', '/api/api-keys', undefined, { as: key });

    // Credentials
    const secrets = {
      apiKey: { value: story.secret('credential apiKey') },
      basic: { username: 'shop', password: story.secret('credential basic') },
      bearer: { token: story.secret('credential bearer') },
      header: { name: 'x-token', value: story.secret('credential header') },
      postgres: { connectionString: `postgres://u:${story.secret('credential postgres')}@db/x` },
      s3: { accessKeyId: 'k', secretAccessKey: story.secret('credential s3') },
      sftp: {
        host: 'files',
        username: 'u',
        password: story.secret('credential sftp'),
        fingerprint: `SHA256:${'A'.repeat(43)}`,
      },
      smtp: { host: 'mail', port: 25, username: 'u', password: story.secret('credential smtp') },
    };
    for (const [type, secret] of Object.entries(secrets)) {
      const { body } = await story.say(
        'POST',
        '/api/credentials',
        { workspaceId, name: type, type, secret },
        { as: key },
      );
      await story.say(
        'PATCH',
        `/api/credentials/${body.id}`,
        { secret: { ...secret, odd: secrets.bearer.token } },
        { as: key },
      );
      await story.say('GET', `/api/credentials/${body.id}`, undefined, { as: key });
      await story.say('POST', '/api/credentials', { workspaceId, name: type, type: 'odd', secret }, { as: key });
    }
    await story.say('GET', `/api/credentials${inWorkspace}`, undefined, { as: key });

    // A webhook's secret, kept by its placeholder, in every mode
    const webhookSecret = story.secret('webhook secret');
    const hook = { id: 'hook', type: 'trigger.webhook', parameters: { secret: webhookSecret } };
    const call = { id: 'call', type: 'http', parameters: { url: `${receiver.url}/orders`, method: 'POST' } };
    const definition = { nodes: [hook, call], edges: [{ source: 'hook', target: 'call' }] };
    const faulty = { ...definition, nodes: [hook, { ...call, type: 'odd' }] };
    await story.say('POST', '/api/workflows', { workspaceId, name: 'Faulty', definition: faulty }, { as: key });
    const { body: workflow } = await story.say(
      'POST',
      '/api/workflows',
      { workspaceId, name: 'Orders', definition },
      { as: key },
    );
    expect(workflow.definition.nodes[0].parameters).toEqual({ secret: '********' });
    const kept = await story.say(
      'POST',
      `/api/workflows/${workflow.id}/versions`,
      { definition: workflow.definition },
      { as: key },
    );
    expect(kept.status).toBe(201);
    const renamed = chain({ id: 'a', type: 'set', parameters: { fields: {} } });
    renamed.nodes = [{ ...hook, id: 'other', parameters: { secret: '********' } }, ...renamed.nodes];
    const refused = await story.say(
      'POST',
      `/api/workflows/${workflow.id}/versions`,
      { definition: renamed },
      { as: key },
    );
    expect([refused.status, refused.body.details[0].path]).toEqual([400, 'definition.nodes[0].parameters.secret']);
    const { body: versions } = await story.say('GET', `/api/workflows/${workflow.id}/versions`, undefined, { as: key });
    for (const { workflowVersionId } of versions.data) {
      await story.say('GET', `/api/workflows/${workflow.id}/versions/${workflowVersionId}`, undefined, { as: key });
    }
    for (const executionMode of ['normal', 'test', 'debug', 'sandbox']) {
      const { body: run } = await story.say(
        'POST',
        `/api/workflows/${workflow.id}/execute`,
        { executionMode },
        { as: key },
      );
      const path = `/api/executions/${run.executionId}`;
      await until(async () => (await story.say('GET', path, undefined, { as: key })).body.status === 'success');
      await story.say('GET', `${path}/nodes/hook/output`, undefined, { as: key });
      await story.say('GET', `${path}/events`, undefined, { as: key });
    }
    for (const format of ['csv', 'json'])
      await story.say('GET', `/api/executions/export${inWorkspace}&format=${format}`, undefined, { as: key });
    await story.say('GET', `/api/executions${inWorkspace}`, undefined, { as: key });
    await story.say('GET', `/api/audit-log${inWorkspace}`, undefined, { as: key });
    for (const path of ['/readyz', '/api/openapi.json', '/api/node-types', '/api/monitoring/fleet']) {
      await story.say('GET', path, undefined, { as: key });
    }

    await worker.kill('SIGTERM');
    await api.kill('SIGTERM');
    for (const [name, { logPath }] of Object.entries({ api, worker })) {
      const text = await readFile(logPath, 'utf8');
      expect(text).toContain('"level":"');
      story.seen.push({ where: `the log of the ${name}`, text });
    }
    const db = createDatabase({ url, poolSize: 1 });
    const tables = await db.$queryRaw<
      { name: string }[]
    >`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`;
    for (const { name } of tables) {
      const rows = await db.$queryRaw<{ text: string }[]>(
        Prisma.sql`SELECT t::text AS text FROM ${Prisma.raw(`"${name}"`)} t`,
      );
      story.seen.push({ where: `the table ${name}`, text: rows.map(({ text }) => text).join('\n') });
    }
    await db.$disconnect();
    // Other values are found in many places, so the search works.
    expect(story.seen.filter(({ text }) => text.includes(workspaceId)).length).toBeGreaterThan(5);
    expect(story.secrets.size).toBeGreaterThan(15);
    expect(story.leaks()).toEqual([]);
  });
});
