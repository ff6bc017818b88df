import { describe, expect, it } from '@jest/globals';
import { parseEnv } from 'node:util';
import { readSettings } from '@deckhand/runtime';
import {
  composeFaults,
  composeVariables,
  durationMs,
  MissingVariableError,
  readCompose,
} from '../harness/deployment/compose.ts';
import { DOCKERFILE, readImage } from '../harness/deployment/dockerfile.ts';
import { namesRead, settingsOf } from '../harness/deployment/environment.ts';
import { repositoryFile } from '../harness/deployment/repository-file.ts';

const SECRETS = { POSTGRES_PASSWORD: 'secret', ENCRYPTION_KEY: 'k'.repeat(32) };
const { services } = readCompose(SECRETS);
const APPS = ['api', 'worker'] as const;
/** The settings of .env.example. */
const EXAMPLE = parseEnv(repositoryFile('.env.example'));

describe('docker-compose.yml', () => {
  it('is what the Compose Specification says', () => {
    expect(composeFaults(readCompose(SECRETS))).toEqual([]);
    expect(composeFaults({ services: { api: { image: 'x', restarts: 'always' } } })).not.toEqual([]);
  });

  it.each(Object.keys(SECRETS))('does not start without %s', (name) => {
    expect(() => readCompose({ ...SECRETS, [name]: '' })).toThrow(MissingVariableError);
  });

  it('builds targets that the Dockerfile has', () => {
    const builds = Object.values(services).flatMap(({ build }) => build ?? []);
    expect(builds.map(({ dockerfile }) => dockerfile)).toEqual([DOCKERFILE, DOCKERFILE, DOCKERFILE]);
    for (const { target } of builds) expect(readImage(target).command).not.toEqual([]);
  });

  it.each(APPS)('gives the %s the settings of .env, except those that this file decides', (app) => {
    const { env_file, environment = {} } = services[app] ?? {};
    expect(env_file).toBe('.env');
    const decided = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]));
    expect(readSettings(settingsOf(app), { ...EXAMPLE, ...decided })).toMatchObject({ METRICS_PORT: 9464 });
    const kept = Object.keys(decided).filter((name) => decided[name] !== '');
    expect(namesRead(app)).toEqual(expect.arrayContaining(kept));
    expect(decided).toMatchObject({ POSTGRES_PASSWORD: '', OWNER_PASSWORD: '' });
  });

  it('has every setting, and every variable of its own, in .env.example', () => {
    const names = [...namesRead('api'), ...namesRead('worker'), ...composeVariables()];
    expect(Object.keys(EXAMPLE)).toEqual(
      expect.arrayContaining(names.filter((name) => !['HOSTNAME', 'NODE_ENV'].includes(name))),
    );
  });

  it('migrates once PostgreSQL is up, and starts the apps once that is done', () => {
    expect(services.migrate?.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    expect(services.migrate?.command).toEqual(['node', 'packages/db/dist/bin/migrate.js']);
    for (const app of APPS) {
      expect(services[app]?.depends_on).toEqual({
        migrate: { condition: 'service_completed_successfully' },
        redis: { condition: 'service_healthy' },
      });
    }
    expect(services.postgres?.healthcheck?.test).toBeDefined();
    expect(services.redis?.healthcheck?.test).toBeDefined();
  });

  it('can run any number of workers', () => {
    expect(services.worker?.container_name).toBeUndefined();
    expect(services.worker?.ports).toBeUndefined();
    expect(readCompose({ ...SECRETS, WORKERS: '3' }).services.worker?.deploy?.replicas).toBe(3);
  });

  it('lets the stores be reached from inside only', () => {
    expect(services.postgres?.ports).toBeUndefined();
    expect(services.redis?.ports).toBeUndefined();
  });

  it('kills a worker only once its own grace, and what it does afterwards, are over', () => {
    const graceMs = Number(services.worker?.environment?.WORKER_GRACE_MS);
    expect(durationMs(services.worker?.stop_grace_period ?? '')).toBeGreaterThan(graceMs + 10_000);
  });

  it('keeps what Redis has over a restart, and never evicts', () => {
    const command = services.redis?.command?.join(' ');
    expect(command).toContain('--appendonly yes');
    expect(command).toContain('--maxmemory-policy noeviction');
  });
});
