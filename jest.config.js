// Three projects: `unit` beside the source, `integration` against real stores, `e2e` over the built processes.
// The first two run the packages' sources, so that a change is tested without a build.

/** What every project shares: native ESM, TypeScript by swc, workspace packages from their sources. */
const shared = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript' },
          target: 'es2023',
          transform: { verbatimModuleSyntax: true },
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  moduleNameMapper: {
    '^@deckhand/(api|worker)$': '<rootDir>/apps/$1/src/index.ts',
    '^@deckhand/local$': '<rootDir>/infra/local/src/index.ts',
    '^@deckhand/queue/heartbeat$': '<rootDir>/packages/queue/src/heartbeat-connection.ts',
    '^@deckhand/sdk/operations$': '<rootDir>/packages/sdk/src/generated/index.ts',
    '^@deckhand/db/schema$': '<rootDir>/packages/db/src/schema/index.ts',
    '^@deckhand/([a-z0-9-]+)$': '<rootDir>/packages/$1/src/index.ts',
    // TypeScript sources name each other by what they compile to.
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
};

/** Tests that need PostgreSQL: one server for the run, with a migrated template to clone (tests/harness). */
const withStores = {
  ...shared,
  globalSetup: '<rootDir>/tests/harness/global-setup.mjs',
  globalTeardown: '<rootDir>/tests/harness/global-teardown.mjs',
};

export default {
  watchman: false,
  testSequencer: '<rootDir>/tests/harness/long-tests-first.mjs',
  // As many as CI has cores: with more, tests on a busy machine exceed the limits of what they test.
  maxWorkers: 2,
  // Modules of native ESM stay in memory after their test file: a worker that holds so much of its heap starts anew.
  workerIdleMemoryLimit: '1GB',
  // A limit for what hangs; a busy machine takes several times what a quiet one does.
  testTimeout: 600_000,
  projects: [
    {
      ...shared,
      displayName: 'unit',
      roots: [
        '<rootDir>/apps',
        '<rootDir>/packages',
        '<rootDir>/infra/local/src',
        '<rootDir>/bench/src',
        '<rootDir>/tests/deployment',
        '<rootDir>/tests/engine',
        '<rootDir>/tests/openapi',
      ],
      testMatch: ['**/src/**/*.test.ts', '<rootDir>/tests/{deployment,engine,openapi}/**/*.test.ts'],
    },
    {
      ...withStores,
      displayName: 'integration',
      roots: ['<rootDir>/tests'],
      testMatch: ['<rootDir>/tests/integration/**/*.test.ts'],
    },
    {
      ...withStores,
      displayName: 'e2e',
      roots: ['<rootDir>/tests'],
      testMatch: ['<rootDir>/tests/e2e/**/*.test.ts'],
    },
  ],
};
