// `unit` beside the source, `integration` against real stores, `journeys` over real processes, and `e2e`. `npm test`
// has the journeys; the others belong to a part of `npm run test:full` (infra/local/src/test/parts.ts).

/** What every project shares: plain Node.js runs the sources, tests and workspace packages alike. */
const shared = {
  rootDir: import.meta.dirname,
  runner: '<rootDir>/tests/runner/runner.mjs',
  testEnvironment: 'node',
  transform: {},
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
};

/** Tests that need PostgreSQL: one server for the run, with a migrated template to clone (tests/harness). */
const withStores = {
  ...shared,
  globalSetup: '<rootDir>/tests/harness/global-setup.mjs',
  globalTeardown: '<rootDir>/tests/harness/global-teardown.mjs',
};

/** End-to-end tests of the gate. */
const JOURNEYS = ['<rootDir>/tests/e2e/{journeys,console/journeys}/**/*.test.ts'];

export default {
  watchman: false,
  testSequencer: '<rootDir>/tests/runner/sequencer.mjs',
  // One more than CI has cores: tests wait for stores more than they compute.
  maxWorkers: 3,
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
      ...shared,
      displayName: 'component',
      roots: ['<rootDir>/apps/console/src'],
      testMatch: ['<rootDir>/apps/console/src/**/*.test.tsx'],
      setupFiles: ['<rootDir>/apps/console/src/testing/compile.ts', '<rootDir>/apps/console/src/testing/dom.ts'],
    },
    {
      ...withStores,
      displayName: 'integration',
      roots: ['<rootDir>/tests'],
      testMatch: ['<rootDir>/tests/integration/**/*.test.ts'],
    },
    {
      ...withStores,
      displayName: 'journeys',
      roots: ['<rootDir>/tests/e2e'],
      testMatch: JOURNEYS,
    },
    {
      ...withStores,
      displayName: 'e2e',
      roots: ['<rootDir>/tests/e2e'],
      testMatch: ['<rootDir>/tests/e2e/**/*.test.ts', ...JOURNEYS.map((pattern) => `!${pattern}`)],
    },
  ],
};
