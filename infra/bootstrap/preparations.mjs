import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CLIENTS, DOWNLOADS } from '../pack/clients.mjs';
import { ROOT } from './paths.mjs';
import { unlessDone } from './stamps.mjs';
import { step, StepError } from './step.mjs';
import { BUNDLED, filesBelow, packageFolders } from './workspace.mjs';

/** The package manager, as an argument of npx. */
export const PNPM = 'pnpm@12.21.0';

const PRISMA = 'node_modules/prisma/build/index.js';

const inRoot = (...names) => names.map((name) => join(ROOT, name));

/** Installs the packages of the lockfile. */
export async function install() {
  const manifests = packageFolders().map((folder) => join(ROOT, folder, 'package.json'));
  const inputs = {
    files: [...inRoot('package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'), ...manifests],
    about: [process.platform, process.arch, process.versions.modules].join(),
    results: inRoot('node_modules', PRISMA),
  };
  await unlessDone('install', inputs, () =>
    // CI keeps pnpm from asking before it replaces a folder.
    step('Install packages', 'npx', ['--yes', PNPM, 'install', '--frozen-lockfile'], { CI: 'true' }),
  );
}

/** Generates the database client from prisma/schema.prisma, and the core of the SDK from docs/openapi.json. */
export async function generate() {
  const ofSdk = {
    files: inRoot('docs/openapi.json', 'packages/sdk/generate.mjs', 'pnpm-lock.yaml'),
    results: inRoot('packages/sdk/src/generated/index.ts'),
  };
  await unlessDone('generate-sdk', ofSdk, () =>
    step('Generate the core of the SDK', process.execPath, [join(ROOT, 'packages/sdk/generate.mjs')]),
  );
  const inputs = {
    files: inRoot('prisma/schema.prisma', 'pnpm-lock.yaml'),
    results: inRoot('packages/db/src/generated/client.ts'),
  };
  await unlessDone('generate', inputs, () =>
    step('Generate the database client', process.execPath, [join(ROOT, PRISMA), 'generate'], {
      // Generating needs no engine, but the command downloads one unless it is given the path of an existing program.
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    }),
  );
}

/** Compiles apps and packages, for images and for the registry: nothing that runs in the repository needs it. */
export async function build() {
  const folders = packageFolders().filter((folder) => /^(apps|packages)\//.test(folder) && folder !== BUNDLED);
  const isSource = (name) => /\.(ts|json)$/.test(name) && !name.endsWith('.test.ts');
  const configs = folders.map((folder) => `${folder}/tsconfig.build.json`);
  const files = [
    ...folders.flatMap((folder) => filesBelow(`${folder}/src`, isSource)),
    ...inRoot(...configs, 'packages/sdk/tsconfig.json', 'tsconfig.base.json', 'tsconfig.build.json', 'pnpm-lock.yaml'),
  ];
  const results = folders.map((folder) => join(ROOT, folder, 'dist'));
  await unlessDone('build', { files, results }, async () => {
    // The compiler would keep what no longer has a source.
    for (const result of results) rmSync(result, { recursive: true, force: true });
    await step('Compile', process.execPath, [
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      '-b',
      '--force',
      ...configs,
    ]);
  });
}

/** Bundles the console into the static files that the API serves. */
export async function bundle() {
  const isInput = (name) => !name.endsWith('.test.ts');
  const files = [
    ...filesBelow(`${BUNDLED}/src`, isInput),
    ...filesBelow(`${BUNDLED}/public`, isInput),
    ...filesBelow('packages/contracts/src', isInput),
    ...filesBelow('packages/engine/src/expressions', isInput),
    ...inRoot(`${BUNDLED}/index.html`, `${BUNDLED}/vite.config.js`, `${BUNDLED}/package.json`, 'pnpm-lock.yaml'),
  ];
  const vite = join(ROOT, BUNDLED, 'node_modules/vite/bin/vite.js');
  const config = join(ROOT, BUNDLED, 'vite.config.js');
  await unlessDone('bundle', { files, results: inRoot(`${BUNDLED}/dist/index.html`) }, () =>
    step('Bundle the console', process.execPath, [vite, 'build', '--config', config]),
  );
}

/** Packs the clients that the API serves, and that npm publishes. */
export async function pack() {
  const isInput = (name) => /\.(ts|json|md)$/.test(name) && !name.endsWith('.test.ts');
  const files = [
    ...packageFolders()
      .filter((folder) => folder.startsWith('packages/') || folder === 'apps/cli')
      .flatMap((folder) => [join(ROOT, folder, 'package.json'), ...filesBelow(`${folder}/src`, isInput)]),
    ...CLIENTS.map(({ folder }) => join(ROOT, folder, 'README.md')),
    ...filesBelow('infra/pack', (name) => name.endsWith('.mjs')),
    ...inRoot('packages/sdk/tsconfig.json', 'tsconfig.base.json', 'tsconfig.build.json'),
    ...inRoot('package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'LICENSE'),
  ];
  const results = [...CLIENTS.map(({ tarball }) => tarball), 'SHA256SUMS'].map((name) => join(DOWNLOADS, name));
  await unlessDone('pack', { files, results }, () =>
    step('Pack the clients', process.execPath, [join(ROOT, 'infra/pack/pack-clients.mjs')]),
  );
}

/** Checks of the code that a reviewer would otherwise make, in rows that take about the same time. */
const CHECKS = [
  [
    ['Lint', 'lint:code'],
    ['Check imports', 'lint:imports'],
    ['Look for dead code', 'lint:unused'],
    ['Check the texts of the console', 'lint:texts'],
  ],
  [
    ['Check types', 'typecheck'],
    ['Check the format', 'lint:format'],
  ],
];

/**
 * Runs the checks, the rows at the same time. A failed one is shown and the others still run, so that one push shows
 * all failures. @returns how many passed and failed.
 */
export async function checks() {
  const failed = (await Promise.all(CHECKS.map(countFailed))).reduce((sum, count) => sum + count, 0);
  return { passed: CHECKS.flat().length - failed, failed };
}

async function countFailed(row) {
  let failed = 0;
  for (const [title, script] of row) {
    try {
      await step(title, 'npm', ['run', '--silent', script]);
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      console.error(error.message);
      failed += 1;
    }
  }
  return failed;
}
