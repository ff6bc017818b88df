import { parseOwnJson } from '@deckhand/contracts';
import { NODE_ARGS } from '@deckhand/local';
import { describe, expect, it } from '@jest/globals';
import dockerignore from '@balena/dockerignore';
import { validate } from 'dockerfile-utils';
import { DOCKERFILE, readImage, readStages } from '../harness/deployment/dockerfile.ts';
import { repositoryFile } from '../harness/deployment/repository-file.ts';

describe('the Dockerfile', () => {
  it('has no faults', () => {
    expect(validate(repositoryFile(DOCKERFILE))).toEqual([]);
    expect(validate('FROM node\nCOPYY . .')).not.toEqual([]);
  });

  it.each(['api', 'worker'] as const)(
    'runs %s as somebody who is not root, from what was assembled for it',
    (target) => {
      const image = readImage(target);
      expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
      expect(image.environment).toMatchObject({ NODE_ENV: 'production' });
      expect(image.command).toEqual(['node', ...NODE_ARGS, `apps/${target}/dist/main.js`]);
      expect(image.copiesFrom).toEqual(['build']);
    },
  );

  it.each(['api', 'worker'] as const)('runs %s as the script of its name does', (target) => {
    const { scripts } = parseOwnJson<{ scripts: Record<string, string> }>(repositoryFile('package.json'));
    const compiled = scripts[`start:${target}`]?.replace('/src/main.ts', '/dist/main.js');
    expect(compiled).toBe(['infra/with-node', ...readImage(target).command].join(' '));
  });

  it('builds on one image, named by its exact version', () => {
    const names = readStages().map(({ name }) => name);
    const bases = new Set(readStages().flatMap(({ from }) => (names.includes(from) ? [] : from)));
    expect([...bases]).toEqual(['${NODE_IMAGE}']);
    expect(repositoryFile(DOCKERFILE)).toMatch(/^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-/m);
  });
});

describe('what images are built from', () => {
  const ignored = dockerignore.default().add(repositoryFile('.dockerignore'));
  const isSent = (path: string) => !ignored.ignores(path);

  it.each([
    'package.json',
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    'tsconfig.base.json',
    'tsconfig.build.json',
    'packages/sdk/tsconfig.json',
    'prisma/schema.prisma',
    'infra/bootstrap.mjs',
    'infra/bootstrap/step.mjs',
    'infra/docker/assemble.mjs',
    'infra/pack/built-manifest.mjs',
    'infra/pack/pack-clients.mjs',
    'packages/sdk/README.md',
    'LICENSE',
    'CHANGELOG.md',
    'docs/guides/first-workflow.md',
    'docs/openapi.json',
    'examples/patterns/README.md',
    'apps/api/assets/docs.css',
    'apps/api/src/main.ts',
    'apps/worker/package.json',
    'apps/console/index.html',
    'apps/console/vite.config.js',
    'packages/db/src/index.ts',
    'packages/nodes/src/code/sandbox.ts',
    'infra/local/package.json',
    'bench/package.json',
  ])('has %s', (path) => {
    expect(isSent(path)).toBe(true);
  });

  it.each([
    '.env',
    'apps/api/.env.local',
    '.git/config',
    '.deckhand/secrets.json',
    'node_modules/x/index.js',
    'packages/db/node_modules/pg/package.json',
    'packages/db/dist/index.js',
    'packages/db/src/generated/client.ts',
    'packages/sdk/src/generated/index.ts',
    'packages/db/tsconfig.build.tsbuildinfo',
    'apps/api/src/http/json-body.test.ts',
    'tests/e2e/chaos/chaos.test.ts',
    'infra/local/api.log',
  ])('has no %s', (path) => {
    expect(isSent(path)).toBe(false);
  });
});
